"""The quick reader of our own layout says what the YAML parser says, or leaves the text to it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native import tree
from lorewright.formats.native.edit import edit_native, format_native
from lorewright.formats.native.emit import NO_COMMENTS, _Emitter, emit_yaml
from lorewright.formats.native.lines import read_lines
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.tree import parse_tree, to_value
from lorewright.formats.native.write import native_value, write_native
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


def test_our_own_layout_may_be_as_large_as_json():
    """4 MiB is the limit of YAML; a text that is read line by line has the 32 MiB of JSON (spec formats §6)."""
    book = Book("b", tuple(Entry(uid=n, keys=(f"k{n}",), content="x" * 99_000) for n in range(50)))
    text = write_native(book)
    assert len(text) > tree.YAML_BYTES

    assert read_native_text(text).value.entries == book.entries
    assert format_native(text) == text
    renamed = edit_native(text, replace(book, name="c"))
    assert renamed == text.replace("name: b\n", "name: c\n")


@pytest.mark.parametrize("text", ["lorewright: 1 # mine\n", "lorewright: 1\na: {b: 1}\n"])
def test_another_layout_keeps_its_limit(text):
    text += f"name: {'x' * tree.YAML_BYTES}\n"

    for refuses in (read_native_text, format_native, lambda text: edit_native(text, Book("b", ()))):
        with pytest.raises(FormatError, match="4,194,304") as caught:
            refuses(text)
        assert caught.value.facts == {"limit": 4 * 2**20, "value": len(text)}


@pytest.mark.parametrize(
    "flood",
    ["- a\n" * 2_000_001, f"- [{'a, ' * 2_000_001}a]\n", f"{'x' * (32 * 2**20)}\n"],
    ids=["list", "items", "text"],
)
def test_the_quick_reader_has_the_guards_of_json(flood):
    assert read_lines("a:\n  " + flood.replace("\n- ", "\n  - ")) is None
