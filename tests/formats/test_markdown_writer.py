"""Markdown lorebooks, written: unchanged parts as they stood, and whatever is written is read again."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.core.gates import Flag, Gate
from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.core.replaces import Replace
from lorewright.formats.markdown.fields import EXTRA_FIELDS, FIELDS, OWN
from lorewright.formats.markdown.structured import GATE, LAYER, REPLACES
from lorewright.formats.markdown.values import FLAG, LEVEL, LIST, NUMBER, TEXT
from lorewright.formats.markdown.writer import write_markdown
from lorewright.formats.read import read_book
from lorewright.formats.write import convert
from tests.formats.markdown_books import read, replace_entry, same

# --- the way back


def test_what_was_not_changed_stands_as_it_stood():
    text = "# B\nAbout\n## a\n+ 关键字：x\n\n\n text\n## b\n* mood :  grim\n```\n## c\n```\n\n\n## d\nlast"
    book = read(text).value

    assert write_markdown(book) == text
    edited = replace_entry(book, 1, keys=("y",))
    assert write_markdown(edited) == (
        "# B\nAbout\n## a\n+ 关键字：x\n\n\n text\n\n## b\n- 关键词: y\n- mood: grim\n\n```\n## c\n```\n\n## d\nlast"
    )
    assert same(read(write_markdown(edited)).value, edited)


def test_entries_keep_their_ids_when_one_is_removed():
    book = read("## a\n1\n## b\n2\n## c {#x}\n3\n").value
    less = Book(book.name, book.entries[1:], book.extra)

    assert same(read(write_markdown(less), name="book").value, less)
    assert "## c {#x}\n3\n" in write_markdown(less)


def test_what_has_no_place_is_named():
    entry = Entry(uid=0, keys=Odd("a"), order=None, filter=CharacterFilter(), title="t", content="a\ud800")
    entry = replace(entry, extra={"vectorized": True, OWN: {"new": 1, EXTRA_FIELDS: {"`": "x", "fine": "y"}}})
    book = Book("b", (entry,), {"unknown": {"a": 1}, "scan_depth": 4})

    lost = {report.field for report in convert(book, "markdown_lorebook").losses}
    assert lost == {"unknown", "keys", "content", "filter", "vectorized", "lorewright.new", "lorewright.extra_fields"}
    write_markdown(book).encode()
    assert convert(Book("b", (Entry(uid=0, keys=("a",), content="x"),)), "markdown_lorebook").losses == ()


def test_through_our_own_format_and_back():
    text = (
        "# B\n\nAbout.\n\n## a\n- 标签: x、y\n- 权重: 7\n- 权威: 待考\n- mood: grim\n\ntext\n# Part\n## b\n- keys: k\n"
    )
    book = read(text).value

    converted = convert(book, "native_yaml")
    again = read_book(converted.data).value

    assert converted.losses == ()
    assert again.name == "B"
    assert [(entry.title, entry.keys) for entry in again.entries] == [("a", ABSENT), ("b", ("k",))]
    assert again.entries[0].authority == "待考"
    written = read(write_markdown(again)).value
    assert written.entries == book.entries
    assert written.extra["description"] == "About."
    assert b"# Part" in converted.data
    assert convert(book, "markdown_lorebook").data.decode() == text


LINES = st.sampled_from(
    [
        *("", " ", "\\", "\\\\", "# a", "## b", "### c", "\\## d", "##", "- keys: a", "\\- keys: a", "- mood: grim"),
        *("**Keywords:** a", "  more", "\tmore", "```", "````", "~~~", "  ```", "\\```", "```py `x`", "---", "| a |"),
        *("|---|", "{#id}", "/a,b/i", '"q"', "\r", "\x85", "\x00", "　", "中文、字", "- 启用: 否", "+ a: b", "a"),
    ]
)
texts = st.one_of(
    st.lists(LINES, max_size=6).map("\n".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text('"\\/,，、|`[] {}#:-\n\ra1', max_size=12),
)
numbers = st.one_of(
    st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
)
VALUES = {
    FLAG: st.booleans(),
    NUMBER: numbers,
    LEVEL: st.one_of(st.booleans(), st.integers(2, 9)),
    TEXT: texts,
    LIST: st.lists(texts, max_size=4).map(tuple),
    GATE: st.builds(lambda name: Gate((Flag(name),)), texts.filter(bool)) | texts.map(Odd) | st.none(),
    LAYER: texts | st.integers(-9, 9000),
    REPLACES: st.lists(st.builds(Replace, texts.filter(bool), texts), max_size=2).map(tuple),
}
CHOICES = {"logic": st.integers(0, 3), "position": st.integers(0, 7), "role": st.integers(0, 2)}
WRITTEN = [column for column in FIELDS if column.is_written and column.field != "id"]


def value_of(column):
    return CHOICES[column.field] if column.field in CHOICES else VALUES[column.kind]


@st.composite
def made_entries(draw, uid):
    columns = draw(st.lists(st.sampled_from(WRITTEN), unique_by=lambda column: column.field, max_size=5))
    model = {column.field: draw(value_of(column)) for column in columns if not column.own}
    mine = {column.field: draw(value_of(column)) for column in columns if column.own}
    unknown = draw(st.dictionaries(st.sampled_from(["mood", "情绪", "a b"]), texts, max_size=2))
    mine |= {EXTRA_FIELDS: unknown} if unknown else {}
    extra = {OWN: mine} if mine else {}
    return Entry(uid=uid, title=draw(texts), content=draw(texts), extra=extra, **model)


@st.composite
def books(draw):
    uids = draw(
        st.lists(st.one_of(st.integers(0, 9), texts), max_size=4, unique_by=str) | st.sampled_from([[0], [0, 1, 2]])
    )
    made = tuple(draw(made_entries(uid)) for uid in uids)
    description = draw(texts)
    extra = {"description": description} if description else {}
    extra |= draw(st.sampled_from([{}, {"scan_depth": 4}, {"recursive_scanning": False, "authors": ("Ann", "B, c")}]))
    return Book(draw(texts.filter(bool)), made, extra)


TRICKY = [("\\", ""), ("/open", "/a,b/"), ("/x", "/"), ('"abc', 'd"'), ("`/a", "b/`"), ("/a/", "/b")]


@pytest.mark.parametrize("items", TRICKY)
def test_lists_come_back(items):
    for chinese in (False, True):
        assert LIST.read(LIST.write(items, chinese) or "") == items


@given(books())
@example(Book("b", (Entry(uid=0, title="", content="```\n## a"), Entry(uid=1, title="x", content="```")), {}))
def test_a_book_is_read_as_it_was_written(book):
    again = read(write_markdown(book)).value

    assert same(again, book)
    assert write_markdown(again) == write_markdown(book)


@given(st.lists(LINES | st.just("## e") | st.just("- 关键词: a、b"), max_size=25).map("\n".join), st.data())
def test_a_file_comes_back_and_an_edit_changes_one_entry(text, data):
    read_before = read(text)
    book = read_before.value

    assert write_markdown(book) == text
    assert read_before.found == len(book.entries)
    if book.entries:
        at = data.draw(st.integers(0, len(book.entries) - 1))
        edited = replace_entry(book, at, content=data.draw(texts))
        assert same(read(write_markdown(edited), name=book.name).value, edited)
