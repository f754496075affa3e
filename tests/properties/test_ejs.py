"""Any text can be looked through for code; whatever a sandbox says, nothing but `Gone` comes of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.ejs.process import Gone
from lorewright.templates.ejs.scene import Output, Refused
from lorewright.templates.ejs.tags import is_template, split_tags
from lorewright.templates.ejs.wire import Ask, Done, read_events

MARKS = ["<%", "<%=", "<%-", "<%_", "<%#", "<%%", "%%>", "%>", "-%>", "_%>", "<", "%", ">", "-", "\n", "x"]
TEXTS = st.text() | st.lists(st.sampled_from(MARKS) | st.text(max_size=3)).map("".join)


@given(TEXTS)
def test_the_parts_of_a_text_are_the_text(text):
    pieces = list(split_tags(text))

    assert "".join(piece.whole for piece in pieces) == text
    assert is_template(text) or all(piece.kind in {"text", "mark"} for piece in pieces)
    assert all(piece.kind != "text" or (piece.text and not is_template(piece.text)) for piece in pieces)
    assert all(bool(piece.opening) == (piece.kind in {"code", "output", "comment"}) for piece in pieces)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = [
    "ask",
    "done",
    "helper",
    "path",
    "given",
    "text",
    "reads",
    "writes",
    "refused",
    "clean",
    "code",
    "line",
    "message",
]
EVENTS = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES | st.lists(st.text()) | st.integers(0, 9)), max_size=3)


@given(
    st.binary()
    | EVENTS.map(lambda told: json.dumps(told).encode())
    | VALUES.map(lambda told: json.dumps(told).encode())
)
def test_only_what_the_program_says_is_taken(answer):
    try:
        events = read_events(answer)
    except Gone:
        return

    for event in events:
        assert isinstance(event, Ask | Done)
        if isinstance(event, Done):
            assert isinstance(event.outcome, Output | Refused)


@given(st.integers(0, 9), st.text(), st.lists(st.text()), st.text(), st.booleans())
def test_an_end_is_taken_as_it_is_told(number, text, reads, name, clean):
    told = [{"done": number, "text": text, "reads": reads, "writes": [["local", name, "1"]], "clean": clean}]

    (event,) = read_events(json.dumps(told).encode())

    assert isinstance(event, Done)
    assert isinstance(event.outcome, Output)
    assert (event.number, event.clean, event.outcome.text) == (number, clean, text)
    assert event.outcome.reads == set(reads)
    assert event.outcome.writes == (("local", name, 1),)
