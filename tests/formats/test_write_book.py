"""An edited book goes back into its card: only what was edited changes, in every place where it stands."""

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.native.gates import read_gate
from lorewright.formats.read import read_book, read_card
from lorewright.formats.stash import take_stash
from lorewright.formats.write import convert
from lorewright.formats.write_book import write_book
from tests.formats.archives import charx
from tests.formats.edited_cards import BARE, CARD, GATE, LORE, as_bytes, by_way_of_ours, changed_paths, edit
from tests.formats.pictures import card, encoded, picture, text
from tests.formats.test_charx import JPEG
from tests.formats.test_exif_card import jpeg, tiff, webp
from tests.formats.test_png_write import cards


def by_title(book, title):
    return next(entry for entry in book.entries if entry.title == title)


def written(book, value=CARD):
    """The JSON of the card with this book in it, and what was lost."""
    made = write_book(as_bytes(value), book)
    return json.loads(made.data), made.losses


def entry_paths(book, value=CARD):
    made, losses = written(book, value)
    assert losses == ()
    prefix = "data.character_book.entries."
    return {path.removeprefix(prefix) for path in changed_paths(value, made)}


READ = read_book(as_bytes(CARD)).value

HOMES = [
    ("content", "The gate is rust.", {"content"}),
    ("title", "Door", {"comment", "name"}),
    ("keys", ("gate", "door"), {"keys"}),
    ("secondary", (), {"secondary_keys"}),
    ("order", 11, {"insertion_order"}),
    ("enabled", False, {"enabled"}),
    ("constant", True, {"constant"}),
    ("selective", False, {"selective"}),
    ("position", 1, {"position", "extensions.position"}),
    ("position", 4, {"position", "extensions.position"}),
    ("case_sensitive", True, {"case_sensitive", "extensions.case_sensitive"}),
    ("depth", 5, {"extensions.depth"}),
    ("logic", 3, {"extensions.selectiveLogic"}),
    ("whole_words", True, {"extensions.match_whole_words"}),
    ("sticky", 2, {"extensions.sticky"}),
    ("triggers", ("swipe",), {"extensions.triggers"}),
    ("delay_until_recursion", True, {"extensions.delay_until_recursion"}),
]


@pytest.mark.parametrize(("field", "value", "paths"), HOMES)
def test_a_field_changes_every_place_that_it_has_and_nothing_else(field, value, paths):
    edited = edit(READ, 3, **{field: value})

    assert entry_paths(edited) == {f"0.{path}" for path in paths}
    assert getattr(read_book(write_book(as_bytes(CARD), edited).data).value.entries[1], field) == value


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize(("field", "value", "paths"), HOMES)
def test_the_same_by_way_of_our_own_format(field, value, paths, form):
    assert entry_paths(edit(by_way_of_ours(READ, form), 3, **{field: value})) == {f"0.{path}" for path in paths}


def test_a_place_from_which_it_is_not_read_is_not_enough():
    """`position` of a card has two words for eight places."""
    assert entry_paths(edit(READ, 1, position=4, case_sensitive=True, title="Geese")) == {
        "2.extensions.position",
        "2.extensions.case_sensitive",
        "2.comment",
    }


def test_a_second_spelling_follows():
    both = {**BARE, "key": ["geese"], "order": 5, "disable": False, "selectiveLogic": 0}
    value = card("Ada", character_book={"entries": [both]})
    edited = edit(read_book(as_bytes(value)).value, 1, keys=("goose",), order=6, enabled=False, logic=1)

    made, _ = written(edited, value)

    entry = made["data"]["character_book"]["entries"][0]
    assert entry == both | {
        "keys": ["goose"],
        "key": ["goose"],
        "insertion_order": 6,
        "order": 6,
        "enabled": False,
        "disable": True,
        "selectiveLogic": 1,
        "extensions": {"selectiveLogic": 1},
    }


