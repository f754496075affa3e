"""Which upstream a name leads to, and under which name; over HTTP what a client is told if none does."""

import json
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import Configuration, Route, Upstream
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.routing import choose, needs_list
from lorewright.testing.fake_upstream import FakeUpstream, Plan
from tests.gateway.running import RunningGateway

UPSTREAMS = {
    "a": Upstream(name="a", base_url="http://a/v1", models=("gpt-*", "o1")),
    "b": Upstream(name="b", base_url="http://b/v1", models=("gpt-4*", "b-*")),
}
ROUTES = {
    "aria": Route(name="aria", upstream="a", model="gpt-4o", books=()),
    "aria@b": Route(name="aria@b", upstream="b", model="b-1"),
    "open": Route(name="open", upstream="b"),
    "b-7": Route(name="b-7", upstream="a", model="x"),
}
LISTED = {"listed": "b", "o1": "b", "gone": "c"}
PLAIN = Configuration(upstreams=UPSTREAMS, routes=ROUTES)


@pytest.mark.parametrize(
    ("model", "default", "found"),
    [
        ("aria", None, ("aria", "a", "gpt-4o")),
        ("aria@b", None, ("aria@b", "b", "b-1")),
        ("aria@mirror", None, ("aria", "mirror", "gpt-4o")),
        ("mirror", None, ("mirror", "mirror", "mirror")),
        ("mirror", "aria", ("aria", "mirror", "gpt-4o")),
        ("open", None, ("open", "b", "open")),
        ("b-7", None, ("b-7", "a", "x")),  # a route comes before a pattern
        ("gpt-4o", None, ("a", "a", "gpt-4o")),  # the first upstream that claims it
        ("b-1", None, ("b", "b", "b-1")),
        ("listed", None, ("b", "b", "listed")),
        ("o1", None, ("a", "a", "o1")),  # a pattern comes before a list
        ("gone", None, None),
        ("nothing", None, None),
        ("nothing@mirror", None, None),
        ("nothing", "aria", ("aria", "a", "gpt-4o")),
        ("nothing", "open", ("open", "b", "nothing")),
        ("gpt-9", "aria", ("aria", "a", "gpt-9")),  # the default's lore, and the model that was asked for
        ("listed", "aria", ("b", "b", "listed")),  # somewhere else: a plain way
    ],
)
def test_choices(model, default, found):
    configuration = replace(PLAIN, default_route=default)
    if found is None:
        with pytest.raises(Refusal) as caught:
            choose(model, configuration, LISTED)
        assert caught.value.code == "model_not_found"
        assert "Known: aria, aria@b, open, b-7, mirror, gpt-*" in caught.value.message
        return
    choice = choose(model, configuration, LISTED)
    assert (choice.route.name, choice.upstream.name, choice.model) == found


@pytest.mark.parametrize(
    ("model", "default", "header"),
    [
        ("aria", None, b"aria"),
        ("aria", "open", b"aria"),
        ("arai", "aria", b"aria; default"),
        ("aria@mirror", "aria", b"aria"),
        ("gpt-9", "aria", b"aria"),  # the upstream of the default route has it
        ("gpt-9", None, b"a"),
        ("listed", "aria", b"b"),
    ],
)
def test_a_reply_says_which_route_it_took(model, default, header):
    choice = choose(model, replace(PLAIN, default_route=default), LISTED)

    assert choice.header == (b"x-lorewright-route", header)


@pytest.mark.parametrize(
    ("name", "header"), [("海", b"%E6%B5%B7"), ("a;b, c%", b"a%3Bb%2C c%25"), ("aria@claude", b"aria@claude")]
)
def test_a_name_that_is_no_header_is_encoded(name, header):
    routes = {name: Route(name=name, upstream="a")}

    assert choose(name, replace(PLAIN, routes=routes), {}).header[1] == header


def test_a_model_without_a_route_is_not_woven_but_on_the_way_of_the_default():
    assert not choose("gpt-9", PLAIN, {}).route.weave
    assert choose("gpt-9", replace(PLAIN, default_route="aria"), {}).route.weave


@pytest.mark.parametrize(
    ("model", "default", "needs"),
    [("aria", None, False), ("gpt-4", None, False), ("mirror", None, False), ("x", None, True), ("x", "aria", True)],
)
def test_upstreams_are_asked_only_if_it_matters(model, default, needs):
    assert needs_list(model, replace(PLAIN, default_route=default)) is needs


def test_one_upstream_with_a_default_is_never_asked():
    one = Configuration(upstreams={"a": UPSTREAMS["a"]}, routes=ROUTES, default_route="aria")

    assert not needs_list("x", one)


# --- over HTTP


@pytest.fixture
def second():
    with FakeUpstream(models=("n", "m")) as running:
        yield running


@pytest.fixture
def two(fake, second):
    configuration = Configuration(
        upstreams={
            "one": Upstream(name="one", base_url=fake.base_url),
            "two": Upstream(name="two", base_url=second.base_url),
            "off": Upstream(name="off", base_url="http://127.0.0.1:9/v1"),
        },
        routes={"aria": Route(name="aria", upstream="one", model="m")},
    )
    with RunningGateway(configuration) as running:
        yield running


def test_a_misspelt_model_is_seen_in_the_reply(gateway):
    answers = [gateway.post("/v1/chat/completions", b'{"model":"%s"}' % name) for name in (b"aria", b"arai")]

    assert [answer.headers["x-lorewright-route"] for answer in answers] == ["aria", "any; default"]


def test_models_are_sent_where_they_are_listed(two, fake, second):
    for model in ("m", "n", "aria"):
        assert two.post("/v1/chat/completions", json.dumps({"model": model}).encode()).status == 200

    assert [one.json["model"] for one in fake.received] == ["m", "m"]
    assert [one.json["model"] for one in second.received] == ["n"]


