"""Real forms of SillyTavern's chats: written back they are the same bytes; with one change only that is different."""

import json
from dataclasses import replace

import pytest

from lorewright.core.layout.scene import Note, OwnNote
from lorewright.core.model import Message, State, Timer
from lorewright.errors import FormatError
from lorewright.formats.chat import read_chat_lines, read_named_messages
from lorewright.formats.chat_edit import (
    add_message,
    add_swipe,
    choose_swipe,
    edit_message,
    hide_message,
    with_metadata,
    with_note,
    with_variables,
)
from lorewright.formats.chat_scene import chat_lines, chat_note
from lorewright.formats.chat_timers import with_timers
from lorewright.formats.chat_write import write_chat_lines
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_chat
from lorewright.formats.text import encode_like
from tests.formats.chats import NAMES, chat, data, different

LONG = "\n".join(
    json.dumps(line)
    for line in [
        {"user_name": "Wen", "character_name": "Maren", "chat_metadata": {"note_prompt": "Rain."}},
        *(
            {"name": "Wen" if n % 2 else "Maren", "is_user": bool(n % 2), "mes": f"Line {n}. " + "word " * (n % 90)}
            for n in range(500)
        ),
    ]
)


def written(changed):
    """What differs between a chat and the file that it was read from."""
    return different("\n".join(changed.source.lines), write_chat_lines(changed))


def test_all_kinds_of_chats_are_there():
    assert "chinese group hidden note odd old single swipes timers variables".split() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_unchanged_chat_is_the_same_bytes(name):
    assert encode_like(data(name), write_chat_lines(chat(name))) == data(name)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_other_encodings_stay(encoding):
    given = data("single").decode().encode(encoding)

    assert encode_like(given, write_chat_lines(read_chat(given).value)) == given


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", ["first", "last"])
def test_an_edited_message_differs_in_its_text_alone(name, which):
    before = chat(name)
    at = 0 if which == "first" else len(before.messages) - 1
    raw = before.originals[at]
    line = before.source.messages[at]

    after = edit_message(before, at, "Quite “new”.\n🔔")

    swipe = [f"{line}/swipes/{raw.get('swipe_id', 0)}"] if isinstance(raw.get("swipes"), list) else []
    assert after.messages[at].text == "Quite “new”.\n🔔"
    if name == "odd" and which == "last":  # it was no strict JSON, so the line is one leaf of the comparison
        assert {path.split("/")[0] for path in written(after)} == {str(line)}
    else:
        assert written(after) == [f"{line}/mes", *swipe]


@pytest.mark.parametrize("name", NAMES)
def test_a_hidden_message_differs_in_one_member(name):
    before = chat(name)
    at = next(at for at, message in enumerate(before.messages) if not message.hidden)

    after = hide_message(before, at)

    assert (after.messages[at].hidden, after.messages[at].text) == (True, before.messages[at].text)
    assert written(after) == [f"{before.source.messages[at]}/is_system"]
    if "is_system" in before.originals[at]:
        assert write_chat_lines(hide_message(after, at, hidden=False)) == write_chat_lines(before)


@pytest.mark.parametrize("name", NAMES)
def test_a_new_note_differs_in_its_text_alone(name):
    before = chat(name)
    old = chat_note(before, Notes())

    after = with_note(before, replace(old, text="Snow."))

    assert chat_note(after, Notes()).text == "Snow."
    assert written(after) == ["0/chat_metadata/note_prompt"]


def test_every_part_of_a_note_is_written():
    note = Note(text="Snow.", position="start", depth=0, role="assistant", interval=5)

    after = with_note(chat("note"), note)

    assert chat_note(read_chat_lines(write_chat_lines(after)).value, Notes()) == note
    fields = ("depth", "interval", "position", "prompt", "role")
    assert written(after) == [f"0/chat_metadata/note_{field}" for field in fields]


def test_a_note_that_is_nowhere_stays_nowhere():
    after = read_chat_lines(write_chat_lines(with_note(chat("single"), Note(text="Snow.", position="none")))).value

    notes = Notes()
    assert (chat_note(after, notes).position, notes.reports()) == ("none", ())