def test_an_entry_in_the_spelling_of_world_info():
    raw = {"uid": 5, "key": ["geese"], "comment": "G", "content": "Bite.", "order": 5, "disable": False, "position": 0}
    beside = raw | {"uid": 6, "keys": [], "enabled": True, "key": ["swans"], "insertion_order": 7}
    value = card("Ada", character_book={"entries": [raw, beside]})
    book = by_way_of_ours(read_book(as_bytes(value)).value)
    edited = edit(book, 5, keys=("goose",), position=4, depth=3, enabled=False)
    edited = edit(edited, 6, order=8, enabled=False, keys=())
    edited = replace(edited, entries=(*edited.entries, Entry(uid=9, keys=("lamp",), content="A lamp.")))

    made, losses = written(edited, value)

    first, second, third = made["data"]["character_book"]["entries"]
    assert losses == ()
    assert first == raw | {"key": ["goose"], "position": 4, "depth": 3, "disable": True}
    del beside["keys"]
    assert second == beside | {"order": 8, "insertion_order": 8, "disable": True, "enabled": False, "key": []}
    assert (third["uid"], third["keys"], "id" in third) == (9, ["lamp"], False)


@pytest.mark.parametrize("book", [READ, by_way_of_ours(READ), by_way_of_ours(READ, "json")])
def test_a_book_without_changes_gives_the_same_bytes(book):
    data = json.dumps(CARD, indent=3).encode()
    made = write_book(data, book)

    assert (made.data, made.losses, bool(made.changes)) == (data, (), False)


def test_by_way_of_world_info_and_other_formats():
    for to in ("st_worldinfo", "character_book", "card_v3", "chub_lorebook", "lorebook_v3", "markdown_lorebook"):
        copied = read_book(convert(READ, to).data, "Isles").value
        assert write_book(as_bytes(CARD), copied).data == as_bytes(CARD), to
        edited = edit(copied, by_title(copied, "Gate").uid, content="Rust.")
        assert entry_paths(edited) == {"0.content"}, to


def test_a_world_info_file_without_our_notes_says_nothing_of_what_it_does_not_show():
    plain: dict[str, Any] = {
        "uid": 3,
        "key": ["gate"],
        "keysecondary": ["iron"],
        "comment": "Gate",
        "content": "New.",
        "order": 10,
    }
    usual: dict[str, Any] = {
        "selective": True,
        "position": 0,
        "depth": 2,
        "disable": False,
        "addMemo": True,
        "caseSensitive": False,
    }
    geese: dict[str, Any] = {
        "uid": 1,
        "key": ["geese"],
        "comment": "",
        "content": "Geese bite.",
        "order": 5,
        "position": 1,
    }
    book = read_book(as_bytes({"entries": {"3": plain | usual, "1": geese | {"disable": False}}})).value

    assert entry_paths(book) == {"0.content", "0.addMemo"}


def test_entries_that_go_and_come():
    new = Entry(uid=9, keys=("lamp",), content="A lamp.", position=4, depth=1)
    made, losses = written(replace(READ, entries=(READ.entries[1], new)))

    entries = made["data"]["character_book"]["entries"]
    assert losses == ()
    assert entries[:2] == [GATE, "no entry"]
    assert (entries[2]["id"], entries[2]["keys"], entries[2]["content"]) == (9, ["lamp"], "A lamp.")
    assert (entries[2]["enabled"], entries[2]["extensions"]["position"]) == (True, 4)
    again = take_stash(read_book(as_bytes(made)).value)
    assert again.entries[-1].uid == 9
    assert replace(again.entries[-1], extra={}, layout=()) == new


def test_an_entry_under_another_uid_is_the_same_if_its_texts_are():
    renamed = edit(by_way_of_ours(READ), 3, uid="gate", order=12)

    assert entry_paths(renamed) == {"0.insertion_order"}


def test_entries_in_an_object():
    value = card("Ada", character_book={"entries": {"b": BARE, "a": GATE}})
    edited = edit(read_book(as_bytes(value)).value, 3, content="x")
    added = replace(edited, entries=(*edited.entries, Entry(uid=7, content="new")))

    made, _ = written(added, value)

    assert list(made["data"]["character_book"]["entries"]) == ["b", "a", "7"]
    assert entry_paths(edited, value) == {"a.content"}


