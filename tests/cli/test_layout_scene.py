"""The scene of a prompt from a chat, cards, a persona and a request."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.cli.layout_scene import read_layout_scene
from lorewright.cli.options import Request
from lorewright.conformance.prompt_assembly import read_scene
from lorewright.core.layout.scene import Card, CharacterNote, Group, Line, Persona
from lorewright.core.model import Report
from lorewright.errors import InputError
from lorewright.formats.card import read_card_value
from lorewright.formats.chat import read_chat_lines

CASES = Path(__file__).resolve().parents[2] / "conformance" / "prompt-assembly"
PERSONA = Persona(text="A sailor.", position="in_chat", depth=3, role="user")
HELLO = {"name": "Aria", "mes": "Hello.", "is_user": False}


def chat(*messages, **metadata):
    header = {"user_name": "Max", "character_name": "Aria", "chat_metadata": metadata}
    return read_chat_lines("\n".join(map(json.dumps, [header, *messages]))).value


def card(name, **data):
    return read_card_value({"spec": "chara_card_v2", "data": {"name": name, **data}}).value


def scene(chat, *cards, **asked):
    reports: list[Report] = []
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


def recorded():
    """The inputs of all recorded cases of the prompt, which say what SillyTavern made of such a chat and such cards."""
    for path in sorted(CASES.glob("*.json")):
        yield from (case["input"] for case in json.loads(path.read_text("utf-8"))["cases"])


def as_files(given):
    """The chat and the cards of a recorded case, as files hold them."""
    note = {f"note_{name}": given["authors_note"][name] for name in ("interval", "position", "depth", "role")}
    metadata = {**given.get("chat_metadata", {}), "note_prompt": given["authors_note"]["text"], **note}
    header = {"user_name": given["user"], "character_name": "unused", "chat_metadata": metadata}
    members = given["group"]["members"] if given.get("group") else [given["card"]]
    cards = [
        card(**{name: value for name, value in one.items() if name != "depth_prompt"},
             extensions={"depth_prompt": one.get("depth_prompt")})
        for one in members
    ]  # fmt: skip
    return read_chat_lines("\n".join(map(json.dumps, [header, *given["chat"]]))).value, cards


def test_a_chat_and_cards_say_what_the_recorded_cases_say():
    found = 0
    for given in recorded():
        expected = read_scene(given)
        chat, cards = as_files(given)
        speaker = given["group"]["speaker"] if given.get("group") else None

        made, codes = scene(chat, *cards, speaker=speaker)

        for field in ("user", "card", "chat", "chat_texts"):
            assert getattr(made, field) == getattr(expected, field), given
        assert made.note == replace(expected.note, own=None), given
        assert (made.group is None) == (expected.group is None), given
        assert (made.group and made.group.members) == (expected.group and expected.group.members)
        assert set(codes) <= {"bad_value"}
        found += 1
    assert found > 500


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
