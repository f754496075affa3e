"""What passes through: bytes as they come, statuses, headers by lists; and what the upstream gets."""

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.gateway.configuration import Configuration, Route, Secret, Upstream
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway

CHAT = "/v1/chat/completions"
BODY = b'{ "model" : "m",\r\n  "messages": [{"role":"user","content":"\\u0041 \\" {"}],  "x":1e400, "odd" : [ ] }\n'


@pytest.mark.parametrize("endpoint", ENDPOINTS.values(), ids=lambda one: one.name)
def test_a_body_goes_upstream_byte_for_byte(endpoint, gateway, fake):
    fake.usually(Plan(pieces=(b"ok",)))

    answer = gateway.post(endpoint.path, BODY)

    assert (answer.status, answer.body) == (200, b"ok")
    assert [(one.method, one.target, one.body) for one in fake.received] == [("POST", endpoint.path, BODY)]


def test_a_route_changes_the_name_of_the_model_and_nothing_else(gateway, fake):
    gateway.post(CHAT, BODY.replace(b'"m"', b'"aria"'))

    assert fake.received[0].body == BODY


PIECES = st.lists(st.binary(min_size=1, max_size=40), max_size=12)


@given(pieces=PIECES, kind=st.sampled_from(["text/event-stream", "application/json", "application/octet-stream"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_reply_comes_back_byte_for_byte(pieces, kind, gateway, fake):
    fake.plan(Plan(pieces=tuple(pieces), content_type=kind))

    answer = gateway.post(CHAT, BODY)

    assert answer.body == b"".join(pieces)
    assert answer.headers["content-type"] == kind


def test_keep_alives_comments_and_error_events_stay_in_a_stream(gateway, fake):
    pieces = (
        b": hello\n\n",
        b"data: {}\r\n\r\n",
        b"\n",
        b'event: error\ndata: {"x":',
        b"1}\n\n",
        b"data: [DONE]\n\n",
        b"tail",
    )
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream"))

    assert gateway.post(CHAT, BODY).body == b"".join(pieces)


def test_the_first_piece_of_a_stream_comes_before_the_rest_is_there(gateway, fake):
    fake.plan(Plan(pieces=(b"data: 1\n\n", b"data: 2\n\n"), fault="hang", after_pieces=1))
    connection = gateway.connect()
    connection.request("POST", CHAT, BODY, {"content-type": "application/json"})

    reply = connection.getresponse()
    first = reply.read(9)
    connection.close()

    assert first == b"data: 1\n\n"


def test_a_compressed_reply_stays_compressed(gateway, fake):
    packed = gzip.compress(b'{"a": 1}', mtime=0)
    fake.plan(Plan(pieces=(packed,), headers=(("content-encoding", "gzip"),)))

    answer = gateway.post(CHAT, BODY, {"accept-encoding": "br, gzip;q=0.5, zstd"})

    assert answer.body == packed
    assert answer.headers["content-encoding"] == "gzip"
    assert fake.received[0].header("accept-encoding") == "gzip;q=0.5"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503, 529])
def test_an_error_of_the_upstream_is_what_the_client_gets(status, gateway, fake):
    fake.plan(Plan(status=status, pieces=(b'{"error": "as ', b'it was"}'), headers=(("Retry-After", "7"),)))

    answer = gateway.post(CHAT, BODY)

    assert (answer.status, answer.body) == (status, b'{"error": "as it was"}')
    assert answer.headers["retry-after"] == "7"
    assert len(fake.received) == 1, "the gateway sends nothing twice"


def test_headers_upstream_are_those_of_the_list(gateway, fake):
    passed = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "anthropic-beta": "a,b",
        "anthropic-version": "2023-06-01",
        "openai-organization": "org",
        "openai-beta": "x=1",
        "idempotency-key": "k",
    }
    kept_here = {
        "cookie": "a=b",
        "authorization": "Bearer sk-client",
        "x-api-key": "sk-client",
        "x-forwarded-for": "1.2.3.4",
        "forwarded": "for=1.2.3.4",
        "te": "trailers",
        "proxy-authorization": "Basic x",
        "x-stainless-os": "Linux",
        "x-lorewright-conversation": "one",
        "x-lorewright-token": "t",
        "user-agent": "client/1",
        "referer": "http://localhost/chat",
        "accept-language": "en",
    }

    gateway.post(CHAT, BODY, passed | kept_here)

    sent = dict(fake.received[0].headers)
    own = {"host", "content-length", "accept-encoding", "user-agent"}
    assert {name: value for name, value in sent.items() if name not in own} == passed
    assert sent["user-agent"] == "lorewright"
    assert sent["accept-encoding"] == "identity"


def test_the_query_of_an_address_stays_here(gateway, fake):
    """Clients write keys into it."""
    assert gateway.post(f"{CHAT}?beta=true&key=secret", BODY).status == 200
    assert fake.received[0].target == CHAT


def test_headers_of_a_reply_are_those_of_the_list(gateway, fake):
    headers = (
        *(("X-Request-Id", "r"), ("x-ratelimit-remaining-tokens", "5"), ("OpenAI-Version", "v")),
        *(("anthropic-ratelimit-requests-limit", "1"), ("Set-Cookie", "a=b"), ("Server", "nginx"), ("Via", "x")),
        *(("Access-Control-Allow-Origin", "*"), ("Strict-Transport-Security", "max-age=1"), ("X-Odd", "1")),
    )
    fake.plan(Plan(pieces=(b"{}",), headers=headers))

    answer = gateway.post(CHAT, BODY)

    known = {"content-type", "date", "transfer-encoding", "connection"}
    assert {name: value for name, value in answer.headers.items() if name not in known} == {
        "x-request-id": "r",
        "x-ratelimit-remaining-tokens": "5",
        "openai-version": "v",
        "anthropic-ratelimit-requests-limit": "1",
        "x-lorewright-route": "any; default",
    }


def test_a_redirect_is_not_followed_and_does_not_reach_the_client(gateway, fake):
    fake.plan(Plan(status=307, pieces=(b"",), headers=(("Location", f"{fake.base_url}/elsewhere"),)))

    answer = gateway.post(CHAT, BODY)

    assert (answer.status, answer.headers.get("x-lorewright-refused")) == (502, "upstream_redirect"), answer
    assert "location" not in answer.headers
    assert len(fake.received) == 1


def test_a_huge_reply_passes_without_being_kept(gateway, fake):
    piece = bytes(1024 * 1024)
    fake.plan(Plan(pieces=(piece,) * 32, content_type="application/octet-stream"))

    assert len(gateway.post(CHAT, BODY).body) == 32 * len(piece)


def test_the_key_of_the_upstream_is_sent_and_not_the_clients(fake):
    key = Secret("sk-upstream")
    upstreams = {
        "o": Upstream(name="o", base_url=fake.base_url, key=key),
        "a": Upstream(name="a", base_url=fake.base_url, kind="anthropic", apis=frozenset({"messages"}), key=key),
    }
    routes = {name: Route(name=name, upstream=name) for name in upstreams}
    with RunningGateway(Configuration(upstreams=upstreams, routes=routes)) as gateway:
        for path, model in ((CHAT, "o"), ("/v1/messages", "a")):
            body = json.dumps({"model": model, "messages": []}).encode()
            gateway.post(path, body, {"authorization": "Bearer sk-client", "x-api-key": "sk-client"})

    found = [(one.header("authorization"), one.header("x-api-key")) for one in fake.received]
    assert found == [("Bearer sk-upstream", None), (None, "sk-upstream")]
