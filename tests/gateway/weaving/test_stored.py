"""Responses that go on from a stored one: the upstream has the history, the ledger has it, and only what is new is sent."""

import json
from dataclasses import replace
from typing import Any

import pytest

from lorewright.errors import LorewrightError
from lorewright.gateway.configuration import BookFile, Secret, Token
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.gateway.weaving.stored_history import items_said
from lorewright.gateway.weaving.streams import stream_of
from lorewright.ledger.erase import erase, find_reply
from lorewright.ledger.events import ReplyReceived
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway

TOWN = "Saltwick is a harbour town."
BELL = "The bell of Saltwick rings by itself."
REEF = "On the reef stand seven wrecks."
GALE = "In a gale nobody sails."
ENTRIES = [
    {"uid": 0, "constant": True, "content": TOWN},
    {"uid": 1, "keys": ["bell"], "content": BELL, "order": 1},
    {"uid": 2, "keys": ["gale"], "content": GALE, "order": 2},
    {"uid": 3, "keys": ["reef"], "content": REEF, "position": 4, "depth": 2},
]
REPLY = "A gale rises over the isles."
"""What the fake answers if nothing else is planned."""


@pytest.fixture
def world(world, tmp_path):
    """As it was, with an admin, who may go on from what this process does not know."""
    book = tmp_path / "saltwick.json"
    book.write_text(json.dumps({"lorewright": 1, "name": "saltwick", "entries": ENTRIES}), "utf-8")
    routes = {"aria": replace(world.routes["aria"], books=(BookFile(str(book)),))}
    admin = Token(owner="root", secret=Secret("t-root"), is_admin=True)
    return replace(world, routes=routes, tokens=(*world.tokens, admin))


@pytest.fixture
def calm(fake):
    """An upstream whose replies call nothing in."""
    fake.usually(Plan(text="The sea is calm."))
    return fake


def respond(gateway, said, previous=None, token="t-max", **more):
    body = {"model": "aria", "input": said, **more}
    if previous is not None:
        body["previous_response_id"] = previous
    return gateway.post("/v1/responses", json.dumps(body).encode(), {"authorization": f"Bearer {token}"})


def id_of(reply):
    assert reply.status == 200
    return json.loads(reply.body)["id"]


def sent(fake):
    return [{name: request.json.get(name) for name in ("instructions", "input")} for request in fake.received]


def test_lore_that_was_sent_is_not_sent_again(woven, calm):
    first = respond(woven, "What of the bell?")
    second = respond(woven, "The bell, then?", id_of(first))
    third = respond(woven, "The bell and a gale!", id_of(second))

    assert sent(calm) == [
        {"instructions": TOWN, "input": f"{BELL}\n\nWhat of the bell?"},
        {"instructions": TOWN, "input": "The bell, then?"},
        {"instructions": TOWN, "input": f"{GALE}\n\nThe bell and a gale!"},
    ]
    assert [reply.headers["x-lorewright-history"] for reply in (first, second, third)] == ["new", "stored", "stored"]
    assert calm.received[2].json["previous_response_id"] == id_of(second)


def test_the_recorded_reply_is_scanned(woven, fake):
    first = respond(woven, "What of the weather?")
    respond(woven, "And then?", id_of(first))

    assert sent(fake)[1] == {"instructions": TOWN, "input": f"{GALE}\n\nAnd then?"}


def test_a_streamed_reply_is_recorded_too(woven, fake):
    first = respond(woven, "What of the weather?", stream=True)
    [created] = [line for line in first.body.splitlines() if line.startswith(b"data:") and b"response.created" in line]
    previous = json.loads(created.removeprefix(b"data:"))["response"]["id"]
    reply = respond(woven, "And then?", previous)

    assert reply.headers["x-lorewright-history"] == "stored"
    assert sent(fake)[1] == {"instructions": TOWN, "input": f"{GALE}\n\nAnd then?"}


def test_instructions_are_the_clients_and_ours_each_time(woven, calm):
    first = respond(woven, "Hello", instructions="Be brief.")
    second = respond(woven, "Hello again", id_of(first), instructions="Be long.")
    respond(woven, "And again", id_of(second))

    assert [one["instructions"] for one in sent(calm)] == [f"Be brief.\n\n{TOWN}", f"Be long.\n\n{TOWN}", TOWN]


def test_two_branches_of_one_response(woven, calm):
    first = respond(woven, "Hello")
    respond(woven, "The bell?", id_of(first))
    respond(woven, "A gale, the bell?", id_of(first))

    assert [one["input"] for one in sent(calm)] == [
        "Hello",
        f"{BELL}\n\nThe bell?",
        f"{BELL}\n\n{GALE}\n\nA gale, the bell?",
    ]


