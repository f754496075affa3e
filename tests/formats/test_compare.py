"""Two books side by side: what Lorewright itself put into a file is no difference, what anybody changed is one."""

import json
from dataclasses import replace

import pytest
from hypothesis import given

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.formats.compare import Change, compare_books
from lorewright.formats.read import read_book
from lorewright.formats.write import convert
from tests.formats.test_losses import BOOKS

COMPLETE = ["st_worldinfo", "character_book", "card_v2", "card_v3"]


def written(book, to, name=None):
    return read_book(convert(book, to).data, name).value


@pytest.mark.parametrize("to", COMPLETE)
@given(book=BOOKS)
def test_a_book_is_its_own_export(to, book):
    exported = written(book, to)

    assert not compare_books(book, exported)
    assert not compare_books(exported, book)


@pytest.mark.parametrize("to", COMPLETE)
def test_a_changed_field_of_an_export_is_a_difference(to):
    book = Book("isles", (Entry(uid=1, keys=("a",), content="x", order=7, sticky=2),))
    exported = written(book, to)
    edited = replace(exported, entries=(replace(exported.entries[0], order=8),))

    assert compare_books(book, edited).changed == ((book.entries[0], (Change("order", 7, 8),)),)


def test_a_note_in_a_field_of_our_own_is_a_difference_once():
    book = Book("isles", (Entry(uid=1, keys=("a",), content="x", sticky=2),))
    other = written(replace(book, entries=(replace(book.entries[0], sticky=3),)), "janitor_lorebook")
    (_, changes), *more = compare_books(written(book, "janitor_lorebook"), other).changed

    assert not more
    assert changes == (Change("sticky", 2, 3),)


@pytest.mark.parametrize(
    ("said", "other", "expected"),
    [
        ({"name": "isles"}, "isles", ()),
        ({"name": "isles"}, "rivers", (Change("name", "isles", ABSENT),)),
        ({"description": "isles"}, "isles", (Change("description", "isles", ABSENT),)),
    ],
)
def test_a_name_of_one_file_is_compared_with_the_name_of_the_other_book(said, other, expected):
    book = read_book(json.dumps({**said, "entries": {}}).encode(), "any").value

    assert compare_books(book, Book(other, ())).book == expected


def test_two_files_with_names_of_their_own():
    left, right = (Book("any", (), {"name": name}) for name in ("isles", "rivers"))

    assert compare_books(left, right).book == (Change("name", "isles", "rivers"),)
