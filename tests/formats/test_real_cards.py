"""Real cards in pictures, archives and YAML: counted as in the index, written back as they were, edited in one place."""

import copy
import csv
import io
import zipfile
from dataclasses import replace

import pytest

from lorewright.formats.charx import write_charx
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.png import read_chunks
from lorewright.formats.png_write import write_png_card
from lorewright.formats.read import read_book, read_card
from lorewright.formats.stash import take_stash
from lorewright.formats.write_book import write_book
from tests.formats.edited_cards import changed_paths

FOLDERS = {
    "card-v2-png": {"card_v2_png", "card_v1_png"},
    "card-v3-png": {"card_v3_png"},
    "card-v3-charx": {"charx"},
    "card-yaml": {"card_yaml"},
    "byaf": {"byaf"},
}
COUNTED_ELSEWHERE = {"byaf/jasl__sample.byaf": 1}
"""What the index leaves open."""


def index(shared):
    with (shared / "real-files" / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return {row["file"]: row["entries"] for row in csv.DictReader(file, delimiter="\t")}


@pytest.mark.parametrize("folder", FOLDERS)
def test_cards_are_known_and_counted(shared, subtests, folder):
    counts = index(shared)

    for path in sorted((shared / "real-files" / folder).iterdir()):
        name = f"{folder}/{path.name}"
        with subtests.test(file=path.name):
            read = read_card(path)

            assert read.format in FOLDERS[folder]
            assert read.found == COUNTED_ELSEWHERE.get(name, int(counts[name] or 0))


@pytest.mark.parametrize("folder", ["card-v2-png", "card-v3-png"])
def test_pictures_go_round(shared, subtests, folder):
    for path in sorted((shared / "real-files" / folder).iterdir()):
        with subtests.test(file=path.name):
            data = path.read_bytes()
            value = dict(read_card(data).value.data)
            edited = copy.deepcopy(value) | {"lorewright_test": "é"}

            made = write_png_card(data, edited)

            assert write_png_card(data, value) == data
            assert read_card(made).value.data == edited
            assert others(made) == others(data)


def others(data):
    return [
        (part.type, bytes(part.data))
        for part in read_chunks(data, Notes())
        if part.type not in {"tEXt", "zTXt", "iTXt"}
        or bytes(part.data[:80]).partition(b"\0")[0].lower() not in {b"chara", b"ccv3"}
    ]


def test_archives_go_round(shared, subtests):
    for path in sorted((shared / "real-files" / "card-v3-charx").iterdir()):
        with subtests.test(file=path.name):
            data = path.read_bytes()
            value = dict(read_card(data).value.data)
            edited = value | {"lorewright_test": "é"}

            made = write_charx(data, edited)

            assert write_charx(data, value) == data
            assert read_card(made).value.data == edited
            with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(io.BytesIO(made)) as after:
                assert after.testzip() is None
                assert before.namelist() == after.namelist()
                kept = [name for name in before.namelist() if name != "card.json"]
                assert all(before.read(name) == after.read(name) for name in kept)


FOLDERS_WITH_BOOKS = ("card-v1-json", "card-v2-json", "card-v3-json", *FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS_WITH_BOOKS)
def test_one_edited_entry_is_all_that_changes(shared, subtests, folder):
    for path in sorted((shared / "real-files" / folder).iterdir()):
        with subtests.test(file=path.name):
            data = path.read_bytes()
            book = read_book(data).value
            ours = read_native_text(write_native(as_native(take_stash(book))[0])).value
            assert write_book(data, book).data == data
            assert write_book(data, ours).data == data
            if not book.entries:
                continue
            first = ours.entries[0]
            edited = replace(ours, entries=(replace(first, content="edited é"), *ours.entries[1:]))

            made = write_book(data, edited)

            assert made.losses == ()
            before, after = read_card(data).value.data, read_card(made.data).value.data
            paths = list(changed_paths(before, after))
            assert paths
            assert all(path.endswith(("content", "value")) for path in paths)
            assert [entry.content for entry in read_book(made.data).value.entries] == [
                "edited é",
                *(entry.content for entry in book.entries[1:]),
            ]
            if folder.endswith("png"):
                assert others(made.data) == others(data)
