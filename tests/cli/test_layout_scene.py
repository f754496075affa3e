"""The scene of a prompt from a chat, cards, a persona and a request."""

import json

import pytest

from lorewright.cli.layout_scene import read_layout_scene
from lorewright.cli.options import Request
from lorewright.core.layout.scene import Card, CharacterNote, Group, Line, Persona
from lorewright.errors import InputError
from lorewright.formats.card import read_card_value
from lorewright.formats.chat import read_chat_lines

PERSONA = Persona(text="A sailor.", position="in_chat", depth=3, role="user")
HELLO = {"name": "Aria", "mes": "Hello.", "is_user": False}


def chat(*messages, **metadata):
    header = {"user_name": "Max", "character_name": "Aria", "chat_metadata": metadata}
    return read_chat_lines("\n".join(map(json.dumps, [header, *messages]))).value


def card(name, **data):
    return read_card_value({"spec": "chara_card_v2", "data": {"name": name, **data}}).value


def scene(chat, *cards, **asked):
    reports = []
    return read_layout_scene(Request(chat="", **asked), chat, cards, PERSONA, reports), [one.code for one in reports]


def test_a_chat_with_a_card_and_a_persona():
    depth = {"prompt": "Sings.", "depth": 2, "role": "user"}
    aria = card(
        "Aria",
        description="D",
        personality="P",
        scenario="S",
        mes_example="E",
        system_prompt="Y",
        post_history_instructions="H",
        extensions={"depth_prompt": depth},
    )

    found, codes = scene(chat(HELLO, note_prompt="N", scenario="Sea"), aria, trigger="swipe")

    assert codes == []
    assert found.card == Card(
        name="Aria",
        description="D",
        personality="P",
        scenario="S",
        examples="E",
        system_prompt="Y",
        post_history="H",
        note=CharacterNote("Sings.", 2, "user"),
    )
    assert (found.trigger, found.user, found.group, found.persona) == ("swipe", "Max", None, PERSONA)
    assert (found.chat, found.note.text, found.chat_texts.scenario) == ((Line(name="Aria", text="Hello."),), "N", "Sea")


def test_without_a_card_there_is_a_name():
    assert scene(chat(HELLO))[0].card == Card(name="Aria")


@pytest.mark.parametrize(("speaker", "expected"), [(None, "Bob"), ("Aria", "Aria")])
def test_several_cards_are_a_group(speaker, expected):
    found, _ = scene(chat(HELLO), card("Bob"), card("Aria"), speaker=speaker)

    assert found.group == Group(members=(Card(name="Bob"), Card(name="Aria")))
    assert found.card.name == expected


def test_a_member_without_a_card_takes_part_by_name():
    found, codes = scene(chat({**HELLO, "original_avatar": "aria.png"}), card("Bob"))

    assert [member.name for member in found.group.members] == ["Bob", "Aria"]
    assert codes == ["member_without_card"]


def test_the_speaker_must_be_a_member():
    with pytest.raises(InputError, match="`Bob`, `Aria`"):
        scene(chat(HELLO), card("Bob"), card("Aria"), speaker="Max")


def test_a_foreign_card_and_odd_fields():
    foreign = read_card_value(
        {"char_name": "Aria", "example_dialogue": "E", "name": "Aria", "char_greeting": "Hi"}
    ).value
    odd = card("Aria", system_prompt=["x"], extensions={"depth_prompt": {"prompt": "N", "depth": "deep"}})

    assert scene(chat(HELLO), foreign)[0].card.examples == "E"
    found, codes = scene(chat(HELLO), odd)
    assert (found.card.system_prompt, found.card.note) == ("", CharacterNote("N", 4, "system"))
    assert codes == ["bad_value", "bad_value"]