def test_results_of_tools_go_on_with_the_turn(woven, calm):
    first = respond(woven, "What of the bell?")
    result = {"type": "function_call_output", "call_id": "c1", "output": "It is in a gale."}
    second = respond(woven, [result], id_of(first))
    said = {"role": "user", "content": "The gale, the bell?"}
    third = respond(woven, [{**result, "call_id": "c2"}, said], id_of(second))

    assert third.headers["x-lorewright-history"] == "stored"
    assert sent(calm)[1:] == [
        {"instructions": TOWN, "input": [result]},
        {
            "instructions": TOWN,
            "input": [{**result, "call_id": "c2"}, {**said, "content": f"{GALE}\n\nThe gale, the bell?"}],
        },
    ]


CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "look",
    "arguments": '{"where": "bell", "by": 1}',
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
LOOKING = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}],
}


def replies(output: list[Any], *, is_stream=False, says_all=True):
    """A response with these items, whole or as the events of a stream; with `says_all` its end repeats them."""
    response = {"id": "resp_tools", "object": "response", "output": output}
    if not is_stream:
        return Plan(pieces=(json.dumps(response).encode(),), content_type="application/json")
    done = [{"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(output)]
    text = {"type": "response.output_text.delta", "delta": "Let me see."}
    ended = response if says_all else {**response, "output": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "output": []}},
        *([text] if LOOKING in output else []),
        *done,
        {"type": "response.completed", "response": ended},
    ]
    pieces = tuple(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
    return Plan(pieces=pieces, content_type="text/event-stream")


def parent_of(gateway, reply):
    """The turn that this one goes on from."""
    path = f"/lorewright/v1/turns/{reply.headers['x-lorewright-turn']}"
    return json.loads(gateway.ask("GET", path, headers={"authorization": "Bearer t-max"}).body)["parent"]


@pytest.mark.parametrize(("is_stream", "says_all"), [(False, True), (True, True), (True, False)])
@pytest.mark.parametrize("output", [[CALL], [THOUGHT, LOOKING, CALL], [LOOKING, CALL, {**CALL, "call_id": "c2"}]])
def test_calls_of_tools_are_part_of_the_stored_history(output, is_stream, says_all, woven, calm):
    """A client that sends the whole history itself goes on with the same conversation."""
    calm.plan(replies(output, is_stream=is_stream, says_all=says_all))
    respond(woven, "What of the bell?", stream=is_stream)
    results = [
        {"type": "function_call_output", "call_id": one["call_id"], "output": "It rings."}
        for one in output
        if one.get("call_id")
    ]
    stored = respond(woven, results, "resp_tools")
    said = json.loads(stored.body)["output"]
    asked = {"role": "user", "content": "The bell, then?"}
    whole = respond(woven, [{"role": "user", "content": "What of the bell?"}, *output, *results, *said, asked])

    histories = [reply.headers["x-lorewright-history"] for reply in (stored, whole)]
    assert histories == ["stored", "known"]
    placed = {"role": "user", "content": f"{BELL}\n\nWhat of the bell?"}
    assert parent_of(woven, whole).startswith("2-")
    assert sent(calm)[2]["input"] == [placed, *output, *results, *said, asked]  # the bell is not told twice


@pytest.mark.parametrize("change", [{"name": "listen"}, {"arguments": '{"where": "gale", "by": 1}'}])
def test_another_call_is_another_history(change, woven, calm):
    calm.plan(replies([CALL]))
    respond(woven, "Hello")
    result = {"type": "function_call_output", "call_id": "c1", "output": "It rings."}
    respond(woven, [result], "resp_tools")
    hello = {"role": "user", "content": "Hello"}

    def parent(call):
        reply = respond(woven, [hello, call, result, {"role": "user", "content": "And?"}])
        return parent_of(woven, reply).partition("-")[0]

    again = {**CALL, "id": "fc_9", "arguments": '{"by":1,"where":"bell"}'}
    assert parent(again) == "2"  # the step with the result
    assert parent({**CALL, **change}) == "1"  # what was said before the call


def test_a_call_that_was_erased_is_nowhere(woven, calm, world):
    calm.plan(replies([LOOKING, CALL]))
    first = respond(woven, "Hello")
    respond(woven, "And?", "resp_tools")  # waits until the reply is recorded
    with open_ledger(world.state, stream_of("max", "aria"), create=False) as ledger:
        erase(ledger, find_reply(ledger, 1))
        assert verify(ledger.store).problems == ()
        with pytest.raises(LorewrightError):
            [ledger.texts.get_message(line) for line in next(ledger.of_kind(ReplyReceived)).messages]
        left = [ledger.store.text(row.commitment) or b"" for row in ledger.store.texts()]
        assert not [text for text in left if b"call:look" in text or b"Let me see" in text]
    again = respond(woven, "And?", id_of(first))

    assert again.headers["x-lorewright-history"] == "unknown-response"


def nested(depth):
    """A value that cannot be written down again."""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "items",
    [
        [3],
        ["x"],
        [{"type": "message", "role": "assistant", "content": 3}],
        [{"type": "odd", "value": nested(100_000)}],
        [CALL] * 1001,
    ],
    ids=["number", "text", "content", "nested", "many"],
)
def test_items_that_are_none_leave_the_text(items):
    assert items_said(items, "Hello") == ()


