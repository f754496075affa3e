"""Replies that were rewritten: what is recorded, what the client gets, and that its conversation stays the same one."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from lorewright.gateway.configuration import ReplyRules
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.ledger.erase import erase, find_reply
from lorewright.ledger.facts import list_facts
from lorewright.ledger.forget import forget
from lorewright.ledger.ledger import open_ledger
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import assistant, chat, user
from tests.gateway.weaving.test_receipts import wait_for_reply

BELL = "The bell of Saltwick rings by itself."
LINES = ["What of the bell?", "And then?", "Who rings it?", "Why?", "When?"]
SCRIPTS = [
    {"scriptName": "no stars", "findRegex": r"/\*/g", "replaceString": "", "placement": [2]},
    {
        "scriptName": "loud",
        "findRegex": "/rings/g",
        "replaceString": "RINGS for {{user}}",
        "placement": [2],
        "markdownOnly": True,
    },
    {"scriptName": "sent", "findRegex": "/It/g", "replaceString": "X", "placement": [2], "promptOnly": True},
    {"scriptName": "mine", "findRegex": "/It/g", "replaceString": "Y", "placement": [1]},
]


@pytest.fixture
def world(world, tmp_path):
    path = tmp_path / "scripts.json"
    path.write_text(json.dumps(SCRIPTS), "utf-8")
    aria, claude = world.routes["aria"], world.routes["claude"]
    hides = ReplyRules(hide_updates=True)
    both = ReplyRules(hide_updates=True, scripts=(str(path),))
    named = replace(aria, name="scripted", replies=both, user="Max")
    routes = (replace(aria, replies=hides), replace(claude, replies=hides), named)
    return replace(world, routes={route.name: route for route in routes})


def block(number):
    return f"<UpdateVariable>_.set('gold', {number}, {number + 1});</UpdateVariable>"


def said(number):
    return f"It rings {number}.\n{block(number)}\n<!--lorewright-fact\nsubject: bell {number}\nfact: It rang.\n-->"


def chunks(text):
    """A stream in pieces of three characters."""
    pieces = [text[at : at + 3] for at in range(0, len(text), 3)]
    events: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return (*(f"data: {json.dumps(one)}\n\n".encode() for one in events), b"data: [DONE]\n\n")


def text_of(answer):
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return json.loads(answer.body)["choices"][0]["message"]["content"]
    lines = [line[6:] for line in answer.body.decode().split("\n") if line.startswith("data: {")]
    return "".join(json.loads(line)["choices"][0]["delta"].get("content", "") for line in lines)


def sent_texts(fake, place=-1):
    return [(one["role"], one["content"]) for one in fake.received[place].json["messages"]]


def talk(gateway, fake, back, *, stream, model="aria"):
    """Five turns; `back` makes of what the client got what it sends back. The names of the turns, and what was sent."""
    messages, turns, sent = [], [], []
    for number, line in enumerate(LINES):
        fake.plan(
            Plan(pieces=chunks(said(number)), content_type="text/event-stream") if stream else Plan(text=said(number))
        )
        messages.append(user(line))
        answer = chat(gateway, *messages, model=model, stream=stream)
        assert answer.status == 200
        assert answer.headers["x-lorewright-history"] == ("known" if number else "new")
        turns.append(answer.headers["x-lorewright-turn"])
        sent.append(sent_texts(fake))
        messages.append(assistant(back(number, text_of(answer))))
    return turns, sent


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(
    "back",
    [lambda _, shown: shown, lambda _, shown: shown.strip(), lambda number, _: said(number)],
    ids=["as it came", "trimmed", "as the model said it"],
)
def test_five_turns_are_one_conversation_and_nothing_moves(woven, fake, back, stream):
    """What the model gets is what it said, blocks and all, so each request begins with the bytes of the one before."""
    turns, sent = talk(woven, fake, back, stream=stream)
    for before, after in pairwise(sent):
        assert after[: len(before)] == before
    assert [text for role, text in sent[-1] if role == "assistant"] == [said(number) for number in range(4)]
    assert sum(BELL in text for _, text in sent[-1]) == 1
    assert wait_for_reply(woven, turns[-1])["moves"] == []


def test_the_client_gets_no_block_and_the_receipt_says_so(woven, fake):
    fake.plan(Plan(text=said(1)))
    answer = chat(woven, user(LINES[0]))
    assert text_of(answer) == "It rings 1.\n\n"
    assert answer.headers["x-lorewright-rewritten"] == "updates"
    assert fake.received[-1].header("accept-encoding") == "identity"
    receipt = wait_for_reply(woven, answer.headers["x-lorewright-turn"])
    assert receipt["reply"]["rewritten"] == {
        "by": ["hide_updates"],
        "not_done": [],
        "texts": 1,
        "characters": len(said(1)),
        "characters_shown": len("It rings 1.\n\n"),
    }


def test_facts_of_hidden_blocks_are_proposed_and_the_ledger_has_what_was_said(woven, fake, world):
    turns, _ = talk(woven, fake, lambda _, shown: shown, stream=True)
    wait_for_reply(woven, turns[-1])
    with open_ledger(world.state, "3:max/aria", create=False) as ledger:
        assert [fact.entry and fact.entry.subject for fact in list_facts(ledger)] == [
            f"bell {number}" for number in range(5)
        ]
        texts = {ledger.store.text(name) or b"" for number in range(1, 6) for name in find_reply(ledger, number)}
    assert all(any(block(number).encode() in text for text in texts) for number in range(5))


def test_scripts_change_the_message_or_only_what_is_shown(woven, fake):
    """What is changed in the message itself stays changed in the prompt; what is only for display does not."""
    fake.plan(Plan(text=f"It *rings*.{block(1)}"))
    first = chat(woven, user(LINES[0]), model="scripted")
    assert text_of(first) == "It RINGS for Max."
    assert first.headers["x-lorewright-rewritten"] == "updates, scripts"
    chat(woven, user(LINES[0]), assistant(text_of(first)), user(LINES[1]), model="scripted")
    assert sent_texts(fake)[-2] == ("assistant", f"It rings.{block(1)}")
    receipt = wait_for_reply(woven, first.headers["x-lorewright-turn"])
    assert receipt["reply"]["rewritten"]["by"] == ["no stars", "loud", "hide_updates"]


def test_a_reply_that_the_client_has_edited_is_the_clients(woven, fake):
    fake.plan(Plan(text=said(1)))
    chat(woven, user(LINES[0]))
    chat(woven, user(LINES[0]), assistant("It rings. Softly."), user(LINES[1]))
    assert sent_texts(fake)[-2] == ("assistant", "It rings. Softly.")


def test_what_was_rewritten_is_known_after_a_restart_and_after_forgetting_not(world, fake, tmp_path):
    path = tmp_path / "gateway.ledger"
    fake.plan(Plan(text=said(1)))
    with RunningGateway(world, LedgerWeaver(path)) as gateway:
        shown = text_of(chat(gateway, user(LINES[0])))
    with RunningGateway(world, LedgerWeaver(path)) as gateway:
        chat(gateway, user(LINES[0]), assistant(shown), user(LINES[1]))
    assert sent_texts(fake)[-2] == ("assistant", said(1))
    with open_ledger(path, "3:max/aria", create=False) as ledger:
        erase(ledger, find_reply(ledger, 1), "test")
    with RunningGateway(world, LedgerWeaver(path)) as gateway:
        chat(gateway, user(LINES[0]), assistant(shown), user(LINES[1]))
    assert sent_texts(fake)[-2] == ("assistant", shown)


def test_what_is_forgotten_is_gone_in_both_forms(world, fake, tmp_path):
    path = tmp_path / "gateway.ledger"
    fake.plan(Plan(text=said(1)))
    with RunningGateway(world, LedgerWeaver(path)) as gateway:
        chat(gateway, user(LINES[0]))
    assert b"gold" in path.read_bytes()
    with open_ledger(path, create=False) as file:
        forget(file, {"3:max/aria": [1]}, "test")
    for file in tmp_path.glob("gateway.ledger*"):
        assert file.is_dir() or not {word for word in (b"gold", b"It rings") if word in file.read_bytes()}


def test_messages_of_anthropic_are_restored_too(woven, fake):
    def ask(*messages):
        body = json.dumps({"model": "claude", "max_tokens": 9, "messages": messages}).encode()
        return woven.post("/v1/messages", body, {"authorization": "Bearer t-max"})

    fake.plan(Plan(text=said(1)))
    shown = json.loads(ask(user(LINES[0])).body)["content"]
    assert shown[0]["text"] == "It rings 1.\n\n"
    answer = ask(user(LINES[0]), {"role": "assistant", "content": shown}, user(LINES[1]))
    assert answer.headers["x-lorewright-history"] == "known"
    kept = fake.received[-1].json["messages"][1]["content"]
    assert kept[0]["text"] == said(1)


def test_a_dry_run_shows_what_would_be_sent(woven, fake):
    body = json.dumps({"model": "aria", "messages": [user(f"{block(1)} The bell?")]}).encode()
    headers = {"authorization": "Bearer t-max", "x-lorewright-dry-run": "1"}
    answer = woven.post("/v1/chat/completions", body, headers)
    assert "x-lorewright-rewritten" not in answer.headers
    assert block(1) in text_of(answer)


def test_what_was_held_back_comes_before_the_error_of_a_stream_that_breaks_off(woven, fake):
    pieces = chunks("The bell <update> it rings")
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream", fault="reset", after_pieces=len(pieces) - 2))
    answer = chat(woven, user(LINES[0]), stream=True)
    events = [json.loads(line[6:]) for line in answer.body.decode().split("\n") if line.startswith("data: {")]
    assert "error" in events[-1]
    assert "".join(one["choices"][0]["delta"]["content"] for one in events[:-1]) == "The bell <update> it rings"
