"""The quick reader of our own layout says what the YAML parser says, or leaves the text to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native import native_value, write_native
from lorewright.formats.native.emit import NO_COMMENTS, _Emitter, emit_yaml
from lorewright.formats.native.lines import read_lines
from lorewright.formats.native.tree import parse_tree, to_value
from tests.formats.native.test_edit import BOOK
from tests.formats.native.test_round_trip import ANY, HARD, TEXTS, books


def agrees(text):
    quick = read_lines(text)
    if quick is None:
        return True
    notes = Notes()
    return is_exact(quick, to_value(parse_tree(text), notes)) and notes.reports() == ()


@given(books())
def test_any_book_that_we_write(book):
    assert agrees(write_native(book))


@given(st.dictionaries(TEXTS, ANY, min_size=1, max_size=4))
def test_any_value_that_we_write(value):
    assert agrees(emit_yaml(value))


LINES = (
    *(
        "a: b",
        "a:",
        "  a: 1",
        "  - a",
        "  - a: b",
        "    c: |",
        "      x",
        "    c: |-",
        "   x",
        "      - y",
        "- z",
        "a: [b, c]",
    ),
    *(
        "a: [b,c]",
        "a: [b, c, ]",
        "a: []",
        "a: {}",
        "a: {b: c}",
        "",
        "",
        "#x",
        "a: b #c",
        "a: -",
        "a: - b",
        "  b: ---",
        "---",
    ),
    *(
        "...",
        "a: 'x'",
        'a: "x"',
        'a: "\\x41"',
        'a: "\\ud83d\\ude00"',
        "a: &b c",
        "a: *b",
        "a: !c",
        "<<: b",
        '"<<": b',
        "? a",
        ": b",
    ),
    *(
        "a: |2",
        "a: |+",
        "a: >",
        "  x  ",
        "a:  b",
        "a : b",
        "a: b: c",
        "1: 2",
        "true: 1",
        "a: .5",
        "a: .",
        "a: +",
        "a: -x",
        "a: -1",
        "-",
    ),
    *(
        "a: . b",
        "a: [-, a]",
        "a: [- a]",
        "a: [.5, -1]",
        "  -",
        "  - -",
        "  - - a",
        "  - a: 1",
        "    b: 2",
        "  - []",
        "  - [a]",
        "  - {}",
    ),
)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=7))
def test_any_lines(lines):
    text = "\n".join(lines) + "\n"
    try:
        assert agrees(text)
    except FormatError:
        pytest.fail(f"the quick reader takes what YAML refuses: {text!r}")


@given(TEXTS | st.text("ab \n#:-|[],'\"", max_size=8))
def test_any_text_behind_a_name(text):
    try:
        assert agrees(f"a: {text}\n")
    except FormatError:
        pytest.fail(f"the quick reader takes what YAML refuses: {text!r}")


def test_it_is_used_for_what_we_write_and_not_for_what_has_comments():
    book = Book("b", (Entry(uid=0, content="a\nb\n", keys=("x", "no"), extra={"e": {"f": [1, {"g": None}]}}),))

    assert read_lines(write_native(book)) is not None
    assert read_lines(BOOK) is None
    plain = [text for text in HARD if read_lines(write_native(Book("b", (Entry(uid=0, content=text),)))) is not None]
    assert len(plain) > len(HARD) // 2


@given(books())
def test_many_entries_are_written_as_the_emitter_writes_them(book):
    value = native_value(book)
    emitter = _Emitter(NO_COMMENTS)

    assert emit_yaml(value) == "\n".join([*emitter.mapping(value, (), ""), ""])