def test_other_fields():
    gate = READ.entries[1]
    given: Any = gate.extra["extensions"]
    extensions = {**given, "theirs": {"b": 2}, "new": [1]}
    del extensions["weight"]
    extra = {**gate.extra, "priority": 8, "extensions": extensions, "own": "x", "vectorized": True}
    del extra["use_regex"]
    edited = edit(READ, 3, extra=extra)
    edited = replace(edited, name="Islands", extra={**READ.extra, "scan_depth": 3, "token_budget": 5})

    made, losses = written(edited)

    lore = made["data"]["character_book"]
    assert losses == ()
    assert {name: lore[name] for name in ("name", "scan_depth", "token_budget")} == {
        "name": "Islands",
        "scan_depth": 3,
        "token_budget": 5,
    }
    assert set(changed_paths(GATE, lore["entries"][0])) == {
        "priority",
        "use_regex",
        "own",
        "extensions.theirs.b",
        "extensions.theirs.a",
        "extensions.new",
        "extensions.weight",
        "extensions.vectorized",
    }


def test_what_a_card_cannot_say_is_kept_beside():
    edited = edit(by_way_of_ours(READ), 3, depth=ABSENT, probability=None, enabled=ABSENT)

    made, losses = written(edited)

    assert losses == ()
    assert made["data"]["character_book"]["entries"][0]["enabled"] is True
    entry = take_stash(read_book(as_bytes(made)).value).entries[1]
    assert (entry.depth, entry.probability, entry.enabled) == (ABSENT, None, ABSENT)
    assert write_book(as_bytes(made), edited).data == as_bytes(made)


def test_one_file_of_ours_goes_in_again_and_again():
    """It still holds what stood in `extensions` and `name` of the card when it was made."""
    ours = edit(by_way_of_ours(READ), 3, depth=5, title="Door", sticky=2)
    first = write_book(as_bytes(CARD), ours)

    assert write_book(first.data, ours).data == first.data
    second = write_book(first.data, edit(ours, 3, content="x"))
    assert set(changed_paths(json.loads(first.data), json.loads(second.data))) == {
        "data.character_book.entries.0.content"
    }


def test_a_card_that_we_wrote_from_another_format():
    book = Book("w", (Entry(uid=1, keys=("a",), content="x"), Entry(uid=2, content="y", role=None)))
    first = convert(book, "card_v2").data

    assert write_book(first, book).data == first
    second = write_book(first, edit(book, 1, content="z", position=1))

    again = take_stash(read_book(second.data).value)
    assert second.losses == ()
    assert [replace(one, extra={}, layout=()) for one in again.entries] == [
        Entry(uid=1, keys=("a",), content="z", position=1),
        Entry(uid=2, content="y", role=None),
    ]


@pytest.mark.parametrize("there", [{}, {"character_book": None}])
def test_a_card_without_a_book_gets_one(there):
    value = card("Ada", first_mes="Hi", **there)
    made = write_book(as_bytes(value), by_way_of_ours(READ))

    after = json.loads(made.data)
    assert made.losses == ()
    assert set(changed_paths(value, after)) == {"data.character_book"}
    assert [entry.content for entry in read_book(made.data).value.entries] == ["Geese bite.", "The gate is iron."]
    assert [entry.uid for entry in made.changes.added] == [1, 3]


@pytest.mark.parametrize(
    ("field", "value"),
    [("gate", read_gate({"flag": "open"})), ("authority", "canon"), ("layer", "after-persona"), ("folder", "secrets")],
)
def test_fields_of_ours_stand_under_our_name(field, value):
    """Also those of an entry that is new."""
    book = edit(READ, 3, **{field: value})
    added = replace(book.entries[-1], uid="new", **{field: value})
    made, losses = written(replace(book, entries=(*book.entries, added)))
    again = {entry.uid: getattr(entry, field) for entry in read_book(as_bytes(made)).value.entries}

    assert losses == ()
    assert again == {3: value, 1: ABSENT, "new": value}


