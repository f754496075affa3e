"""An edit that a card does not show is reported, and an edit that it shows is not."""

import json
from dataclasses import replace
from typing import Any

import pytest

from lorewright.core.model import Entry
from lorewright.formats.read import read_book
from lorewright.formats.stash import take_stash
from lorewright.formats.write_book import write_book
from tests.formats.archives import zipped
from tests.formats.edited_cards import CARD, as_bytes, by_way_of_ours, edit
from tests.formats.pictures import card

READ = read_book(as_bytes(CARD)).value
GATE: Any = next(entry for entry in READ.entries if entry.uid == 3)


def told(made):
    return [(loss.code, loss.field) for loss in made.losses]


def extra(**changes):
    return {**GATE.extra, **changes}


@pytest.mark.parametrize("way", [lambda book: book, by_way_of_ours], ids=["as read", "ours"])
@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (extra(name="Other"), "name"),
        (extra(extensions={**GATE.extra["extensions"], "depth": 9}), "extensions.depth"),
    ],
)
def test_an_edit_only_of_what_repeats_a_field(way, changed, name):
    made = write_book(as_bytes(CARD), edit(way(READ), 3, extra=changed))

    assert ("edit_not_written", name) in told(made)


@pytest.mark.parametrize("way", [lambda book: book, by_way_of_ours], ids=["as read", "ours"])
def test_a_second_spelling_that_says_something_else(way):
    raw = {"uid": 3, "key": ["a"], "content": "b", "disable": False, "enabled": False, "insertion_order": 4}
    data = as_bytes(card("Ada", character_book={"name": "B", "entries": [raw]}))
    book = read_book(data).value

    made = write_book(data, edit(way(book), 3, extra={**book.entries[0].extra, "insertion_order": 5}))

    assert ("edit_not_written", "insertion_order") in told(made)


def test_a_name_that_a_card_has_for_a_field_is_kept_beside():
    made = write_book(as_bytes(CARD), edit(READ, 3, extra=extra(keys=["other"])))

    assert told(made) == []
    assert take_stash(read_book(made.data).value).entries[1].extra["keys"] == ["other"]


def test_an_edit_of_both_is_written():
    changed = extra(name="Door", extensions={**GATE.extra["extensions"], "weight": 4})

    made = write_book(as_bytes(CARD), edit(by_way_of_ours(READ), 3, title="Door", extra=changed))

    assert told(made) == []
    again: Any = read_book(made.data).value.entries[1]
    assert (again.title, again.extra["name"], again.extra["extensions"]["weight"]) == ("Door", "Door", 4)


def test_an_archive_without_a_place_for_the_book_s_own_fields():
    character = json.dumps({"name": "A", "loreItems": [{"key": "k", "value": "v"}]})
    data = zipped({"manifest.json": json.dumps({"characters": ["c.json"]}), "c.json": character})
    book = by_way_of_ours(read_book(data).value)

    made = write_book(data, replace(book, name="New", extra={"description": "d"}))

    assert made.data == data
    assert told(made) == [("edit_not_written", "description"), ("edit_not_written", "name")]
    assert told(write_book(data, book)) == []


@pytest.mark.parametrize("name", [None, "", 3])
def test_a_book_without_a_name_of_its_own_is_not_renamed(name):
    data = as_bytes(card("Ada", character_book={"name": name, "entries": []}))
    book = by_way_of_ours(read_book(data).value)

    made = write_book(data, replace(book, name="New"))

    assert (made.data, told(made)) == (data, [("edit_not_written", "name")])
    assert told(write_book(data, book)) == []


def test_of_two_entries_with_one_uid_the_first_is_the_one_of_the_card():
    twin = Entry(uid=3, title="Twin", keys=("t",), content="new")

    made = write_book(as_bytes(CARD), replace(READ, entries=(*READ.entries, twin)))

    entries = json.loads(made.data)["data"]["character_book"]["entries"]
    assert entries[:3] == CARD["data"]["character_book"]["entries"]
    assert (entries[3]["content"], len(entries)) == ("new", 4)
