"""Random chats with random changes: nothing is lost, and nothing differs but what was changed."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.scene import Note
from lorewright.core.model import State, Timer
from lorewright.formats.chat import read_chat_lines
from lorewright.formats.chat_edit import (
    add_message,
    add_swipe,
    choose_swipe,
    edit_message,
    hide_message,
    with_note,
    with_variables,
)
from lorewright.formats.chat_scene import chat_lines, chat_note, chat_texts, group_names
from lorewright.formats.chat_timers import read_timers, with_timers
from lorewright.formats.chat_write import write_chat_lines
from lorewright.formats.imported import Notes
from tests.formats.chats import different

WORDS = st.text(st.sampled_from('ab é文🔔\n"\\\u2028{}'), max_size=5)
NAMES = st.sampled_from(["Maren", "Wen", "文", ""])
NUMBERS = st.one_of(st.integers(-3, 12), st.sampled_from([0.5, 1.0, 1e300, -2.5]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=6,
)


def sometimes_odd(usual):
    return st.one_of(usual, usual, usual, VALUES)


RECORDS = st.fixed_dictionaries({"hash": NUMBERS, "start": NUMBERS, "end": NUMBERS}, optional={"protected": VALUES})
EFFECTS = st.dictionaries(st.sampled_from(["b.1", "b.2", "文.0", ""]), sometimes_odd(RECORDS), max_size=3)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "note_prompt": sometimes_odd(WORDS),
        "note_interval": sometimes_odd(NUMBERS),
        "note_position": sometimes_odd(st.integers(-1, 3)),
        "note_depth": sometimes_odd(NUMBERS),
        "note_role": sometimes_odd(st.integers(0, 3)),
        "scenario": sometimes_odd(WORDS),
        "variables": sometimes_odd(st.dictionaries(WORDS, VALUES, max_size=3)),
        "timedWorldInfo": sometimes_odd(st.fixed_dictionaries({}, optional={"sticky": EFFECTS, "cooldown": EFFECTS})),
        "mine": VALUES,
    },
)
HEADERS = st.fixed_dictionaries({"user_name": NAMES, "chat_metadata": METADATA}, optional={"mine": VALUES})
MESSAGES = st.fixed_dictionaries(
    {"mes": sometimes_odd(WORDS)},
    optional={
        "name": sometimes_odd(NAMES),
        "is_user": sometimes_odd(st.booleans()),
        "is_system": sometimes_odd(st.booleans()),
        "extra": sometimes_odd(st.fixed_dictionaries({}, optional={"type": WORDS, "bias": VALUES})),
        "swipes": sometimes_odd(st.lists(WORDS, min_size=1, max_size=3)),
        "swipe_id": sometimes_odd(st.integers(0, 2)),
        "swipe_info": sometimes_odd(st.lists(st.fixed_dictionaries({"extra": VALUES}), min_size=1, max_size=3)),
        "original_avatar": VALUES,
        "send_date": VALUES,
        "mine": VALUES,
    },
)
BLANKS = st.sampled_from(["", "  ", "no json", "[1]", "null", '{"mes": "cut'])


@st.composite
def texts(draw):
    """The text of a chat with a header, as several programs would write it."""
    separators = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    ascii_only = draw(st.booleans())

    def line(value):
        return json.dumps(value, ensure_ascii=ascii_only, separators=separators)

    rest = draw(st.lists(st.one_of(MESSAGES, MESSAGES, MESSAGES, BLANKS), min_size=1, max_size=4))
    lines = [line(draw(HEADERS)), *(one if isinstance(one, str) else line(one) for one in rest)]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end, end + end]))


def read(text):
    return read_chat_lines(text, user="Wen", character="Maren").value


def in_memory(chat):
    return json.dumps([chat.metadata, chat.originals], sort_keys=True), chat.messages, chat.variables


def check(before, after, allowed):
    """What is written reads as the changed chat, and differs from the file at the allowed paths alone."""
    text = write_chat_lines(after)
    assert in_memory(read(text)) == in_memory(after)
    old = "\n".join(before.source.lines)
    places = {path.split("/", 2)[1] if "/" in path else "" for path in different(old, text)}
    assert places <= allowed, places


@given(texts())
def test_an_unchanged_chat_is_the_same_text(text):
    chat = read(text)

    assert write_chat_lines(chat) == text
    assert with_timers(chat, read_timers(chat, Notes())) is chat


@given(texts())
def test_whatever_a_chat_holds_a_scene_can_be_read_from_it(text):
    chat = read(text)
    notes = Notes()

    assert len(chat_lines(chat)) == len(chat.messages)
    assert isinstance(chat_note(chat, notes).depth, (int, float))
    assert all(isinstance(name, str) for name in group_names(chat))
    assert isinstance(chat_texts(chat, notes).scenario, str)


@given(texts(), st.dictionaries(WORDS, VALUES, max_size=3))
def test_variables(text, variables):
    chat = read(text)

    check(chat, with_variables(chat, variables), {"chat_metadata"})


@given(texts(), WORDS, st.sampled_from(["start", "end", "in_chat", "none"]), NUMBERS, NUMBERS)
def test_notes(text, prompt, position, depth, interval):
    chat = read(text)
    note = Note(text=prompt, position=position, depth=depth, interval=interval)

    after = with_note(chat, note)

    check(chat, after, {"chat_metadata"})
    assert chat_note(after, Notes()) == note


@given(texts(), st.dictionaries(st.sampled_from(["b.1", "b.2"]), st.builds(Timer, st.just("7"), NUMBERS, NUMBERS)))
def test_timers(text, timers):
    chat = read(text)
    state = State(sticky=timers)

    after = with_timers(chat, state)

    check(chat, after, {"chat_metadata"})
    assert read_timers(after, Notes()) == state


@given(texts(), WORDS, NAMES, st.booleans())
def test_added_messages(text, said, name, is_user):
    chat = read(text)

    after = add_message(chat, name, said, is_user=is_user)

    written = write_chat_lines(after)
    kept = [line for line in text.split("\n") if line.strip()]
    assert [line.rstrip("\r") for line in written.split("\n") if line.strip()][:-1] == [
        line.rstrip("\r") for line in kept
    ]
    assert in_memory(read(written)) == in_memory(after)


@given(texts(), st.data())
def test_changed_messages(text, data):
    chat = read(text)
    if not chat.messages:
        return
    at = data.draw(st.integers(0, len(chat.messages) - 1))
    raw = chat.originals[at]
    said = data.draw(WORDS)

    edited = edit_message(chat, at, said)
    check(chat, edited, {"mes", "swipes", ""})
    check(chat, hide_message(chat, at), {"is_system", ""})
    if isinstance(raw.get("swipes"), list):
        swiped = add_swipe(chat, at, said)
        found = swiped.originals[at]
        assert found["mes"] == found["swipes"][found["swipe_id"]] == said
        assert raw["mes"] in found["swipes"]
        per_version = {"mes", "swipes", "swipe_id", "swipe_info", "extra", "send_date"}
        check(chat, swiped, {*per_version, ""})
        again = choose_swipe(swiped, at, found["swipe_id"])
        assert in_memory(again) == in_memory(swiped)
