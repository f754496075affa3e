"""Books of other programs: each field in its place, edits in every home, losses reported."""

from dataclasses import replace

import pytest

from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.bundle import write_bundle
from lorewright.formats.character_book import read_character_book
from lorewright.formats.entry_objects import (
    read_book_of_card,
    read_lorebook_v3,
    write_character_book,
    write_lorebook_v3,
)
from lorewright.formats.fields import is_exact
from lorewright.formats.novelai import (
    write_novelai_lorebook,
)
from lorewright.formats.read import read_book
from lorewright.formats.write import convert
from tests.formats.other_books import CARD_ENTRY, FILES, codes, edit, read, write
from tests.formats.pictures import encoded, picture, text

# --- by format


def test_a_character_book_is_what_the_same_book_is_in_a_card():
    alone = read("character_book").value.entries
    inside = read_character_book(FILES["character_book"], name="b").value.entries

    assert [replace(e, extra={}, layout=()) for e in alone] == [replace(e, extra={}, layout=()) for e in inside]
    entry = alone[0]
    assert (entry.uid, entry.keys, entry.secondary, entry.title, entry.content) == (
        4, ("inn",), ("night",), "Inn", "Warm."
    )  # fmt: skip
    assert (entry.enabled, entry.constant, entry.order, entry.position, entry.depth) == (False, True, 7.0, 4, 2)
    assert (entry.role, entry.probability, entry.logic, entry.sticky, entry.case_sensitive) == (1, 0, 3, 2, True)
    assert (entry.filter.names, entry.filter.exclude) == (("Bo",), True)
    assert entry.extra["extensions"]["mine"] == {"a": 1}
    assert (entry.extra["priority"], entry.extra["use_regex"]) == (3, True)
    assert "entry_not_object" in codes(read("character_book"))
    assert "enabled_missing" in codes(read("character_book"))


def test_both_homes_of_a_position_change():
    book = edit(read("character_book").value, 0, position=0)

    entry = write("character_book", book)["entries"][0]

    assert (entry["position"], entry["extensions"]["position"]) == ("before_char", 0)


def test_a_position_that_a_text_cannot_say_gets_a_second_home():
    book = read("character_book", {"entries": [{"keys": ["a"], "position": "after_char"}]}).value

    entry = write("character_book", edit(book, 0, position=4, depth=1))["entries"][0]

    assert entry == {"keys": ["a"], "position": "after_char", "extensions": {"position": 4, "depth": 1}}


def test_other_fields_of_a_book_can_be_changed_and_removed():
    book = read("lorebook_v3").value
    kept = {name: value for name, value in book.extra.items() if name != "name"}

    written = write("lorebook_v3", replace(book, extra={**kept, "scan_depth": 9}))

    assert written == {"spec": "lorebook_v3", "data": {"entries": [CARD_ENTRY], "scan_depth": 9}, "more": 1}


def test_v3_books_one_step_deeper():
    value = {"spec": "lorebook_v3", "data": {"lorebook": {"name": "Deep", "entries": [CARD_ENTRY]}}}

    imported = read_lorebook_v3(value)

    assert (imported.value.name, imported.kept) == ("Deep", 1)
    assert is_exact(write_lorebook_v3(imported.value), value)


def test_camel_case_and_a_number_as_position():
    value = {"entries": [{"keys": ["a"], "secondaryKeys": ["b"], "insertionOrder": 3, "position": 0, "enabled": True}]}

    (entry,) = read("character_book", value).value.entries

    assert (entry.secondary, entry.order, entry.position) == (("b",), 3, 0)


def test_the_book_of_a_card_is_written_into_the_card():
    card = {"spec": "chara_card_v2", "data": {"name": "Bo", "character_book": {"entries": [CARD_ENTRY]}}}
    book = read_book_of_card(card).value

    written = write_character_book(edit(book, 0, title="Tavern"))

    assert written["data"]["character_book"]["entries"] == [CARD_ENTRY | {"comment": "Tavern"}]
    assert written["data"]["name"] == "Bo"


def test_chub_takes_the_spelling_that_is_filled():
    imported = read("chub_lorebook")
    gate, moat = imported.value.entries

    assert (gate.uid, gate.keys, gate.secondary, gate.title, gate.order) == (1, ("gate",), ("old",), "Gate", 10)
    assert (gate.position, gate.logic, gate.enabled, gate.probability, gate.depth) == (1, 2, True, 30, 6)
    assert (gate.exclude_recursion, gate.case_sensitive) == (True, False)
    assert (moat.uid, moat.keys, moat.enabled, moat.position) == (7, ("moat",), False, 1)
    assert imported.value.extra["token_budget"] == 512
    assert "field_conflict" not in codes(imported)