@pytest.mark.parametrize("note", [Note(own=OwnNote("Mine.")), Note(role="tool")])
def test_notes_that_have_no_place_in_a_chat(note):
    with pytest.raises(FormatError):
        with_note(chat("note"), note)


@pytest.mark.parametrize("name", NAMES)
def test_a_new_variable_differs_alone(name):
    before = chat(name)

    after = with_variables(before, {**before.variables, "salt": {"x": [1.5, None]}})

    expected = [f"0/chat_metadata/variables/salt/x/{place}" for place in (0, 1)]
    assert written(after) == expected
    assert read_chat_lines(write_chat_lines(after)).value.variables == {**before.variables, "salt": {"x": [1.5, None]}}


def test_changed_and_removed_variables():
    kept = {name: value for name, value in chat("variables").variables.items() if name != "flag"}

    after = with_variables(chat("variables"), {**kept, "day": 4, "seen": ["bell", "eel", "gull"]})

    place = "0/chat_metadata/variables"
    assert written(after) == [f"{place}/day", f"{place}/flag", f"{place}/seen/1", f"{place}/seen/2"]


@pytest.mark.parametrize("name", NAMES)
def test_an_added_message_is_one_more_line(name):
    before = chat(name)

    after = add_message(before, "文", "One more.", is_user=True, send_date="2026-03-02T00:00:00.000Z")
    text = write_chat_lines(after)

    read = read_chat_lines(text).value
    assert read.messages == (*before.messages, Message("文", "One more.", "user"))
    assert len(text.split("\n")) == len(before.source.lines) + 1
    assert text.endswith("\n") == (before.source.lines[-1] == "")
    changed = {path.split("/")[0] for path in written(after)}
    last = max(place for place, line in enumerate(before.source.lines) if line.strip())
    assert changed <= {str(last + 1), str(last + 2)}  # the blank text behind the last line feed moves on
    assert json.loads(text.split("\n")[last + 1])["send_date"] == "2026-03-02T00:00:00.000Z"


def test_line_ends_of_a_file_stay_when_lines_are_added():
    text = write_chat_lines(add_message(add_message(chat("odd"), "A", "1", is_user=False), "B", "2", is_user=True))

    assert text.count("\n") == text.count("\r\n") == data("odd").count(b"\r\n") + 2
    assert text.startswith("\r\n".join(data("odd").decode("utf-8-sig").split("\r\n")))


def test_an_added_version_is_chosen_and_the_old_one_is_put_away():
    after = add_swipe(chat("swipes"), 4, "Never.")

    assert after.messages[4].text == "Never."
    assert written(after) == [
        *("5/extra", "5/extra/token_count", "5/gen_finished", "5/gen_started", "5/mes", "5/swipe_id"),
        *("5/swipe_info/0/send_date", "5/swipe_info/2/extra", "5/swipes/2"),
    ]
    back = choose_swipe(after, 4, 0)
    assert back.originals[4]["mes"] == "As you like."
    assert back.originals[4]["extra"] == {"token_count": 3}


def test_a_version_that_is_chosen_brings_what_was_kept_for_it():
    after = choose_swipe(chat("swipes"), 4, 1)

    assert {name: after.originals[4][name] for name in ("mes", "send_date", "gen_started", "extra")} == {
        "mes": "Fine.",
        "send_date": "d1",
        "gen_started": "g1",
        "extra": {"token_count": 2},
    }
    changed = [
        "extra/token_count",
        "gen_finished",
        "gen_started",
        "mes",
        "send_date",
        "swipe_id",
        "swipe_info/0/send_date",
    ]
    assert written(after) == [f"5/{name}" for name in changed]


def test_a_first_version_beside_the_text():
    after = add_swipe(chat("swipes"), 1, "Neither.")

    assert written(after) == ["2/mes", "2/swipe_id", "2/swipes/0", "2/swipes/1"]
    assert after.originals[1]["swipes"] == ["Both.", "Neither."]


