"""Who comes in: hosts, origins and tokens as tables; each request over HTTP, too."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.configuration import Configuration, Limits, Listen, Route, Secret, Token, Upstream, is_loopback
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.safety import Caller, admit
from lorewright.testing.fake_upstream import FakeUpstream, Plan
from tests.gateway.running import RunningGateway

LOCAL = Listen()
NAMED = Listen(hosts=frozenset({"lore.example"}), cors_origins=frozenset({"https://chat.example"}))
WIDE = Listen(host="0.0.0.0", hosts=frozenset({"lore.example"}))
TOKENS = (
    Token(owner="max", secret=Secret("t-max")),
    Token(owner="ada", secret=Secret("t-ada"), is_admin=True),
)


def answer_to(headers: dict[str, str], listen: Listen = LOCAL, tokens: tuple[Token, ...] = ()):
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    try:
        return admit(raw, Configuration(listen=listen, tokens=tokens))
    except Refusal as refusal:
        return refusal.code


@pytest.mark.parametrize(
    ("host", "listen", "comes_in"),
    [
        ("127.0.0.1:8111", LOCAL, True),
        ("localhost", LOCAL, True),
        ("LOCALHOST:1", LOCAL, True),
        ("127.9.9.9:8111", LOCAL, True),
        ("[::1]:8111", LOCAL, True),
        ("evil.example", LOCAL, False),
        ("localhost.evil.example:8111", LOCAL, False),
        ("127.0.0.1.evil.example", LOCAL, False),
        ("192.168.0.9:8111", LOCAL, False),
        ("0.0.0.0:8111", LOCAL, False),
        ("", LOCAL, False),
        ("evil.example@localhost", LOCAL, False),
        ("lore.example", LOCAL, False),
        ("lore.example:443", NAMED, True),
        ("Lore.Example", NAMED, True),
        ("192.168.0.9:8111", WIDE, True),
        ("[fe80::1]:8111", WIDE, True),
        ("lore.example", WIDE, True),
        ("evil.example", WIDE, False),
    ],
)
def test_hosts(host, listen, comes_in):
    tokens = TOKENS if listen is WIDE else ()
    headers = {"host": host, "x-lorewright-token": "t-max"}
    found = answer_to(headers, listen, tokens)

    assert isinstance(found, Caller) if comes_in else found == "host_refused"


def test_a_request_has_one_host():
    assert answer_to({}) == "host_refused"
    with pytest.raises(Refusal, match="2 `Host`"):
        admit([(b"host", b"localhost"), (b"host", b"evil.example")], Configuration())


@pytest.mark.parametrize(
    ("origin", "listen", "comes_in"),
    [
        ("http://127.0.0.1:8111", LOCAL, True),  # the page is this server's own
        ("https://127.0.0.1:8111", LOCAL, True),
        ("http://127.0.0.1:3000", LOCAL, False),
        ("http://localhost:8111", LOCAL, False),
        ("null", LOCAL, False),
        ("https://chat.example", LOCAL, False),
        ("https://chat.example", NAMED, True),
        ("http://chat.example", NAMED, False),
        ("https://chat.example.evil.example", NAMED, False),
        ("https://chat.example:8443", NAMED, False),
    ],
)
def test_origins(origin, listen, comes_in):
    found = answer_to({"host": "127.0.0.1:8111", "origin": origin}, listen)

    assert isinstance(found, Caller) if comes_in else found == "origin_refused"


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({}, "token_missing"),
        ({"authorization": "Bearer t-max"}, Caller("max")),
        ({"authorization": "bearer   t-max "}, Caller("max")),
        ({"authorization": "t-max"}, Caller("max")),
        ({"x-api-key": "t-ada"}, Caller("ada", is_admin=True)),
        ({"x-lorewright-token": "t-ada"}, Caller("ada", is_admin=True)),
        ({"authorization": "Bearer sk-own", "x-lorewright-token": "t-max"}, Caller("max")),
        ({"authorization": "Bearer t-ma"}, "token_wrong"),
        ({"authorization": "Bearer t-maxx"}, "token_wrong"),
        ({"authorization": "Basic t-max"}, "token_wrong"),
        ({"authorization": "Bearer "}, "token_missing"),
        ({"authorization": "Bearer é"}, "token_wrong"),
        ({"cookie": "token=t-max"}, "token_missing"),
    ],
)
def test_tokens(headers, found):
    assert answer_to({"host": "localhost", **headers}, tokens=TOKENS) == found


def test_without_tokens_everybody_on_this_computer_is_one_person():
    assert answer_to({"host": "localhost", "authorization": "Bearer anything"}) == Caller("local", is_admin=True)


@given(st.text(max_size=20))
def test_no_name_is_loopback_but_those_that_are(name):
    if is_loopback(name):
        assert name.strip("[]").lower() == "localhost" or name.strip("[]").startswith("127.") or ":" in name


# --- over HTTP


@pytest.fixture
def guarded(fake):
    """A gateway with tokens, a page that may call it, a route for the clients' own keys and a limit of 2,000 bytes."""
    configuration = Configuration(
        listen=NAMED,
        limits=Limits(body_bytes=2000),
        tokens=TOKENS,
        upstreams={"local": Upstream(name="local", base_url=fake.base_url, key=Secret("sk-upstream"))},
        routes={"own": Route(name="own", upstream="local", auth="passthrough"), "m": Route(name="m", upstream="local")},
    )
    with RunningGateway(configuration) as running:
        yield running


