"""An edit changes what was edited: comments, blank lines, quotes and order stay as somebody wrote them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.native.edit import edit_native, format_native
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import native_value, write_native
from tests.formats.native.test_round_trip import ENTRIES, TEXTS, books, same

BOOK = """\
# The isles, by Wen.

lorewright: 1   # do not touch
name: 'Isles'
mood: dark      # nobody knows this name

entries:   # three of them
  # -- people --
  - uid: 1
    # what they say
    keys: [ Maren,   'keeper' ]   # no nicknames
    content: |   # her story
      Maren keeps the lamp.

      She is "old".
    order: 100

  - keys:
      - mill  # the old one
      - /mills?/i
    uid: 2
    filter: {names: [Ana], tags: []}

    content: "The mill.\\r\\n"
    colour: red
    gate: night

  # -- the end --
  - uid: three
    content: Plain text
# bye
"""


def edited(change, text=BOOK):
    book = read_native_text(text).value
    new = change(book)
    result = edit_native(text, new)
    assert same(read_native_text(result).value, new), result
    return result


def entry(uid, **values):
    def change(book):
        return replace(book, entries=tuple(replace(e, **values) if e.uid == uid else e for e in book.entries))

    return change


def test_without_a_change_nothing_changes():
    assert edited(lambda book: book) == BOOK


@pytest.mark.parametrize(
    ("uid", "values", "old", "new"),
    [
        (1, {"order": 50}, "    order: 100\n", "    order: 50\n"),
        (1, {"order": ABSENT}, "    order: 100\n", ""),
        (1, {"order": Odd("high")}, "order: 100", "order: high"),
        (1, {"keys": ("Maren",)}, "keys: [ Maren,   'keeper' ]   # no", "keys: [Maren]   # no"),
        (
            1,
            {"content": "A\n b\n"},
            '|   # her story\n      Maren keeps the lamp.\n\n      She is "old".',
            "|  # her story\n      A\n       b",
        ),
        (
            1,
            {"content": "A"},
            'content: |   # her story\n      Maren keeps the lamp.\n\n      She is "old".',
            "content: A  # her story",
        ),
        (
            2,
            {"keys": ("mill",)},
            "keys:\n      - mill  # the old one\n      - /mills?/i\n    uid",
            "keys: [mill]\n    uid",
        ),
        (
            2,
            {"enabled": False},
            '    content: "The mill.\\r\\n"\n    colour: red\n    gate: night\n',
            '    content: "The mill.\\r\\n"\n    colour: red\n    gate: night\n    enabled: false\n',
        ),
        (
            2,
            {"filter": CharacterFilter(("Bo",))},
            "filter: {names: [Ana], tags: []}",
            "filter:\n      names: [Bo]\n      tags: []\n      exclude: false",
        ),
        (2, {"extra": {"colour": "blue"}}, "colour: red", "colour: blue"),
        (2, {"gate": ABSENT}, "    gate: night\n", ""),
        ("three", {"content": "a\nb"}, "content: Plain text", "content: |-\n      a\n      b"),
        ("three", {"title": "T", "content": ABSENT}, "    content: Plain text\n", "    title: T\n"),
    ],
)
def test_a_changed_field(uid, values, old, new):
    assert BOOK.count(old) == 1
    assert edited(entry(uid, **values)) == BOOK.replace(old, new)


def test_the_book_itself():
    assert edited(lambda book: replace(book, name="Sea")) == BOOK.replace("'Isles'", "Sea")
    added = edited(lambda book: replace(book, extra={**book.extra, "description": "d"}))
    assert "# three of them" in added
    assert "description: d" in added


def test_a_removed_entry_leaves_the_others_alone():
    result = edited(lambda book: replace(book, entries=book.entries[1:]))

    assert "Maren" not in result
    assert result.endswith(BOOK[BOOK.index("  - keys:") :])


def test_an_added_entry_stands_at_the_end():
    new = Entry(uid=9, keys=("x",), content="y\nz\n")
    result = edited(lambda book: replace(book, entries=(*book.entries, new)))

    assert result == BOOK.replace(
        "Plain text\n", "Plain text\n\n  - uid: 9\n    keys: [x]\n    content: |\n      y\n      z\n"
    )


def test_entries_in_another_order_take_their_comments_along():
    result = edited(lambda book: replace(book, entries=book.entries[::-1]))

    comments = [line.partition("#")[2] for line in BOOK.splitlines() if "#" in line]
    assert sorted(line.partition("#")[2] for line in result.splitlines() if "#" in line) == sorted(comments)
    assert result.index("-- the end --") < result.index("-- people --")


def test_windows_line_ends_stay():
    text = BOOK.replace("\n", "\r\n")
    result = edited(entry("three", content="a\nb"), text)

    assert result.count("\n") == result.count("\r\n")


def test_json_stays_json():
    text = write_native(read_native_text(BOOK).value, "json")

    assert edited(lambda book: book, text) == text
    assert edited(entry(1, order=50), text) == text.replace("100", "50")


@given(books(), books())
def test_any_edit_gives_exactly_the_new_book(before, after):
    for form in ("yaml", "json"):
        result = edit_native(write_native(before, form), after)

        assert same(read_native_text(result).value, after)


@given(st.sampled_from([1, 2, "three"]), ENTRIES, TEXTS.filter(bool))
def test_any_edit_of_a_book_with_comments(uid, values, name):
    edited(lambda book: replace(entry(uid, **values)(book), name=name))


@pytest.mark.parametrize("uid", [1, 2, "three"])
@given(content=TEXTS)
def test_any_text_into_a_commented_book_keeps_every_comment(uid, content):
    result = edited(entry(uid, content=content, title=content))

    for comment in (
        "# The isles",
        "# do not",
        "# nobody",
        "# three",
        "# -- p",
        "# what",
        "# no n",
        "# her",
        "# the old",
        "# bye",
    ):
        assert comment in result


# --- the canonical form


def test_format_orders_fields_and_keeps_comments():
    assert format_native(BOOK) == (
        "# The isles, by Wen.\nlorewright: 1  # do not touch\nname: Isles\n"
        "mood: dark  # nobody knows this name\n\n"
        "entries:  # three of them\n"
        "  # -- people --\n  - uid: 1\n    # what they say\n    keys: [Maren, keeper]  # no nicknames\n"
        '    content: |  # her story\n      Maren keeps the lamp.\n\n      She is "old".\n    order: 100\n\n'
        "  - uid: 2\n    keys:\n      - mill  # the old one\n      - /mills?/i\n"
        '    content: "The mill.\\r\\n"\n    gate: night\n    filter:\n      names: [Ana]\n      tags: []\n    colour: red\n\n'
        "  # -- the end --\n  - uid: three\n    content: Plain text\n# bye\n"
    )


@pytest.mark.parametrize("text", [BOOK, BOOK.replace("\n", "\r\n"), write_native(Book("b", ()), "json")])
def test_format_changes_no_value_and_is_done_after_once(text):
    result = format_native(text)

    assert same(read_native_text(result).value, read_native_text(text).value)
    assert format_native(result) == result


def test_format_loses_no_value_of_a_name_that_stands_twice():
    with pytest.raises(FormatError, match="Take one of them out first"):
        format_native("lorewright: 1\nname: a\nname: b\nentries: []\n")


def test_a_value_keeps_its_kind():
    text = "lorewright: 1\nname: b\nentries:\n- uid: 0\n  order: 100.0\n  depth: 1e2\n  sticky: 0x10\n"

    assert native_value(read_native_text(format_native(text)).value)["entries"] == [
        {"uid": 0, "order": 100.0, "depth": 100.0, "sticky": 16}
    ]