def test_an_unknown_model_is_told_in_the_shape_of_the_api(two, fake, second):
    openai = two.post("/v1/chat/completions", b'{"model":"x"}')
    anthropic = two.post("/v1/messages", b'{"model":"x"}')

    assert (openai.status, anthropic.status) == (404, 404)
    error = json.loads(openai.body)["error"]
    assert (error["code"], error["param"], error["type"]) == ("model_not_found", "model", "invalid_request_error")
    assert "Known: aria, mirror, m, n" in error["message"]
    assert json.loads(anthropic.body) == {
        "type": "error",
        "error": {"type": "not_found_error", "message": error["message"]},
    }
    assert openai.headers["x-lorewright-refused"] == "model_not_found"
    assert fake.received == second.received == []


def test_lists_of_models_have_two_shapes(two):
    openai = json.loads(two.ask("GET", "/v1/models").body)
    anthropic = json.loads(two.ask("GET", "/v1/models", headers={"anthropic-version": "2023-06-01"}).body)

    assert [(one["id"], one["owned_by"]) for one in openai["data"]] == [
        *(("aria", "lorewright"), ("mirror", "lorewright"), ("m", "one"), ("n", "two"))
    ]
    assert [one["id"] for one in anthropic["data"]] == ["aria", "mirror", "m", "n"]
    assert (anthropic["first_id"], anthropic["last_id"], anthropic["has_more"]) == ("aria", "n", False)
    assert json.loads(two.ask("GET", "/v1/models/n").body)["owned_by"] == "two"
    assert two.ask("GET", "/v1/models/x").status == 404


@pytest.mark.parametrize(
    "listed", [b"", b"[]", b"null", b'{"data": 3}', b'{"data": [3, {"id": 3}, {"id": ""}]}', b"[" * 100_000, b"\xff"]
)
def test_a_list_that_is_none_lists_nothing(listed):
    from lorewright.gateway.models import _names_in

    assert _names_in(listed) == ()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "body_invalid"),
        (b"[]", "body_invalid"),
        (b"{", "body_invalid"),
        (b"{}", "model_missing"),
        (b'{"model": 3}', "model_missing"),
        (b'{"model": ""}', "model_missing"),
        (b'{"model": "a\\nb"}', "model_missing"),
        (b'{"model": x}', "body_invalid"),
        (b'{"model": "' + b"x" * 300 + b'"}', "model_missing"),
    ],
)
def test_a_body_without_a_model_is_refused(body, code, gateway, fake):
    answer = gateway.post("/v1/chat/completions", body)

    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, code)
    assert fake.received == []


def test_an_api_that_the_upstream_does_not_speak_is_refused(configuration, upstream, fake):
    silent = replace(upstream, apis=frozenset({"chat", "completions"}))
    with RunningGateway(replace(configuration, upstreams={"local": silent})) as running:
        answer = running.post("/v1/embeddings", b'{"model":"aria"}')

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (404, "api_not_spoken")
    assert "It speaks: chat, completions." in json.loads(answer.body)["error"]["message"]
    assert fake.received == []


def test_tokens_are_counted_by_the_upstream_or_not_at_all(two, fake):
    """What a client reads as the provider's number is never an estimate."""
    answer = two.post("/v1/messages/count_tokens", b'{"model":"aria","messages":[{"role":"user","content":"Hello"}]}')

    said = json.loads(answer.body)
    assert (answer.status, answer.headers["x-lorewright-refused"]) == (404, "tokens_not_counted")
    assert (said["type"], said["error"]["type"]) == ("error", "not_found_error")
    assert "`one`" in said["error"]["message"]
    assert "estimate" in said["error"]["message"]
    assert fake.received == []


def test_the_last_of_two_names_counts_and_both_are_replaced(gateway, fake):
    gateway.post("/v1/chat/completions", b'{"model":"x","model":"aria"}')

    assert fake.received[0].body == b'{"model":"m","model":"m"}'


@pytest.mark.parametrize(
    ("method", "path", "code", "status"),
    [
        ("GET", "/", "not_found", 404),
        ("GET", "/v1", "not_found", 404),
        ("GET", "/v1/models2", "not_found", 404),
        ("POST", "/v1/chat/completions/", "not_found", 404),
        ("GET", "/v1/chat/completions", "method_not_allowed", 405),
        ("DELETE", "/v1/models", "method_not_allowed", 405),
        ("PATCH", "/v1/responses/resp_1", "method_not_allowed", 405),
    ],
)
def test_what_is_not_there(method, path, code, status, gateway):
    answer = gateway.ask(method, path)

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (status, code)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/chat/completions", "/v1/chat/completions"),
        ("/completions", "/v1/completions"),
        ("/v1/v1/messages", "/v1/messages"),
        ("/v1/messages/", "/v1/messages"),
        ("/models", "/v1/models"),
    ],
)
def test_an_address_with_a_wrong_base_url_is_told_the_right_one(path, meant, gateway):
    error = json.loads(gateway.ask("GET", path).body)["error"]

    assert f"`{meant}`" in error["message"]
    assert "base URL" in error["message"]


def test_what_is_not_there_in_the_other_shape(gateway):
    answer = gateway.ask("GET", "/v1/nothing", headers={"anthropic-version": "2023-06-01"})

    assert json.loads(answer.body)["error"]["type"] == "not_found_error"


def test_a_model_that_was_asked_for_goes_to_the_one_upstream_there_is(gateway, fake):
    fake.plan(Plan(pieces=(b"{}",)))

    assert gateway.post("/v1/chat/completions", b'{"model":"whatever"}').status == 200
    assert fake.received[0].body == b'{"model":"whatever"}'
