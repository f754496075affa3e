"""The lore of a Backyard archive can be edited; everything else stays byte for byte."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from lorewright.core.model import Entry
from lorewright.errors import FormatError
from lorewright.formats.byaf_write import theirs
from lorewright.formats.read import read_book, read_card
from lorewright.formats.write_book import write_book
from lorewright.formats.write_card import write_card
from tests.formats.archives import zipped

LORE: list[Any] = [
    {"id": "x", "key": "alpha, beta", "value": "#{user}: hello {character}.", "order": 1},
    "no item",
    {"key": "gamma", "value": "g"},
]


def archive(lore=LORE):
    character = {"name": "Ada", "displayName": "Ada B.", "persona": "p", "isNSFW": False, "images": []}
    if lore is not None:
        character["loreItems"] = lore
    manifest = {"characters": ["characters/a/character.json"], "scenarios": ["scenarios/s.json"]}
    return zipped(
        {
            "manifest.json": json.dumps(manifest, indent=2),
            "scenarios/s.json": json.dumps({"narrative": "n"}),
            "characters/a/character.json": json.dumps(character, indent=2),
            "images/a.png": b"PNG" * 99,
        }
    )


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def lore_of(data):
    return json.loads(members(data)["characters/a/character.json"])["loreItems"]


def test_only_what_was_edited_changes():
    data = archive()
    book = read_book(data).value
    first, last = book.entries
    edited = replace(book, entries=(replace(first, content="{{user}}: bye {{char}}"), replace(last, keys=("g", "h"))))

    made = write_book(data, edited)

    assert made.losses == ()
    assert lore_of(made.data) == [
        {**LORE[0], "value": "#{user}: bye {character}"},
        "no item",
        {**LORE[2], "key": "g, h"},
    ]
    before, after = members(data), members(made.data)
    assert [name for name in before if before[name] != after[name]] == ["characters/a/character.json"]
    assert b'\n  "loreItems": [' in after["characters/a/character.json"]
    assert write_book(data, book).data == data


def test_items_come_and_go():
    data = archive()
    book = read_book(data).value

    made = write_book(data, replace(book, entries=(book.entries[1], Entry(uid=9, keys=("d",), content="{{user}}"))))

    assert lore_of(made.data) == ["no item", LORE[2], {"key": "d", "value": "{user}"}]


@pytest.mark.parametrize("lore", [None, []])
def test_a_character_without_lore(lore):
    made = write_book(archive(lore), book_of(Entry(uid=1, keys=("a",), content="x")))

    assert lore_of(made.data) == [{"key": "a", "value": "x"}]


def book_of(*entries):
    return replace(read_book(archive()).value, entries=entries, extra={})


def test_what_has_no_place_is_told():
    book = read_book(archive()).value
    first, last = book.entries

    made = write_book(
        archive(), replace(book, entries=(replace(first, title="T", depth=7), replace(last, keys=("a,b",))))
    )

    assert {loss.field for loss in made.losses} == {"title", "depth", "keys"}
    assert {loss.code for loss in made.losses} == {"loss_on_export"}


def test_other_fields_of_the_card_are_refused():
    value = read_card(archive()).value.data

    with pytest.raises(FormatError, match="`description`") as caught:
        write_card(archive(), {**value, "data": {**value["data"], "description": "new"}})

    assert caught.value.facts["fields"] == ["description"]


@pytest.mark.parametrize(
    ("text", "was", "wanted"),
    [
        ("{{user}} and {{char}}", "", "{user} and {character}"),
        ("{{user}}: hi", "#{character}: x", "#{user}: hi"),
        ("{{user}}: hi", "", "{user}: hi"),
        ("{{{user}}}", "", "{{{user}}}"),
        ("#{{user}}: hi", "", "#{{user}}: hi"),
    ],
)
def test_macros(text, was, wanted):
    assert theirs(text, was) == wanted
