"""Files that nobody here wrote: each is what its index says, and comes back through every form that loses nothing."""

import csv
from dataclasses import replace

import pytest

from lorewright.errors import FormatError
from lorewright.formats.card import Card
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.inspect import inspect_file
from lorewright.formats.native.write import as_native
from lorewright.formats.read import read_book
from lorewright.formats.things.reader import write_thing
from lorewright.formats.things.thing import Thing
from lorewright.formats.write import convert, format_of
from lorewright.formats.write_card import write_card

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
                assert "not YAML" not in caught.value.message
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


NOTHING = "-"
"""In the table: the question does not arise (no book in the file, or its format is not written)."""


def account(path):
    """One line of the table: format, found, imported, merged, skipped, reports, same format equal, YAML equal."""
    try:
        found = inspect_file(path)
    except FormatError as error:
        return (f"refused: {error.facts.get('format') or 'unknown'}", *[NOTHING] * 7)
    ledger = found.ledger
    numbers = (ledger.found, ledger.imported, ledger.merged, ledger.skipped, len(found.reports))
    return (found.format, *map(str, numbers), same_again(found, path), yaml_again(found.book))


def same_again(found, path):
    """Whether the file written in its own format is the file: JSON values for books and things, bytes for cards."""
    data, value = path.read_bytes(), found.value.value
    if isinstance(value, Card):
        equal = write_card(data, value) == data
    elif isinstance(value, Thing):
        equal = is_exact(write_thing(value, strip_sensitive=False), detect(data, str(path)).content)
    elif format_of(value) == found.format:
        equal = is_exact(detect(convert(value, found.format).data).content, detect(data, str(path)).content)
    else:
        return NOTHING
    return "yes" if equal else "NO"


def yaml_again(book):
    if book is None:
        return NOTHING
    plain, _ = as_native(book)
    again = read_book(convert(book, "native_yaml").data).value
    entries = [replace(entry, layout=()) for entry in again.entries]
    return "yes" if entries == list(plain.entries) and dict(again.extra) == dict(plain.extra) else "NO"


def table(folder):
    """The table of a closing note: every file of every folder, and a sum for each folder."""
    names = ("format", "found", "imported", "merged", "skipped", "reports", "same", "YAML")
    print(f"{'file':60} {names[0]:20} {' '.join(f'{name:>8}' for name in names[1:])}")
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        lines = [(path.name, account(path)) for path in sorted(part.iterdir())]
        for name, (kind, *cells) in lines:
            print(f"  {name[:58]:58} {kind:20} {' '.join(f'{cell:>8}' for cell in cells)}")
        _, *columns = zip(*(line for _, line in lines), strict=True)
        sums = [str(sum(int(cell) for cell in column if cell != NOTHING)) for column in columns[:5]]
        equal = [f"{column.count('yes')}/{len(column) - column.count(NOTHING)}" for column in columns[5:]]
        head = f"{part.name}: {len(lines)} files"
        print(f"{head:81} {' '.join(f'{cell:>8}' for cell in [*sums, *equal])}")


if __name__ == "__main__":
    import sys
    from pathlib import Path

    table(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared") / "real-files")
