"""What a weaver is asked, and what happens whatever it does: the client's request always arrives."""

import json
import threading
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import Limits, Secret, Token
from lorewright.gateway.safety import Caller
from lorewright.gateway.weaver import Woven
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway

CHAT = "/v1/chat/completions"
BODY = b'{ "model":"aria", "messages": [{"role":"user","content":"\\u0041"}] }'
SENT = BODY.replace(b'"aria"', b'"m"')


class Weaver:
    """Does what `do` says, and keeps what it was asked."""

    def __init__(self, do=lambda request, _: Woven(body=request.body)):
        self.do = do
        self.asked = []

    def weave(self, request, stage):
        self.asked.append(request)
        return self.do(request, stage)

    def close(self):
        pass


class Ear:
    def __init__(self, fails_in=None):
        self.told = []
        self.ended = threading.Event()
        self.fails_in = fails_in

    def _hear(self, name, *what):
        self.told.append((name, *what))
        if name == self.fails_in:
            raise RuntimeError(name)

    def start(self, status, headers):
        self._hear("start", status)

    def hear(self, piece):
        self._hear("hear", piece)

    def end(self, ending):
        self.ended.set()
        self._hear("end", ending)

    @property
    def heard(self):
        return b"".join(rest[0] for name, *rest in self.told if name == "hear")


@pytest.fixture
def loom(configuration):
    """A gateway with a weaver that tests replace."""
    weaver = Weaver()
    with RunningGateway(replace(configuration, limits=Limits(weave_seconds=0.5)), weaver) as running:
        yield running, weaver


def test_what_is_woven_is_what_is_sent(loom, fake):
    gateway, weaver = loom
    weaver.do = lambda request, _: Woven(body=b'{"woven":1}', turn="t-1", headers=((b"x-lorewright-dropped", b"n"),))

    answer = gateway.post(CHAT, BODY, {"x-lorewright-conversation": "isles"})

    assert fake.received[0].body == b'{"woven":1}'
    assert answer.headers["x-lorewright-turn"] == "t-1"
    assert answer.headers["x-lorewright-dropped"] == "n"
    [asked] = weaver.asked
    assert (asked.endpoint, asked.body, asked.route.name, asked.upstream.name) == ("chat", SENT, "aria", "local")
    assert (asked.caller, asked.conversation) == (Caller("local", is_admin=True), "isles")


def test_the_caller_is_the_owner_of_the_token(fake, configuration):
    weaver = Weaver()
    tokens = (Token(owner="max", secret=Secret("t-max")),)
    with RunningGateway(replace(configuration, tokens=tokens), weaver) as gateway:
        gateway.post(CHAT, BODY, {"authorization": "Bearer t-max"})

    assert weaver.asked[0].caller == Caller("max")
    assert weaver.asked[0].conversation is None


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/embeddings"])
def test_what_is_no_conversation_is_not_woven(path, loom, fake):
    gateway, weaver = loom
    fake.plan(Plan(pieces=(b"{}",)))

    assert gateway.post(path, BODY).status == 200
    assert weaver.asked == []
    assert fake.received[0].body == SENT


def test_weaving_is_switched_off_by_a_header_or_a_route(loom, fake):
    gateway, weaver = loom
    routes = gateway.service.configuration.routes
    gateway.post(CHAT, BODY, {"x-lorewright-mode": "off"})
    silent = {**routes, "aria": replace(routes["aria"], weave=False)}
    gateway.service.configuration = replace(gateway.service.configuration, routes=silent)
    gateway.post(CHAT, BODY)

    assert weaver.asked == []
    assert [one.body for one in fake.received] == [SENT, SENT]


@pytest.mark.parametrize("word", ["of", "Off", "on", ""])
def test_a_mode_that_is_none_is_refused(word, loom, fake):
    gateway, weaver = loom
    answer = gateway.post(CHAT, BODY, {"x-lorewright-mode": word})

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (400, "mode_unknown")
    assert "Say `off`" in json.loads(answer.body)["error"]["message"]
    assert weaver.asked == fake.received == []


def test_a_route_says_which_messages_are_not_woven(configuration):
    route = replace(configuration.routes["any"], weave_off=("### Task:*", "*[[]title]*"))

    assert route.weaves("Where are we?")
    assert not route.weaves("### Task:\nWrite a title.")
    assert not route.weaves("Make a [title] of\nthis.")
    assert not replace(route, weave=False).weaves("Where are we?")


RELEASE = threading.Event()


