"""Books of other programs: nothing lost, the way back exact, random values, real files."""

import csv
import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import ABSENT, Entry
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.native.read import read_native_text
from lorewright.formats.native.write import write_native
from lorewright.formats.read import read_book
from lorewright.formats.world_info import read_world_info, write_world_info
from tests.formats.other_books import FILES, WAYS, edit, read, write
from tests.formats.test_round_trip import VALUES

# --- there and back


@pytest.mark.parametrize("kind", WAYS)
def test_a_book_is_recognised_and_comes_back(kind):
    before = json.dumps(FILES[kind])
    imported = read_book(before.encode(), "b")

    assert imported.format == kind
    assert is_exact(write(kind, imported.value), FILES[kind])
    assert len({str(entry.uid) for entry in imported.value.entries}) == imported.kept
    read(kind)
    assert json.dumps(FILES[kind]) == before, "the input must not be changed"


@pytest.mark.parametrize("kind", WAYS)
def test_an_edit_changes_its_place_only(kind):
    book = read(kind).value
    edited = edit(book, 0, content="New text.")

    written = write(kind, edited)
    again = read(kind, written).value

    assert again.entries[0].content == "New text."
    assert is_exact(write(kind, edit(again, 0, content=book.entries[0].content)), FILES[kind])


@pytest.mark.parametrize("kind", WAYS)
def test_entries_can_be_removed_and_added(kind):
    book = read(kind).value
    fresh = Entry(uid="new", keys=("k",), content="Fresh.", title="T", order=5)

    written = write(kind, replace(book, entries=(*book.entries[1:], fresh)))
    again = read(kind, written).value

    assert [entry.content for entry in again.entries if entry.content == "Fresh."] == ["Fresh."]
    assert len(again.entries) == len(book.entries)


@pytest.mark.parametrize("kind", [kind for kind in WAYS if kind != "bundle"])
def test_a_book_of_elsewhere_is_written(kind):
    book = read_world_info({"entries": {"0": {"uid": 0, "key": ["a", "b"], "content": "A", "comment": "T"}}}).value

    value = write(kind, book)
    imported = read_book(json.dumps(value).encode(), "b")

    assert imported.format == kind
    assert [(e.keys, e.content) for e in imported.value.entries] == [(("a", "b"), "A")]


@pytest.mark.parametrize("kind", WAYS)
def test_every_book_can_become_world_info(kind):
    book = read(kind).value

    again = read_world_info(json.loads(json.dumps(write_world_info(book)))).value

    assert sorted(str(e.content) for e in again.entries) == sorted(str(e.content) for e in book.entries)


MODEL = [one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"}]

SECOND_HOMES = {"key", "keys", "keysRaw", "keysecondary", "keysecondaryRaw", "comment", "extensions", "contextConfig"}
"""What repeats a field of the model; it is made anew from the field."""
SPOKEN = {"enabled": True}
"""What a new entry says where the old one said nothing (spec formats §1)."""


@pytest.mark.parametrize("kind", [kind for kind in WAYS if kind != "bundle"])
def test_no_field_is_lost_through_our_own_format(kind):
    book = read(kind).value

    again = read_native_text(write_native(book)).value
    back = read(kind, write(kind, again)).value

    for ours in (again, back):
        for before, after in zip(book.entries, ours.entries, strict=True):
            differ = {name: getattr(after, name) for name in MODEL if getattr(before, name) != getattr(after, name)}
            assert differ == {} or (differ == SPOKEN and before.enabled is ABSENT and ours is back)
            changed = {name for name, value in before.extra.items() if after.extra.get(name) != value}
            assert changed <= SECOND_HOMES
            for name in changed & {"extensions", "contextConfig"}:
                assert before.extra[name].keys() <= after.extra[name].keys()
        assert [name for name in book.extra if name not in ours.extra and name != "entries"] == []


ODD_FILES = {
    "character_book": lambda e: {"entries": e},
    "chub_lorebook": lambda e: {"is_creation": False, "entries": {str(place): one for place, one in enumerate(e)}},
    "janitor_lorebook": lambda e: e,
    "entry_list": lambda e: e,
    "novelai_lorebook": lambda e: {"lorebookVersion": 3, "entries": e, "categories": e},
    "agnai_book": lambda e: {"kind": "memory", "entries": e},
    "kobold_story": lambda e: {"gamestarted": True, "worldinfo": e},
    "aidungeon_wi": lambda e: e,
}


def names_of(kind):
    def walk(value):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield name
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)

    return sorted({*walk(FILES[kind]), "key", "keys", "uid", "id", "position", "extensions", "content", "lorewright"})


@pytest.mark.parametrize("kind", ODD_FILES)
@given(data=st.data())
def test_random_values_come_back(kind, data):
    names = st.sampled_from(names_of(kind))
    entry = st.dictionaries(names, VALUES | st.dictionaries(names, VALUES, max_size=3), max_size=8)
    value = ODD_FILES[kind](data.draw(st.lists(entry | VALUES, max_size=4)))

    imported = read(kind, value)

    assert is_exact(write(kind, imported.value), value)
    write_world_info(imported.value)


def test_real_files_come_back_with_the_counts_of_their_index(shared, subtests):
    folders = {"aidungeon-wi", "character-book", "lorebook-bare-array", "novelai-lorebook"}
    root = shared / "real-files"
    rows = list(csv.DictReader((root / "INDEX.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
    for row in (row for row in rows if row["format"] in folders):
        with subtests.test(row["file"]):
            path = root / row["file"]

            imported = read_book(path)

            assert imported.found == imported.kept == int(row["entries"])
            assert is_exact(write(imported.format, imported.value), detect(path.read_bytes()).content)