def test_chub_edits_reach_both_spellings():
    book = edit(read("chub_lorebook").value, 0, order=99, enabled=False, secondary=("new",))

    entry = write("chub_lorebook", book)["entries"]["1"]

    assert (entry["order"], entry["insertion_order"], entry["enabled"], entry["disable"]) == (99, 99, False, True)
    assert entry["keysecondary"] == entry["secondary_keys"] == ["new"]


def test_chub_contradictions_are_reported():
    value = {"is_creation": True, "entries": {"0": {"key": ["a"], "keys": ["b"], "content": "x", "enabled": True}}}

    imported = read("chub_lorebook", value)

    assert imported.value.entries[0].keys == ("b",)
    assert imported.value.entries[0].extra["key"] == ["a"]
    assert "field_conflict" in codes(imported)


def test_janitor_fields():
    imported = read("janitor_lorebook")
    (entry,) = imported.value.entries

    assert (entry.uid, entry.keys, entry.secondary) == ("a-1", ("sea", "salt, water"), ("deep", "cold"))
    assert (entry.title, entry.extra["comment"]) == ("Sea", "mine")
    assert (entry.order, entry.probability, entry.logic, entry.delay) == (50, 80, 1, 3)
    assert (entry.whole_words, entry.case_sensitive) == (True, True)
    assert (entry.group, entry.group_weight, entry.group_override) == ("water", 40, True)
    assert (entry.extra["category"], entry.extra["tags"], entry.extra["priority"]) == ("places", ["t"], 2)
    assert [r.entry for r in imported.reports if r.code == "script_inert"] == ["a-1"]


def test_janitor_keeps_what_it_has_no_name_for_in_extensions():
    book = edit(read("janitor_lorebook").value, 0, sticky=4, title="Ocean", keys=("a", "b"))

    (raw,) = write("janitor_lorebook", book)

    assert raw["extensions"] == {"lorewright": {"sticky": 4}}
    assert (raw["name"], raw["comment"]) == ("Ocean", "mine")
    assert (raw["key"], raw["keysRaw"], raw["keywordsRaw"]) == (["a", "b"], "a, b", "a, b")
    assert read("janitor_lorebook", [raw]).value.entries[0].sticky == 4


def test_a_bare_list():
    value = [FILES["entry_list"][0], 7, FILES["entry_list"][1]]

    imported = read("entry_list", value)

    assert [(e.keys, e.enabled) for e in imported.value.entries] == [(("a",), False), (("b",), True)]
    assert (imported.found, imported.kept, imported.refused) == (3, 2, 1)
    assert is_exact(write("entry_list", imported.value), value)


def test_novelai_fields_and_what_categories_do():
    imported = read("novelai_lorebook")
    off, inherits, own, separator = imported.value.entries

    assert (off.title, off.content, off.keys) == ("Elf", "Old.", ("elf", "/dwarf/", "fire & ice"))
    assert (off.enabled, off.constant, off.order, off.case_sensitive) == (False, False, 400, False)
    assert off.extra["contextConfig"]["insertionPosition"] == -1
    assert (inherits.constant, inherits.order, inherits.enabled) == (True, 900, True)
    assert (own.constant, own.order) == (True, 10)
    assert (separator.content, separator.keys) == ("", ("",))
    assert [r.entry for r in imported.reports if r.code == "key_joined"] == ["n1"]
    assert imported.value.extra["settings"] == {"orderByKeyLocations": True}


def test_novelai_edits_do_not_write_what_was_inherited():
    book = edit(read("novelai_lorebook").value, 1, title="D")

    written = write("novelai_lorebook", edit(book, 0, order=1))

    assert written["entries"][1] == FILES["novelai_lorebook"]["entries"][1] | {"displayName": "D"}
    assert written["entries"][0]["contextConfig"]["budgetPriority"] == 1
    assert written["entries"][0]["contextConfig"]["suffix"] == "\n"
    assert written["entries"][0]["enabled"] is True


def test_novelai_scenarios_and_stories_without_a_lorebook():
    scenario = {"scenarioVersion": 2, "prompt": "p", "lorebook": FILES["novelai_lorebook"]}

    assert read("novelai_story", scenario).kept == 4
    assert is_exact(write("novelai_story", read("novelai_story", scenario).value), scenario)
    empty = {"storyContainerVersion": 1, "content": {"story": "x"}}
    assert codes(read("novelai_story", empty)) == ["book_without_entries"]
    assert is_exact(write("novelai_story", read("novelai_story", empty).value), empty)


