"""What a prompt is laid out from, read from a SillyTavern chat (fields: spec prompt-assembly §2)."""

import json

import pytest

from lorewright.core.layout.scene import ChatTexts, Line, Note
from lorewright.formats.chat import read_chat_lines
from lorewright.formats.chat_request import read_chat_request
from lorewright.formats.chat_scene import chat_lines, chat_note, chat_texts, group_names
from lorewright.formats.imported import Notes


def chat(*messages, **metadata):
    header = {"user_name": "Max", "character_name": "Aria", "chat_metadata": metadata}
    return read_chat_lines("\n".join(map(json.dumps, [header, *messages]))).value


def note(**metadata):
    notes = Notes()
    return chat_note(chat(**metadata), notes), [report.field for report in notes.reports()]


def said(name, text, **more):
    return {"name": name, "mes": text, "is_user": False, **more}


def test_a_line_says_all_that_a_prompt_asks():
    lines = chat_lines(
        chat(
            said("Max", "Hi.", is_user=True, extra={"bias": "Well,"}),
            said("Aria", "Ho."),
            said("Aria", "psst", is_system=True),
            said("Rain", "It rains.", extra={"type": "narrator"}),
            said("Bob", "Hey.", force_avatar="bob.png"),
        )
    )

    assert lines == (
        Line(name="Max", text="Hi.", is_user=True, bias="Well,"),
        Line(name="Aria", text="Ho."),
        Line(name="Aria", text="psst", hidden=True),
        Line(name="Rain", text="It rains.", narrator=True),
        Line(name="Bob", text="Hey.", named=True),
    )


@pytest.mark.parametrize("extra", [None, 5, "x", [], {"type": 3, "bias": ["b"]}, {"type": None, "bias": None}])
def test_odd_extras_say_nothing(extra):
    assert chat_lines(chat(said("Aria", "Ho.", extra=extra))) == (Line(name="Aria", text="Ho."),)


def test_a_request_body_has_lines_too():
    body = {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Hi."}]}

    lines = chat_lines(read_chat_request(body).value)

    assert lines == (Line(name="System", text="S", hidden=True), Line(name="User", text="Hi.", is_user=True))


def test_the_note_has_a_place_depth_role_and_interval():
    found = note(note_prompt="Rain.", note_interval=3, note_position=2, note_depth=7, note_role=2)

    assert found == (Note(text="Rain.", position="start", depth=7, role="assistant", interval=3), [])


@pytest.mark.parametrize(("number", "position"), [(0, "end"), (1, "in_chat"), (2, "start")])
def test_positions_of_the_note(number, position):
    assert note(note_position=number)[0].position == position


def test_without_metadata_there_is_no_note_in_the_chat():
    old = read_chat_lines('{"user_name": "Max", "character_name": "Aria"}').value

    assert chat_note(old, Notes()) == Note() == Note(text="", position="in_chat", depth=4, role="system", interval=1)


@pytest.mark.parametrize(
    ("metadata", "expected", "fields"),
    [
        ({"note_depth": "7"}, Note(depth=7), ["note_depth"]),
        ({"note_depth": "deep"}, Note(), ["note_depth"]),
        ({"note_depth": float("1e999")}, Note(), ["note_depth"]),
        ({"note_depth": [7]}, Note(), ["note_depth"]),
        ({"note_depth": ""}, Note(), ["note_depth"]),
        ({"note_interval": True}, Note(), ["note_interval"]),
        ({"note_interval": 0}, Note(interval=0), []),
        ({"note_interval": None}, Note(), []),
        ({"note_position": 9}, Note(position="none"), ["note_position"]),
        ({"note_role": 5}, Note(role="5"), ["note_role"]),
        ({"note_prompt": 12}, Note(text="12"), ["note_prompt"]),
        ({"note_prompt": {"a": 1}}, Note(), ["note_prompt"]),
        ({"note_prompt": None}, Note(), []),
    ],
)
def test_odd_notes_are_reported(metadata, expected, fields):
    line = json.dumps({"chat_metadata": metadata}).replace("Infinity", "1e999")
    notes = Notes()

    found = chat_note(read_chat_lines(line).value, notes)

    assert found == expected
    assert [report.field for report in notes.reports()] == [f"chat_metadata.{field}" for field in fields]


@pytest.mark.parametrize("metadata", [None, 5, "x", [1]])
def test_metadata_that_is_no_object_is_none(metadata):
    read = read_chat_lines(json.dumps({"chat_metadata": metadata})).value

    assert (chat_note(read, Notes()), chat_texts(read, Notes())) == (Note(), ChatTexts())


def test_texts_that_stand_for_the_cards():
    found = chat_texts(chat(scenario="A ship.", mes_example="<START>", system_prompt="Be brief."), Notes())

    assert found == ChatTexts(scenario="A ship.", examples="<START>", system_prompt="Be brief.")


def test_a_group_keeps_the_picture_of_each_character():
    group = chat(
        said("Bob", "Hey.", original_avatar="bob.png"),
        said("Max", "Hi.", is_user=True),
        said("Aria", "Ho.", original_avatar="aria.png"),
        said("Rain", "It rains.", extra={"type": "narrator"}),
        said("Bob", "Hey.", original_avatar="bob.png"),
    )

    assert group_names(group) == ("Bob", "Aria")


def test_one_message_in_the_name_of_another_makes_no_group():
    assert group_names(chat(said("Aria", "Ho."), said("Bob", "Hey.", original_avatar="bob.png"))) == ()
    assert group_names(chat(said("Max", "Hi.", is_user=True))) == ()
