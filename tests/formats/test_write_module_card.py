"""A card whose lore lies in RisuAI's module beside it: both copies change, and no other byte."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

from lorewright.core.model import Entry
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.read import read_book, read_card
from lorewright.formats.risum import new_risum, read_risum
from lorewright.formats.write_book import write_book
from tests.formats.archives import CARD, charx

ROWS: list[dict[str, Any]] = [
    {"key": "gate,iron", "secondkey": "", "comment": "Gate", "content": "Iron.", "mode": "normal", "insertorder": 10},
    {"key": "\uf000folder:1", "comment": "Folder", "content": "", "mode": "folder"},
    {"key": "geese", "comment": "Geese", "content": "Bite.", "mode": "normal", "insertorder": 5, "alwaysActive": False},
]
MODULE = {"type": "risuModule", "module": {"name": "Mod", "id": "m", "lorebook": ROWS, "trigger": [], "assets": []}}
OLDER: list[dict[str, Any]] = [
    {
        "keys": ["geese"],
        "comment": "Geese",
        "content": "Bite.",
        "enabled": True,
        "insertion_order": 5,
        "extensions": {},
    },
    {"keys": ["gate"], "comment": "Gate", "content": "Old.", "enabled": True, "insertion_order": 10, "extensions": {}},
    {
        "keys": ["only"],
        "comment": "Here",
        "content": "Only here.",
        "enabled": True,
        "insertion_order": 1,
        "extensions": {},
    },
]


def file(*, with_book=True):
    data = {**CARD["data"], **({"character_book": {"entries": OLDER}} if with_book else {})}
    return charx({**CARD, "data": data}, **{"module.risum": new_risum(MODULE), "a.png": b"PNG" * 99})


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def rows(data):
    return read_risum(members(data)["module.risum"], Notes()).value["module"]["lorebook"]


def edited(data, **changes):
    book = read_book(data).value
    return replace(
        book, entries=tuple(replace(e, **changes) if e.title == "Gate" else e for e in book.entries if e.title)
    )


def test_without_changes():
    book = read_book(file()).value

    assert write_book(file(), book).data == file()
    assert write_book(file(), read_native_text(write_native(as_native(book)[0])).value).data == file()


def test_both_change():
    made = write_book(file(), edited(file(), content="Rust.", order=11))

    assert made.losses == ()
    assert rows(made.data) == [{**ROWS[0], "content": "Rust.", "insertorder": 11}, *ROWS[1:]]
    book = json.loads(members(made.data)["card.json"])["data"]["character_book"]
    assert book["entries"] == [OLDER[0], {**OLDER[1], "content": "Rust.", "insertion_order": 11}, OLDER[2]]
    before, after = members(file()), members(made.data)
    assert [name for name in before if before[name] != after[name]] == ["card.json", "module.risum"]


def test_only_the_module_has_it():
    data = file(with_book=False)
    made = write_book(data, edited(data, keys=("door",)))

    assert rows(made.data) == [{**ROWS[0], "key": "door"}, *ROWS[1:]]
    before, after = members(data), members(made.data)
    assert [name for name in before if before[name] != after[name]] == ["module.risum"]


def test_entries_come_and_go():
    book = read_book(file()).value
    gate = next(entry for entry in book.entries if entry.title == "Gate")
    new = Entry(uid="n", keys=("lamp",), title="Lamp", content="New.")

    made = write_book(file(), replace(book, entries=(*(e for e in book.entries if e is not gate), new)))

    assert [row["comment"] for row in rows(made.data)] == ["Folder", "Geese", "Lamp"]
    assert [entry["comment"] for entry in read_card(made.data).value.data["data"]["character_book"]["entries"]] == [
        "Geese",
        "Here",
        "Lamp",
    ]


def test_what_a_module_has_no_place_for_is_told():
    made = write_book(file(), edited(file(), depth=9))

    assert [loss.field for loss in made.losses] == ["depth"]
