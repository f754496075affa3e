"""A request that adds results of tools is a step of its turn: nothing is drawn anew, no timer goes on."""

import json
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import BookFile
from tests.gateway.weaving.conftest import assistant, user

TIDE = "The tide is out."
FOG = "Fog hides the pier."
MOON = "The moon is full."
ENTRIES = [
    {"uid": 1, "keys": ["tide"], "content": TIDE, "sticky": 3},
    {"uid": 2, "keys": ["fog"], "content": FOG, "cooldown": 4},
    {"uid": 3, "keys": ["night"], "content": MOON, "probability": 50},
]


@pytest.fixture
def world(world, tmp_path):
    """A route whose lore stands where it is active, and only while it is."""
    book = tmp_path / "saltwick.json"
    entries = [{**entry, "scan_depth": 1} for entry in ENTRIES]
    book.write_text(json.dumps({"lorewright": 1, "name": "saltwick", "entries": entries}), "utf-8")
    route = replace(world.routes["aria"], books=(BookFile(str(book)),), placement="sillytavern")
    return replace(world, routes={"aria": route})


def lore(gateway, fake, *messages):
    """Which lore a request is sent with."""
    headers = {"authorization": "Bearer t-max", "x-lorewright-conversation": "saga"}
    body = json.dumps({"model": "aria", "messages": messages}).encode()
    assert gateway.post("/v1/chat/completions", body, headers).status == 200
    sent = fake.received[-1].body.decode()
    return {text for text in (TIDE, FOG, MOON) if text in sent}


def step(number, said=None):
    function = {"name": "look", "arguments": "{}"}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": said, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": "low"},
    ]


def fnv1a(text):
    found = 0x811C9DC5
    for byte in text.encode():
        found = ((found ^ byte) * 0x01000193) % 2**32
    return found


def mixed(value):
    value = ((value ^ (value >> 16)) * 0x85EBCA6B) % 2**32
    value = ((value ^ (value >> 13)) * 0xC2B2AE35) % 2**32
    return value ^ (value >> 16)


def is_drawn(turn):
    """Whether the moon shines in a turn of the conversation (spec injection-engine §8.4, by hand)."""
    return mixed(fnv1a("\x1f".join(("saltwick.3", "", "saga", str(turn))))) < 2**31


@pytest.mark.parametrize("said", [None, "Let me look."], ids=["silent", "with a text"])
def test_a_loop_of_five_steps_is_one_turn(woven, fake, said):
    """Timers count messages: the tide stays for three, the fog is out for four."""
    chat = [user("The tide and the fog!")]
    assert lore(woven, fake, *chat) == {TIDE, FOG}
    for number in range(5):
        chat += step(number, said)
        assert lore(woven, fake, *chat) == {TIDE, FOG}, number


def test_timers_go_on_behind_a_loop_as_without_one(woven, fake):
    chat = [user("The tide and the fog!")]
    lore(woven, fake, *chat)
    for number in range(5):
        chat += step(number)
        lore(woven, fake, *chat)

    chat += [assistant("Both are there."), user("The fog?")]
    assert lore(woven, fake, *chat) == {TIDE}, "message 3: sticky until 4, cooldown until 5"
    chat += [assistant("Gone."), user("The fog?")]
    assert lore(woven, fake, *chat) == {FOG}, "message 5"


def test_every_turn_draws_once(woven, fake):
    chat, found = [], []
    for turn in range(1, 21):
        chat.append(user("What a night."))
        turns = [lore(woven, fake, *chat)]
        for number in range(turn % 3):
            chat += step(f"{turn}-{number}", "Let me look at the night.")
            turns.append(lore(woven, fake, *chat))
        found.append(turns)
        chat.append(assistant("So it is."))

    assert found == [[{MOON} if is_drawn(turn) else set()] * (1 + turn % 3) for turn in range(1, 21)]


def test_a_regenerated_step_is_the_same(woven, fake):
    chat = [user("The tide, the fog, the night"), *step(1, "Let me look.")]
    first = lore(woven, fake, *chat[:1])

    assert lore(woven, fake, *chat) == lore(woven, fake, *chat) == first
