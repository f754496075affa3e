"""Books in other formats: nothing is lost where there is a place to keep it, and said where there is none."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.native.write import as_native
from lorewright.formats.read import read_book
from lorewright.formats.stash import take_stash
from lorewright.formats.write import WRITERS, convert, format_of

ROOT = Path(__file__).resolve().parents[2]
INPUTS = sorted(path for path in (ROOT / "conformance" / "formats").glob("[0-9]*") if ".expected." not in path.name)
KEEPING = [to for to, writer in WRITERS.items() if writer.keeps_all]


WITH_FOLDERS = {"11-charx-module-wins.charx"}
"""Their files hold more than a book: to keep that, keep the file."""


def read_if_book(path):
    try:
        return read_book(path)
    except FormatError:
        return None


BOOKS = {path.name: read for path in INPUTS if (read := read_if_book(path)) and read.value.entries}


def entries(book):
    """The entries by uid, without the order of names in a file."""
    return {str(entry.uid): replace(entry, layout=()) for entry in book.entries}


def test_there_are_books():
    assert len(BOOKS) > 10


@pytest.mark.parametrize("to", KEEPING)
@pytest.mark.parametrize("name", BOOKS)
def test_there_and_back_nothing_is_lost(name, to):
    book = BOOKS[name].value
    plain, _ = as_native(book)

    made = convert(book, to)
    again = read_book(made.data, book.name)
    back = read_book(convert(again.value, "native_yaml").data).value

    assert [loss.code for loss in made.losses] == (["not_written"] if name in WITH_FOLDERS else [])
    assert entries(back) == entries(plain)
    assert dict(back.extra) == dict(plain.extra)


@pytest.mark.parametrize("name", BOOKS)
def test_the_same_format_is_the_same_file(name):
    read = BOOKS[name]
    if format_of(read.value) != read.format:
        pytest.skip("a card: see `write_card`")
    path = ROOT / "conformance" / "formats" / name

    made = convert(read.value, read.format)

    assert is_exact(detect(made.data).content, detect(path.read_bytes()).content)
    assert made.losses == ()


def test_a_change_in_between_is_not_undone():
    book = Book("b", (Entry(uid=1, keys=("a",), content="x", order=Odd("9"), probability=ABSENT, extra={"tags": [1]}),))
    written = json.loads(convert(book, "character_book").data)
    raw = written["entries"][0]
    assert raw["extensions"]["lorewright"]["kept"]["absent"]
    raw["content"] = "new"
    raw["extensions"]["probability"] = 30
    raw["extensions"]["theirs"] = 1

    back = take_stash(read_book(json.dumps(written).encode()).value).entries[0]

    assert (back.content, back.probability, back.order) == ("new", 30, Odd("9"))
    assert back.extra["tags"] == [1]
    extensions = back.extra["extensions"]
    assert isinstance(extensions, dict)
    assert extensions["theirs"] == 1


def test_names_of_other_formats_do_not_mislead():
    book = Book("b", (Entry(uid=1, keys=("a",), content="x", extra={"keywords": ["z"]}),), {"lorebookVersion": 3})

    for to in KEEPING:
        assert read_book(convert(book, to).data).format == to


def test_lone_surrogates_are_written():
    book = Book("b", (Entry(uid=1, keys=("a",), content="\ud800"),))

    assert read_book(convert(book, "st_worldinfo").data).value.entries[0].content == "\ud800"


@pytest.mark.parametrize(("to", "says"), [("byaf", "cannot be written"), ("nothing", "no known format")])
def test_what_cannot_be_written_is_refused(to, says):
    with pytest.raises(FormatError, match=says) as caught:
        convert(Book("b", ()), to)

    assert "st_worldinfo" in str(caught.value.facts["writes"])


@pytest.mark.parametrize("to", sorted({*WRITERS} - {"bundle", "markdown_lorebook"}))
@pytest.mark.parametrize("given", [{}, {"keys": None, "content": None}, {"keys": (), "content": ""}])
def test_an_entry_that_says_nothing_is_found_again_in_every_format(to, given):
    data = convert(Book("b", (Entry(uid=0, **given),)), to).data

    assert len(read_book(data).value.entries) == 1


@pytest.mark.parametrize("to", ["character_book", "card_v2", "card_v3", "lorebook_v3", "chub_lorebook", "entry_list"])
@pytest.mark.parametrize("said", [{}, {"enabled": None}])
def test_a_new_entry_of_a_card_says_that_it_is_enabled(to, said):
    """SillyTavern computes `disable = !entry.enabled`: it would switch the entry off (spec formats §1)."""
    book = Book("b", (Entry(uid=0, keys=("a",), content="x", **said), Entry(uid=1, keys=("b",), enabled=False)))

    made = convert(book, to)

    value = json.loads(made.data)
    value = value.get("data", value) if isinstance(value, dict) else {"entries": value}
    written = value.get("character_book", value)["entries"]
    listed = list(written.values()) if isinstance(written, dict) else written
    assert [entry["enabled"] for entry in listed] == [True, False]
    assert made.losses == ()
    if to in KEEPING:
        assert take_stash(read_book(made.data).value).entries[0].enabled is said.get("enabled", ABSENT)


def test_an_original_that_does_not_say_it_stays_as_it_is():
    original = {"name": "b", "entries": [{"keys": ["a"], "content": "x", "extensions": {}, "insertion_order": 1}]}
    book = read_book(json.dumps(original).encode()).value
    assert format_of(book) == "character_book"

    assert json.loads(convert(book, "character_book").data) == original


def test_a_file_that_would_not_be_read_again_is_reported():
    """Markdown is read up to 4 MiB (spec formats §6)."""
    text = "word " * 19_999 + "end"
    large = Book("b", tuple(Entry(uid=n, keys=("k",), content=text) for n in range(50)))

    made = convert(large, "markdown_lorebook")

    assert [(loss.code, loss.book) for loss in made.losses] == [("too_large_to_read", "b")]
    assert f"{len(made.data):,} characters" in made.losses[0].message
    assert "4,194,304" in made.losses[0].message
    with pytest.raises(FormatError, match="4,194,304"):
        read_book(made.data)
    assert convert(large, "native_yaml").losses == ()
    assert convert(replace(large, entries=large.entries[:5]), "markdown_lorebook").losses == ()


def test_a_book_that_has_grown_too_large_for_its_file_is_reported():
    small = read_book(b"# B\n\n## T\n- keys: k\n\nx\n").value
    grown = replace(small, entries=(replace(small.entries[0], content="x" * 5_000_000),))

    made = convert(grown, "markdown_lorebook")

    assert [loss.code for loss in made.losses] == ["too_large_to_read"]


def test_a_file_is_in_memory_once_while_it_is_written():
    entries = [{"id": str(n), "keys": ["k"], "text": "x" * 700} for n in range(2000)]
    book = read_book(json.dumps({"lorebookVersion": 5, "entries": entries}).encode()).value

    tracemalloc.start()
    try:
        made = convert(book, "novelai_lorebook")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 1.5 * len(made.data)