def test_timers_are_written_and_the_others_stay():
    before = chat("timers")
    kept = {"isles.3": Timer("4503599627370495", 2, 6), "elsewhere.9": Timer("17", 1, 40)}

    after = with_timers(before, State(sticky={**kept, "isles.7": Timer("99", 4, 7)}, cooldown={}))

    place = "0/chat_metadata/timedWorldInfo"
    new = [f"{place}/sticky/isles.7/{name}" for name in ("end", "hash", "protected", "start")]
    gone = [f"{place}/cooldown/isles.4/{name}" for name in ("end", "hash", "protected", "start")]
    assert written(after) == [f"{place}/cooldown", *gone, *new]


@pytest.mark.parametrize("name", NAMES)
def test_timers_in_any_chat(name):
    before = chat(name)
    timers = State(
        sticky={"b.1": Timer("12", 1, 4.0)}, cooldown={"b.2": Timer("other", 1, float("inf"), protected=True)}
    )

    text = write_chat_lines(with_timers(before, timers))

    found = json.loads(text.split("\n")[0].removeprefix("\ufeff"))["chat_metadata"]["timedWorldInfo"]
    assert found["sticky"]["b.1"] == {"hash": 12, "start": 1, "end": 4, "protected": False}
    assert found["cooldown"]["b.2"] == {"hash": 0, "start": 1, "end": None, "protected": True}


def test_a_chat_without_a_header_gets_one():
    before = read_chat_lines('{"name": "Maren", "is_user": false, "mes": "Hello."}\r\n')

    text = write_chat_lines(with_metadata(before.value, {"mine": 1}))

    header, rest = text.split("\r\n", 1)
    assert json.loads(header) == {"user_name": "User", "character_name": "Maren", "chat_metadata": {"mine": 1}}
    assert rest == '{"name": "Maren", "is_user": false, "mes": "Hello."}\r\n'


@pytest.mark.parametrize("metadata", [5, "x", [1], True])
def test_metadata_of_a_wrong_kind_is_not_written_over(metadata):
    before = read_chat_lines(json.dumps({"user_name": "Wen", "chat_metadata": metadata})).value

    with pytest.raises(FormatError, match="chat_metadata"):
        with_variables(before, {"a": 1})


@pytest.mark.parametrize(
    "change",
    [
        lambda chat: edit_message(chat, 99, "x"),
        lambda chat: edit_message(chat, -1, "x"),
        lambda chat: hide_message(chat, 99),
        lambda chat: choose_swipe(chat, 0, 3),
        lambda chat: choose_swipe(chat, 1, 0),
        lambda chat: choose_swipe(chat, 0, -1),
        lambda chat: add_swipe(chat, 99, "x"),
    ],
)
def test_what_is_not_there_cannot_be_changed(change):
    with pytest.raises(FormatError, match="no"):
        change(chat("swipes"))


def test_versions_of_a_wrong_kind_are_not_written_over():
    with pytest.raises(FormatError, match="not a list"):
        add_swipe(chat("odd"), 0, "x")


def test_only_lines_can_be_written():
    listed = read_named_messages([{"name": "Maren", "mes": "Hello."}]).value

    for change in (write_chat_lines, lambda chat: add_message(chat, "A", "x", is_user=True)):
        with pytest.raises(FormatError, match="jsonl"):
            change(listed)


def test_a_long_chat():
    before = read_chat_lines(LONG).value
    after = edit_message(add_message(before, "Wen", "x", is_user=True), 250, "y")

    assert write_chat_lines(before) == LONG
    assert len(chat_lines(after)) == 501
    added = [f"501/{name}" for name in ("extra", "is_system", "is_user", "mes", "name")]
    assert written(after) == ["251/mes", *added]


def test_a_file_of_one_line_is_a_file_of_lines():
    header = b'{"chat_metadata": {}, "user_name": "Wen", "character_name": "Maren"}'

    read = read_chat(header).value

    assert (write_chat_lines(read).encode(), read.user, read.messages) == (header, "Wen", ())
    assert len(write_chat_lines(add_message(read, "Wen", "x", is_user=True)).split("\n")) == 2


def test_an_infinite_number_is_refused():
    with pytest.raises(FormatError, match="infinity"):
        write_chat_lines(with_variables(chat("single"), {"a": float("inf")}))