def test_agnai_fields():
    bo, al = read("agnai_book").value.entries

    assert (bo.title, bo.content, bo.keys, bo.order, bo.enabled) == ("Bo", "Tall.", ("bo",), 4, True)
    assert bo.extra["priority"] == 9
    assert (al.uid, al.enabled, al.secondary, al.constant, al.position) == (12, False, ("x",), True, 1)
    assert (al.selective, al.logic, al.probability, al.use_probability, al.exclude_recursion) == (
        True, 3, 5, False, True
    )  # fmt: skip


def test_an_agnai_character_without_a_book():
    value = {"kind": "character", "name": "Bo", "persona": {}}

    imported = read("agnai_character", value)

    assert (imported.found, "card_without_book" in codes(imported)) == (0, True)
    assert is_exact(write("agnai_character", imported.value), value)


def test_kobold_fields():
    imported = read("kobold_story")
    cat, dog, owl = imported.value.entries

    assert (cat.keys, cat.secondary, cat.title) == (("cat", "/a{1,2}/i"), ("hat",), "Cat")
    assert (cat.enabled, cat.probability, cat.group, cat.selective) == (False, 60, "pets", True)
    assert (dog.keys, dog.secondary, dog.logic, dog.title) == (("dog",), ("wolf", "fox"), 2, "Dog")
    assert (owl.uid, owl.secondary, owl.logic, owl.extra["keyanti"]) == (5, ("old",), 0, "wise")
    assert [r.entry for r in imported.reports if r.code == "field_not_used"] == ["5"]
    assert list(imported.value.extra) == ["wifolders_d", "entries"]


def test_kobold_edits():
    book = edit(read("kobold_story").value, 1, secondary=("bear",), enabled=False)

    row = write("kobold_story", book)["worldinfo"][1]

    assert row == {"key": "dog", "keyanti": "bear", "content": "D", "title": "Dog", "widisabled": True}


def test_ai_dungeon_fields():
    imported = read("aidungeon_wi")
    harbor, lore = imported.value.entries

    assert (harbor.uid, harbor.keys, harbor.content, harbor.extra["hidden"]) == (
        "1.1", ("harbor", "port"), "Salt.", False
    )  # fmt: skip
    assert (lore.title, lore.keys, lore.content, lore.extra["type"]) == ("Lore", (), "No trigger.", "lore")
    assert [r.entry for r in imported.reports if r.code == "entry_never_activates"] == ["1"]


def test_bundles_have_all_entries_of_all_books():
    imported = read("bundle", [*FILES["bundle"], "nonsense"])

    assert [entry.uid for entry in imported.value.entries] == ["0.4", "0.9", "1.4", "3.0"]
    assert (imported.found, imported.kept, imported.refused) == (6, 4, 2)
    written = write("bundle", edit(imported.value, 2, content="Other."))
    assert written[1]["data"]["character_book"]["entries"][0]["content"] == "Other."
    assert [written[0], *written[2:]] == [FILES["bundle"][0], *FILES["bundle"][2:], "nonsense"]


def test_a_bundle_is_made_of_a_bundle_only():
    with pytest.raises(FormatError):
        write_bundle(Book("b", (Entry(uid=1),)))


# --- losses


def test_what_a_format_cannot_say_is_reported():
    entry = Entry(uid=1, keys=("a, b", "c"), content="x", order=100, position=4, sticky=0, selective=True)

    losses = convert(Book("b", (entry,), {"name": "b", "scan_depth": 3}), "aidungeon_wi").losses

    assert [(report.code, report.field) for report in losses] == [
        ("loss_on_export", "keys"),
        ("loss_on_export", "position"),
        ("loss_on_export", "name"),
        ("loss_on_export", "scan_depth"),
    ]


def test_values_of_a_wrong_type_are_kept_and_reported():
    value = [{"keys": "a", "entry": 7, "title": ["t"]}]

    imported = read("aidungeon_wi", value)

    assert imported.value.entries[0].content == Odd(7)
    assert imported.value.entries[0].group is ABSENT
    assert codes(imported)[:2] == ["bad_value", "content_not_text"]
    assert is_exact(write("aidungeon_wi", imported.value), value)


def test_a_novelai_lorebook_in_a_picture():
    imported = read_book(picture(text("naidata", encoded(FILES["novelai_lorebook"]))), "b")

    assert (imported.format, imported.kept) == ("novelai_lorebook_png", 4)
    assert is_exact(write_novelai_lorebook(imported.value), FILES["novelai_lorebook"])