def raises(error):
    def do(_, stage):
        stage.name = "assemble"
        raise error

    return do


def hangs(_, stage):
    stage.name = "assemble"
    RELEASE.wait(20)
    return Woven(body=b"too late")


FAULTS = {
    "raises": raises(ValueError("the chat says: secret")),
    "memory": raises(MemoryError()),
    "recursion": raises(RecursionError()),
    "timeout": raises(TimeoutError()),
    "stop": raises(StopIteration()),
    "exit": raises(SystemExit(3)),
    "interrupt": raises(KeyboardInterrupt()),
    "hangs": hangs,
}


@pytest.mark.parametrize("path", [CHAT, "/v1/messages", "/v1/responses", "/v1/messages/count_tokens"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_weaver_that_fails_costs_nothing_but_a_header(fault, path, loom, fake, caplog):
    gateway, weaver = loom
    weaver.do = FAULTS[fault]
    before = gateway.service.status.not_woven["assemble"]
    RELEASE.clear()
    try:
        answer = gateway.post(path, BODY)
    finally:
        RELEASE.set()

    assert answer.status == 200
    assert answer.headers["x-lorewright-error"] == "assemble"
    assert "x-lorewright-turn" not in answer.headers
    assert fake.received[0].body == SENT
    assert gateway.service.status.not_woven["assemble"] == before + 1
    assert "secret" not in caplog.text


def test_a_thread_that_comes_back_late_changes_nothing(loom, fake):
    gateway, weaver = loom
    told = []
    done = threading.Event()

    def late(request, stage):
        RELEASE.wait(20)
        told.append(stage.given_up)
        done.set()
        return Woven(body=b"too late")

    RELEASE.clear()
    weaver.do = late
    gateway.post(CHAT, BODY)
    RELEASE.set()

    assert done.wait(5)
    assert told == [True]
    weaver.do = lambda request, _: Woven(body=request.body)
    assert "x-lorewright-error" not in gateway.post(CHAT, BODY).headers
    assert [one.body for one in fake.received] == [SENT, SENT]


def test_threads_that_never_come_back_do_not_take_the_places_of_others(configuration, fake):
    """More hang than there are places, and more than may be lost; then they end, and weaving goes on."""
    weaver = Weaver(hangs)
    RELEASE.clear()
    limits = Limits(weave_seconds=0.05)
    with RunningGateway(replace(configuration, limits=limits), weaver) as gateway:
        for _ in range(40):
            assert gateway.post(CHAT, BODY).headers["x-lorewright-error"] in {"assemble", "weave"}
        assert len(weaver.asked) == 32
        RELEASE.set()
        weaver.do = lambda request, _: Woven(body=request.body)
        while "x-lorewright-error" in gateway.post(CHAT, BODY).headers:
            pass
    assert {one.body for one in fake.received} == {SENT}


# --- who listens to the reply


def test_a_listener_hears_the_reply_as_it_comes(loom, fake):
    gateway, weaver = loom
    ear = Ear()
    weaver.do = lambda request, _: Woven(body=request.body, listener=ear)
    fake.plan(Plan(status=429, pieces=(b"a", b"b", b"c"), between_seconds=0.01))

    gateway.post(CHAT, BODY)

    assert ear.ended.wait(5)
    assert ear.told[0] == ("start", 429)
    assert ear.heard == b"abc"
    assert ear.told[-1] == ("end", "complete")


@pytest.mark.parametrize("fails_in", ["start", "hear", "end"])
def test_a_listener_that_fails_is_not_asked_again(fails_in, loom, fake):
    gateway, weaver = loom
    ear = Ear(fails_in)
    weaver.do = lambda request, _: Woven(body=request.body, listener=ear)
    fake.plan(Plan(pieces=(b"a", b"b")))

    assert gateway.post(CHAT, BODY).body == b"ab"
    assert [name for name, *_ in ear.told].count(fails_in) == 1
    assert ear.told[-1][0] == fails_in


@pytest.mark.parametrize("before_head", [True, False])
def test_a_listener_is_told_of_a_broken_reply(before_head, loom, fake):
    gateway, weaver = loom
    ear = Ear()
    weaver.do = lambda request, _: Woven(body=request.body, listener=ear)
    plan = Plan(pieces=(b"data: 1\n\n",), content_type="text/event-stream", fault="cut", after_pieces=1)
    fake.plan(replace(plan, before_head=before_head))

    gateway.post(CHAT, BODY)

    assert ear.ended.wait(5)
    assert [name for name, *_ in ear.told] == (["end"] if before_head else ["start", "hear", "end"])
    assert ear.told[-1] == ("end", "interrupted")


@pytest.mark.parametrize("before_head", [True, False])
def test_a_listener_is_told_of_a_client_that_left(before_head, loom, fake):
    gateway, weaver = loom
    ear = Ear()
    weaver.do = lambda request, _: Woven(body=request.body, listener=ear)
    fake.plan(Plan(pieces=(b"data: 1\n\n",), fault="hang", after_pieces=1, before_head=before_head))
    connection = gateway.connect()
    connection.request("POST", CHAT, BODY)
    assert not ear.ended.wait(0.2)
    connection.close()

    assert ear.ended.wait(5)
    assert ear.told[-1] == ("end", "client_gone")


# --- the usage that the client did not ask for

STREAM = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}).encode()
USAGE = b'data: {"id":"1","choices":[],"usage":{"prompt_tokens":5}}\n\n'
OTHERS = (
    b': hello\n\ndata: {"choices":[{"delta":{"content":"\\"usage\\""}}],"usage":null}\n\n',
    b'data: {"choices":[],"usage":null}\r\n\r\n',
    b'data: {"choices":[{"index":0}],"usage":{"prompt_tokens":5}}\n\n',
    b'data: {"choices":[] "usage":{}}\n\ndata: "usage" "choices"\n\n',
)
END = (b"data: [DONE]\n\n", b"tail")


