"""The quick parser of YAML stands for the thorough one: same values, same places; what it does not take goes on."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml import YAMLError

from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native import tree
from lorewright.formats.native.edit import edit_native
from lorewright.formats.native.read import read_native_text
from tests.formats.native.test_lines import LINES

PIECES = st.sampled_from(
    ["a", "b: ", "- ", "? ", ": ", "\n", "\n  ", "\n    ", "|\n", ">-\n  ", "'q'", '"x\\n"', "#c\n", " # c", "[", "]",
     "{", "}", ", ", "no", "12:30", "1" * 30, "é", "😀", "\r\n", "\t", "&x ", "*x", "!t ", "---\n", "<<: ", "~", "%"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)


def places(node):
    """Where every value stands; one that is empty stands nowhere."""
    own = [] if node.kind == "scalar" and node.start == node.end else [(node.kind, node.start, node.end, node.line)]
    return [*own, *(place for child in (*node.keys, *node.items) for place in places(child))]


@given(TEXTS)
def test_both_parsers_read_the_same(text):
    quick = thorough = None
    with suppress(YAMLError, ValueError, FormatError):  # one of them refuses it: then the thorough one decides
        quick = tree._build(tree._quick_events(text) or ())
        thorough = tree._parse_thoroughly(text)
    if quick is None or thorough is None:
        return
    if tree._EXOTIC.search(text):
        return

    assert is_exact(tree.to_value(quick, Notes()), tree.to_value(thorough, Notes()))
    assert places(quick) == places(thorough)


def large(entries):
    """A book in a layout of its own."""
    return "lorewright: 1 # mine\nname: b\nentries:\n" + "".join(
        f"  - uid: {n}\n    keys: [ key{n}, no, 12:30 ]  # of {n}\n    content: >-\n      The text\n"
        f"      of {n}.\n    order: {'7' * 30}\n" for n in range(entries)
    )  # fmt: skip


def test_a_large_book_in_a_layout_of_its_own_is_read():
    text = large(20_000)
    assert 2_000_000 < len(text) < tree.YAML_BYTES

    book = read_native_text(text).value

    assert len(book.entries) == 20_000
    assert book.entries[7].keys == ("key7", "no", "12:30")
    assert book.entries[7].order == int("7" * 30)
    assert book.entries[7].content == "The text of 7."


def test_comments_of_a_large_book_survive_an_edit():
    text = large(8_000)
    assert len(text) > tree.FOREIGN_BYTES
    book = read_native_text(text).value
    entries = (replace(book.entries[0], content="New."), *book.entries[1:])

    edited = edit_native(text, replace(book, entries=entries))

    assert edited == text.replace("content: >-\n      The text\n      of 0.\n", "content: New.\n")


def test_without_the_quick_parser_a_large_book_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(tree, "_quick_events", lambda _: None)

    assert read_native_text(large(100)).value.entries[7].keys == ("key7", "no", "12:30")
    with pytest.raises(FormatError, match=r"lorewright\[import\]"):
        read_native_text(large(8_000))


def test_a_mistake_in_a_large_book_is_placed():
    text = large(8_000) + "  - uid: x\n    title: a: b\n"

    with pytest.raises(FormatError) as caught:
        read_native_text(text)

    assert caught.value.facts["line"] == text.count("\n")
