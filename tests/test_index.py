"""Files that nobody here wrote: each is what its index says, and comes back through every form that loses nothing."""

import csv
from dataclasses import replace

import pytest

from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.inspect import inspect_file
from lorewright.formats.native import as_native
from lorewright.formats.read import read_book
from lorewright.formats.write import convert, format_of

NAMES = {
    "aidungeon-wi": "aidungeon_wi",
    "byaf": "byaf",
    "card-v1-json": "card_v1",
    "card-v2-json": "card_v2",
    "card-v2-png": "card_v2_png",
    "card-v3-charx": "charx",
    "card-v3-json": "card_v3",
    "card-v3-png": "card_v3_png",
    "card-yaml": "card_yaml",
    "character-book": "character_book",
    "lorebook-bare-array": "entry_list",
    "novelai-lorebook": "novelai_lorebook",
    "risu-module-json": "risu_module",
    "risu-preset-json": "risu_preset",
    "st-context": "st_context",
    "st-instruct": "st_instruct",
    "st-preset-chat": "st_preset_chat",
    "st-preset-other": "st_preset_textgen",
    "st-preset-textgen": "st_preset_textgen",
    "st-quickreply": "st_quickreply",
    "st-regex": "st_regex",
    "st-sysprompt": "st_sysprompt",
    "st-worldinfo": "st_worldinfo",
}
"""The vocabulary of the index and ours."""

REFUSED = {
    "st-settings": ("st_settings", "settings of a program"),
    "tavern-sync-yaml": ("yaml", "a template for a script that makes a card of many files; it is no card itself"),
}
_JANITOR = (
    "janitor_lorebook",
    "its entries have `keysRaw` and the like: row 24 of the shape table stands before row 25",
)
OTHER_FORMAT = {
    f"lorebook-bare-array/Nyxxaa__Kyber_RPG_{name}.json": _JANITOR
    for name in (
        "02_-_Eras_and_History",
        "08_-_Technology_Ships_Gear",
        "08_-_Technology_Ships_Gear~2",
        "10_-_Force_Powers",
        "10_-_Force_Powers~2",
        "11_-_Force_Orders",
    )
}
"""By file: what it is here in place of what the index says, and why."""
OTHER_COUNT: dict[str, tuple[int, str]] = {}
"""By file: the entries here in place of those in the index, and why."""


def rows(shared):
    with (shared / "real-files" / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


def test_the_index_is_whole(shared):
    assert {row["format"] for row in rows(shared)} == {*NAMES, *REFUSED}
    assert len(rows(shared)) > 90


def test_every_file_is_what_the_index_says(shared, subtests):
    for row in rows(shared):
        with subtests.test(file=row["file"]):
            path = shared / "real-files" / row["file"]
            if row["format"] in REFUSED:
                kind, _ = REFUSED[row["format"]]
                with pytest.raises(FormatError) as caught:
                    inspect_file(path)
                assert caught.value.facts.get("format", "") == kind
                continue
            found = inspect_file(path)

            assert found.format == OTHER_FORMAT.get(row["file"], (NAMES[row["format"]], ""))[0]
            if row["entries"] or row["file"] in OTHER_COUNT:
                assert found.entries == OTHER_COUNT.get(row["file"], (int(row["entries"] or 0), ""))[0]
            assert found.ledger.skipped == 0


def test_every_book_comes_back(shared, subtests):
    """The same format is the same file; through a Lorewright book and back no field is lost."""
    for row in rows(shared):
        path = shared / "real-files" / row["file"]
        try:
            read = read_book(path)
        except FormatError:
            continue
        with subtests.test(file=row["file"]):
            book = read.value
            plain, _ = as_native(book)
            again = read_book(convert(book, "native_yaml").data).value

            assert [replace(entry, layout=()) for entry in again.entries] == list(plain.entries)
            assert dict(again.extra) == dict(plain.extra)
            if format_of(book) == read.format:
                assert is_exact(detect(convert(book, read.format).data).content, detect(path.read_bytes()).content)


def test_differences_are_explained_and_still_there(shared):
    known = {row["file"]: row for row in rows(shared)}
    for file, (kind, reason) in OTHER_FORMAT.items():
        assert NAMES[known[file]["format"]] != kind
        assert reason
    for file, (number, reason) in OTHER_COUNT.items():
        assert known[file]["entries"] != str(number)
        assert reason