def test_a_failed_request_is_nothing_to_go_on_from(woven, calm):
    first = respond(woven, "Hello")
    calm.plan(Plan(status=500))
    assert respond(woven, "The bell?", id_of(first)).status == 500
    respond(woven, "The bell?", id_of(first))

    assert [one["input"] for one in sent(calm)] == ["Hello", *[f"{BELL}\n\nThe bell?"] * 2]


def test_what_nobody_recorded_is_told(woven, calm):
    """What the request holds is scanned, and it is nobody's beginning."""
    respond(woven, "The bell?", token="t-root")
    unknown = respond(woven, "The bell?", "resp_elsewhere", token="t-root")
    after = respond(woven, "The bell, a gale", id_of(unknown), token="t-root")

    assert unknown.headers["x-lorewright-history"] == "unknown-response"
    assert after.headers["x-lorewright-history"] == "stored"
    assert [one["input"] for one in sent(calm)] == [
        f"{BELL}\n\nThe bell?",
        f"{BELL}\n\nThe bell?",
        f"{GALE}\n\nThe bell, a gale",
    ]


def test_a_stored_conversation_of_the_upstream(woven, calm):
    """Its first turn here may not be its first; from then on the ledger has it."""
    replies = [
        respond(woven, "The bell?", token="t-root", conversation="conv_1"),
        respond(woven, "The bell, then?", token="t-root", conversation={"id": "conv_1"}),
        respond(woven, "The bell, too?", token="t-root", conversation="conv_2"),
        respond(woven, "A gale, the bell!", token="t-root", conversation="conv_1"),
    ]

    said = [reply.headers["x-lorewright-history"] for reply in replies]
    assert said == ["unknown-response", "stored", "unknown-response", "stored"]
    assert [one["input"] for one in sent(calm)] == [
        f"{BELL}\n\nThe bell?",
        "The bell, then?",
        f"{BELL}\n\nThe bell, too?",
        f"{GALE}\n\nA gale, the bell!",
    ]


def test_it_goes_on_after_a_restart(world, calm, tmp_path):
    with RunningGateway(world, LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        first = respond(gateway, "What of the bell?", token="t-root")
    with RunningGateway(world, LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        second = respond(gateway, "The bell, a gale?", id_of(first), token="t-root")

    assert second.headers["x-lorewright-history"] == "stored"
    assert sent(calm)[1] == {"instructions": TOWN, "input": f"{GALE}\n\nThe bell, a gale?"}


def test_somebody_elses_response_is_nobodys(woven, calm):
    first = respond(woven, "What of the bell?")

    assert respond(woven, "The bell?", id_of(first), token="t-eve").status == 404
    assert len(calm.received) == 1


def test_texts_that_are_placed_anew_stand_before_the_new_items(world, calm, tmp_path):
    """Classic placement: the history cannot be opened again."""
    routes = {"aria": replace(world.routes["aria"], placement="sillytavern")}
    with RunningGateway(replace(world, routes=routes), LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        first = respond(gateway, "Hello")
        respond(gateway, "The reef?", id_of(first))

    message = {"type": "message", "role": "system", "content": REEF}
    assert sent(calm) == [
        {"instructions": TOWN, "input": "Hello"},
        {"instructions": TOWN, "input": [message, {"type": "message", "role": "user", "content": "The reef?"}]},
    ]


def test_lore_in_messages_of_its_own_is_stored_like_any_other(world, calm, tmp_path):
    """Not in `instructions`, which the next response does not go on from."""
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"form": "message"}), "utf-8")
    routes = {"aria": replace(world.routes["aria"], settings=str(settings))}
    with RunningGateway(replace(world, routes=routes), LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        first = respond(gateway, "What of the bell?", instructions="Be brief.")
        respond(gateway, "The bell, a gale?", id_of(first))

    def message(role, text):
        return {"type": "message", "role": role, "content": text}

    assert sent(calm) == [
        {
            "instructions": f"Be brief.\n\n{TOWN}",
            "input": [message("system", BELL), message("user", "What of the bell?")],
        },
        {"instructions": TOWN, "input": [message("system", GALE), message("user", "The bell, a gale?")]},
    ]