PATHS = ["/v1/chat/completions", "/v1/models", "/lorewright/v1/status", "/v1/responses/resp_1", "/nothing"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "token_missing"),
        ({"authorization": "Bearer t-no"}, "token_wrong"),
        ({"authorization": "Bearer t-max", "host": "evil.example"}, "host_refused"),
        ({"authorization": "Bearer t-max", "origin": "https://evil.example"}, "origin_refused"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_address_is_behind_the_door(path, headers, code, guarded, fake):
    for method in ("GET", "POST"):
        answer = guarded.ask(method, path, b'{"model":"m"}' if method == "POST" else b"", headers)
        assert answer.headers["x-lorewright-refused"] == code
        assert answer.status in {401, 403}
        assert "access-control-allow-origin" not in answer.headers
    assert fake.received == []


def test_a_refusal_says_nothing_about_tokens(guarded):
    answer = guarded.ask("GET", "/v1/models", headers={"authorization": "Bearer t-no"})

    assert b"t-max" not in answer.body
    assert b"t-no" not in answer.body


def test_a_page_of_an_allowed_origin_may_ask_and_read(guarded):
    origin = {"origin": "https://chat.example"}
    asked = origin | {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}

    before = guarded.ask("OPTIONS", "/v1/chat/completions", headers=asked)
    answer = guarded.ask("GET", "/v1/models", headers=origin | {"authorization": "Bearer t-max"})

    assert before.status == 204
    assert before.headers["access-control-allow-headers"] == "authorization"
    assert "POST" in before.headers["access-control-allow-methods"]
    for one in (before, answer):
        assert one.headers["access-control-allow-origin"] == "https://chat.example"
    assert answer.status == 200
    assert "access-control-allow-credentials" not in answer.headers


def test_a_page_of_another_origin_learns_nothing(guarded):
    answer = guarded.ask("OPTIONS", "/v1/models", headers={"origin": "https://evil.example"})

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (403, "origin_refused")


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_over_the_limit_is_refused(is_announced, guarded, fake):
    body = json.dumps({"model": "m", "x": "x" * 3000}).encode()
    connection = guarded.connect()
    headers = {"authorization": "Bearer t-max"}
    connection.request("POST", "/v1/chat/completions", body if is_announced else iter([body]), headers)
    reply = connection.getresponse()

    assert reply.status == 413
    assert json.loads(reply.read())["error"]["code"] == "body_too_large"
    assert fake.received == []
    connection.close()


def test_a_compressed_body_is_refused(guarded, fake):
    answer = guarded.post("/v1/chat/completions", b"x", {"authorization": "Bearer t-max", "content-encoding": "gzip"})

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (415, "body_compressed")
    assert fake.received == []


KEYS_UPSTREAM = [
    ({"authorization": "Bearer sk-own", "x-lorewright-token": "t-max"}, ("Bearer sk-own", None)),
    ({"x-api-key": "sk-own", "authorization": "Bearer t-max"}, (None, "sk-own")),
    ({"authorization": "Bearer sk-own", "x-api-key": "t-max"}, ("Bearer sk-own", None)),
]


@pytest.mark.parametrize(("headers", "sent"), KEYS_UPSTREAM)
def test_a_route_may_take_the_clients_own_key_and_never_our_token(headers, sent, guarded, fake):
    guarded.post("/v1/chat/completions", b'{"model":"own"}', headers)

    [request] = fake.received
    assert (request.header("authorization"), request.header("x-api-key")) == sent
    assert "t-max" not in str(request.headers)
    assert "sk-upstream" not in str(request.headers)


def test_a_route_for_own_keys_does_not_lend_ours(guarded, fake):
    answer = guarded.post("/v1/chat/completions", b'{"model":"own"}', {"authorization": "Bearer t-max"})

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (401, "key_missing")
    assert fake.received == []


def test_an_upstream_is_never_chosen_by_a_request(guarded, fake):
    with FakeUpstream() as other:
        body = json.dumps({"model": f"{other.base_url}/m", "base_url": other.base_url}).encode()
        headers = {"authorization": "Bearer t-max", "x-lorewright-route": other.base_url}
        guarded.post("/v1/chat/completions", body, headers)
        guarded.ask("GET", f"{other.base_url}/models", headers=headers)

        assert other.received == []


def test_a_stored_response_is_its_owners(guarded, fake):
    max_, ada = {"authorization": "Bearer t-max"}, {"authorization": "Bearer t-ada"}
    stored = json.loads(guarded.post("/v1/responses", b'{"model":"m","input":"a"}', ada).body)["id"]
    own = json.loads(guarded.post("/v1/responses", b'{"model":"m","input":"b","stream":false}', max_).body)["id"]
    fake.received.clear()

    for path, method in ((stored, "GET"), (stored, "DELETE"), (f"{stored}/cancel", "POST"), ("resp_unknown", "GET")):
        assert guarded.ask(method, f"/v1/responses/{path}", headers=max_).status == 404
    for field in ({"previous_response_id": stored}, {"previous_response_id": "resp_no"}, {"conversation": "conv_1"}):
        answer = guarded.post("/v1/responses", json.dumps({"model": "m", "input": "c", **field}).encode(), max_)
        assert (answer.status, json.loads(answer.body)["error"]["code"]) == (404, "response_not_found")
    assert fake.received == []

    assert guarded.ask("GET", f"/v1/responses/{own}?include=x", headers=max_).status == 200
    assert guarded.ask("DELETE", f"/v1/responses/{own}", headers=ada).status == 200
    body = json.dumps({"model": "m", "input": "c", "previous_response_id": own}).encode()
    assert guarded.post("/v1/responses", body, max_).status == 200
    assert [(one.method, one.target) for one in fake.received] == [
        ("GET", f"/v1/responses/{own}?include=x"),
        ("DELETE", f"/v1/responses/{own}"),
        ("POST", "/v1/responses"),
    ]


def test_the_id_of_a_streamed_response_is_known(guarded, fake):
    max_ = {"authorization": "Bearer t-max"}
    stream = guarded.post("/v1/responses", b'{"model":"m","input":"b","stream":true}', max_).body
    first = json.loads(stream.split(b"\n\n")[0].split(b"data: ")[1])

    assert guarded.ask("POST", f"/v1/responses/{first['response']['id']}/cancel", headers=max_).status == 200


@pytest.mark.parametrize("path", ["..", "%2e%2e", "a%2Fb", "%0a", "a b".replace(" ", "%20"), "x" * 300])
def test_an_odd_id_reaches_no_upstream(path, gateway, fake):
    assert gateway.ask("GET", f"/v1/responses/{path}").status in {404, 405}
    assert fake.received == []


def test_nobody_switches_a_gate_off_by_a_fault_in_weaving(fake):
    class Raises:
        def weave(self, request, stage):
            raise MemoryError

    configuration = Configuration(
        tokens=TOKENS,
        upstreams={"local": Upstream(name="local", base_url=fake.base_url)},
        routes={"m": Route(name="m", upstream="local")},
    )
    fake.usually(Plan(pieces=(b"{}",)))
    with RunningGateway(replace(configuration), Raises()) as running:
        assert running.post("/v1/chat/completions", b'{"model":"m"}').status == 401
        assert running.post("/v1/chat/completions", b'{"model":"m"}', {"x-api-key": "t-max"}).status == 200
