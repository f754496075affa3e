"""Replies of a real server, and requests that real servers take, on their way through."""

import itertools
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from lorewright.testing.fake_upstream import Plan
from tests.providers.conversations import ENDS, STEPS, SYSTEMS, chat_of, messages_of, responses_of
from tests.providers.validator import problems_of_chat, problems_of_messages, problems_of_responses

GOLDEN = Path(__file__).resolve().parents[1] / "providers" / "golden" / "llamacpp"
NAMES = sorted(path.name.removesuffix(".meta.json") for path in GOLDEN.glob("*.meta.json"))
STREAMS = [name for name in NAMES if "-stream" in name]
SPLITS = 200


def read(name):
    asked = json.loads((GOLDEN / f"{name}.request.json").read_text("utf-8"))
    meta = json.loads((GOLDEN / f"{name}.meta.json").read_text("utf-8"))
    body = asked["body"].get("template", asked["body"])  # one body is described, not written out
    return asked["path"], json.dumps(body).encode(), meta, (GOLDEN / f"{name}.response.bin").read_bytes()


def plan_of(meta, pieces):
    return Plan(status=meta["status"], content_type=meta["headers"]["content-type"], pieces=tuple(pieces))


def cut(data, places):
    ends = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(ends)]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_reply_passes(name, gateway, fake):
    path, body, meta, reply = read(name)
    fake.plan(plan_of(meta, [reply]))

    answer = gateway.post(path, body)

    assert (answer.status, answer.headers["content-type"]) == (meta["status"], meta["headers"]["content-type"])
    assert answer.body == reply
    assert fake.received[0].body == body


@pytest.mark.parametrize("name", STREAMS)
def test_a_golden_stream_passes_byte_by_byte(name, gateway, fake):
    path, body, meta, reply = read(name)
    fake.plan(plan_of(meta, cut(reply, range(1, len(reply)))))

    assert gateway.post(path, body).body == reply


@pytest.fixture
def asking(configuration, upstream, gateway):
    gateway.service.configuration = replace(configuration, upstreams={"local": replace(upstream, usage_in_stream=True)})
    return gateway


def without_usage(reply):
    """The stream without the event that has no choices and the usage, told apart by hand."""
    events = reply.split(b"\n\n")
    return b"\n\n".join(one for one in events if not (b'"choices":[]' in one and b'"usage":{' in one))


CHAT = [name for name in STREAMS if "-chat-" in name]


@pytest.mark.parametrize("name", CHAT)
def test_a_golden_chat_without_its_usage_however_it_is_cut(name, asking, fake):
    path, body, meta, reply = read(name)
    said = json.loads(body)
    said.pop("stream_options", None)
    expected = without_usage(reply)
    draw = random.Random(name)
    for _ in range(SPLITS // len(CHAT)):
        places = draw.sample(range(1, len(reply)), draw.randrange(1, 40))
        fake.plan(plan_of(meta, cut(reply, places)))
        assert asking.post(path, json.dumps(said).encode()).body == expected
    fake.plan(plan_of(meta, cut(reply, range(1, len(reply)))))
    assert asking.post(path, json.dumps(said).encode()).body == expected


def test_some_golden_chat_has_usage_to_take_out():
    assert any(without_usage(read(name)[3]) != read(name)[3] for name in CHAT)


APIS = {
    "chat": ("/v1/chat/completions", chat_of, problems_of_chat),
    "messages": ("/v1/messages", messages_of, problems_of_messages),
    "responses": ("/v1/responses", responses_of, problems_of_responses),
}


@pytest.mark.parametrize("name", APIS)
@given(steps=STEPS, end=ENDS, system=SYSTEMS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_conversation_reaches_a_strict_server_as_it_was(name, steps, end, system, gateway, fake):
    path, make, problems_of = APIS[name]
    fake.received.clear()
    fake.check = lambda request: "; ".join(problems_of(request.json)) or None
    body = json.dumps({**make(steps, end, system), "model": "aria"}).encode()

    answer = gateway.post(path, body)

    assert answer.status == 200, answer.body
    assert fake.received[0].body == body.replace(b'"model": "aria"', b'"model": "m"')


def test_a_strict_server_refuses(gateway, fake):
    fake.check = lambda request: "; ".join(problems_of_chat(request.json)) or None

    answer = gateway.post("/v1/chat/completions", b'{"model":"aria","messages":[{"role":"tool","content":"x"}]}')

    assert answer.status == 400
    assert b"without a call" in answer.body