@pytest.fixture
def asking(configuration, upstream, gateway):
    counting = replace(upstream, usage_in_stream=True)
    gateway.service.configuration = replace(configuration, upstreams={"local": counting})
    return gateway


@pytest.mark.parametrize("cut", [1, 7, 1000])
def test_the_chunk_of_usage_is_taken_out_and_nothing_else(cut, asking, fake):
    whole = b"".join((*OTHERS, USAGE, *END))
    pieces = tuple(whole[at : at + cut] for at in range(0, len(whole), cut))
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream"))

    answer = asking.post(CHAT, STREAM, {"accept-encoding": "gzip"})

    assert answer.body == b"".join((*OTHERS, *END))
    assert fake.received[0].json == {**json.loads(STREAM), "stream_options": {"include_usage": True}}
    assert fake.received[0].body.endswith(STREAM[1:])
    assert fake.received[0].header("accept-encoding") == "identity"


def test_a_listener_hears_the_usage(configuration, upstream, fake):
    ear = Ear()
    weaver = Weaver(lambda request, _: Woven(body=request.body, listener=ear))
    counting = replace(configuration, upstreams={"local": replace(upstream, usage_in_stream=True)})
    fake.plan(Plan(pieces=(OTHERS[0], USAGE), content_type="text/event-stream"))
    with RunningGateway(counting, weaver) as gateway:
        assert gateway.post(CHAT, STREAM).body == OTHERS[0]

    assert ear.heard == OTHERS[0] + USAGE
    assert b"include_usage" in weaver.asked[0].body


@pytest.mark.parametrize(
    "more",
    [
        {"stream_options": {"include_usage": True}},
        {"stream_options": 3},
        {"stream": False},
        {"stream": None},
    ],
)
def test_usage_is_left_alone(more, asking, fake):
    body = json.dumps({**json.loads(STREAM), **more}).encode()
    fake.plan(Plan(pieces=(OTHERS[0], USAGE), content_type="text/event-stream"))

    assert asking.post(CHAT, body).body == OTHERS[0] + USAGE
    assert fake.received[0].body == body


@pytest.mark.parametrize("options", [{"include_usage": False, "x": 1}, {}, None])
def test_options_that_do_not_ask_are_kept(options, asking, fake):
    body = json.dumps({**json.loads(STREAM), "stream_options": options}).encode()

    asking.post(CHAT, body)

    assert fake.received[0].json["stream_options"] == {**(options or {}), "include_usage": True}


def test_an_upstream_that_was_not_said_to_tell_its_usage_is_not_asked(gateway, fake):
    fake.plan(Plan(pieces=(USAGE,), content_type="text/event-stream"))

    assert gateway.post(CHAT, STREAM).body == USAGE
    assert fake.received[0].body == STREAM


def test_an_error_body_passes_whole_when_usage_was_asked_for(asking, fake):
    fake.plan(Plan(status=400, pieces=(USAGE,), content_type="application/json"))

    assert asking.post(CHAT, STREAM).body == USAGE