def test_a_card_without_a_book_and_a_book_without_entries():
    data = as_bytes(card("Ada"))

    assert write_book(data, Book("x", ())).data == data


@pytest.mark.parametrize("value", [{"name": "A", "first_mes": "x"}, {"name": "A", "context": "c"}])
def test_a_flat_card_has_it_at_the_top(value):
    made = json.loads(write_book(as_bytes(value), READ).data)

    assert {name: made[name] for name in value} == value
    assert [entry["id"] for entry in made["character_book"]["entries"]] == [1, 3]


def test_the_copy_of_v1_follows():
    value: dict[str, Any] = {**copy.deepcopy(CARD), "name": "Ada", "character_book": copy.deepcopy(LORE)}
    value["character_book"]["entries"][0]["priority"] = 99

    made, _ = written(edit(READ, 3, content="x"), value)

    assert set(changed_paths(value, made)) == {
        "data.character_book.entries.0.content",
        "character_book.entries.0.content",
    }


V3_LORE = {**LORE, "entries": [{**GATE, "content": "@@depth 3\nThe gate is iron."}, "no entry", BARE]}
V3 = card("Ada", "chara_card_v3", character_book=V3_LORE)


@pytest.mark.parametrize("newer_first", [True, False])
def test_both_cards_of_a_picture_change_in_the_same_place(newer_first):
    older = card("Ada", character_book={**LORE, "token_budget": 55}, description="older")
    texts = [text("ccv3", encoded(V3)), text("chara", encoded(older))]
    data = picture(*(texts if newer_first else texts[::-1]))
    edited = edit(read_book(data).value, 3, content="@@depth 3\nRust.", order=12)

    made = write_book(data, edited)

    now = cards(made.data)
    assert list(now) == ["chara", "ccv3"]
    assert set(changed_paths(V3, now["ccv3"])) == {
        "data.character_book.entries.0.content",
        "data.character_book.entries.0.insertion_order",
    }
    assert now["ccv3"]["data"]["character_book"]["entries"][0]["content"] == "@@depth 3\nRust."
    assert set(changed_paths(older, now["chara"])) == {
        "data.character_book.entries.0.content",
        "data.character_book.entries.0.insertion_order",
    }
    assert now["chara"]["data"]["character_book"]["entries"][0]["content"] == "Rust."


CONTAINERS = {
    "card_v2": as_bytes(CARD),
    "card_v2_png": picture(text("chara", encoded(CARD))),
    "charx": charx(V3, **{"a.png": b"PNG", "x_meta/a.json": b"{}"}),
    "charx_jpeg": JPEG + charx(V3),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_every_container(kind):
    data = CONTAINERS[kind]
    book = read_book(data).value
    edited = edit(by_way_of_ours(book), 1, content="Geese sing. \U0001f426 é")

    made = write_book(data, edited)

    assert (made.format, made.losses) == (kind, ())
    assert write_book(data, by_way_of_ours(book)).data == data
    assert set(changed_paths(read_card(data).value.data, read_card(made.data).value.data)) == {
        "data.character_book.entries.2.content"
    }
    assert [(entry.uid, [one.field for one in fields]) for entry, fields in made.changes.changed] == [(1, ["content"])]


@pytest.mark.parametrize(
    "data",
    [webp(tiff(as_bytes(CARD))), jpeg(tiff(as_bytes(CARD))), as_bytes({"entries": {}})],
    ids=["webp", "jpeg", "book"],
)
def test_what_cannot_be_written_says_so(data):
    with pytest.raises(FormatError):
        write_book(data, READ)


def test_a_picture_that_is_only_read_says_what_to_do():
    with pytest.raises(FormatError, match="as JSON or as a PNG"):
        write_book(webp(tiff(as_bytes(CARD))), READ)


def test_another_order_is_reported():
    made = write_book(as_bytes(CARD), replace(READ, entries=READ.entries[::-1]))

    assert made.data == as_bytes(CARD)
    assert [loss.code for loss in made.losses] == ["order_kept"]
