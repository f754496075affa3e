"""Cards as JSON: which field wins, what becomes of a book, and cards that are not as they should be."""

import json

import pytest

from lorewright.core.model import ABSENT, Character, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.card import read_card_value
from lorewright.formats.character_book import read_character_book
from lorewright.formats.marks import ENTRY_MARKS
from lorewright.formats.world_info import write_world_info


def codes(imported):
    return [report.code for report in imported.reports]


def v2(**data):
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def book(*entries, **fields):
    return read_card_value(v2(name="A", character_book={"entries": list(entries), **fields}))


def only(**entry):
    return book(entry).value.book.entries[0]


def test_a_full_card():
    value = v2(
        name="Aria",
        description="d",
        personality="p",
        scenario="s",
        first_mes="f",
        mes_example="m",
        creator_notes="c",
        tags=["x", "y"],
        extensions={"depth_prompt": {"prompt": "n", "depth": 4}, "world": "W"},
    )

    read = read_card_value(value, stem="file")
    card = read.value

    assert card.character == Character(
        name="Aria",
        avatar="file.png",
        description="d",
        personality="p",
        depth_prompt="n",
        scenario="s",
        creator_notes="c",
    )
    assert (card.spec, card.spec_version, card.name, card.tags) == ("chara_card_v2", "2.0", "Aria", ("x", "y"))
    assert card.book is None
    assert card.linked_book == "W"
    assert card.data is value
    assert codes(read) == ["linked_book_missing"]


def test_v1_and_its_extras():
    read = read_card_value({"name": "A", "description": "d", "creatorcomment": "c", "tags": "x, y,,z"}, avatar="a.png")

    assert read.value.character == Character(name="A", avatar="a.png", description="d", creator_notes="c")
    assert read.value.tags == ("x", "y", "z")
    assert read.value.spec == ""
    assert read.reports == ()


def test_data_wins_over_the_mirror_and_differences_are_reported():
    read = read_card_value({**v2(name="A", description="new", scenario="s"), "name": "A", "description": "old"})

    assert read.value.character.description == "new"
    assert [(report.code, report.level) for report in read.reports] == [("mirror_differs", "info")]
    assert "`description`" in read.reports[0].message
    assert "`name`" not in read.reports[0].message


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        (v2(name=""), "stem", ["card_name_empty"]),
        (v2(), "stem", ["card_name_empty"]),
        (v2(name="  "), "stem", ["card_name_empty"]),
        (v2(name=None), "stem", ["card_name_empty"]),
        (v2(name=7), "7", ["bad_value"]),
        (v2(name=["A"]), "stem", ["bad_value", "card_name_empty"]),
        (v2(name="A", character_book=None), "A", []),
        (v2(name="A", character_book=[]), "A", ["bad_value"]),
        (v2(name="A", character_book={}), "A", ["book_without_entries"]),
        (v2(name="A", character_book={"entries": None}), "A", ["book_without_entries"]),
        (v2(name="A", character_book={"entries": "x"}), "A", ["book_without_entries"]),
        (v2(name="A", alternate_greetings="hi"), "A", ["bad_value"]),
        (v2(name="A", tags=None), "A", []),
        (v2(name="A", tags={"x": 1}), "A", ["bad_value"]),
        (v2(name="A", tags=["x", 1]), "A", ["bad_value"]),
        (v2(name="A", extensions=[]), "A", ["bad_value"]),
        (v2(name="A", extensions=None), "A", []),
        (v2(name="A", extensions={"world": 5, "depth_prompt": "note"}), "A", ["bad_value", "linked_book_missing"]),
        (v2(name="A", extensions={"world": "", "depth_prompt": []}), "A", ["bad_value"]),
        (v2(name="A", description=None, scenario=False), "A", ["bad_value"]),
        ({"spec": "chara_card_v2", "name": "A"}, "A", ["card_data_missing"]),
        ({"spec": "chara_card_v2", "name": "A", "data": None}, "A", ["card_data_missing"]),
        ({"spec": 5, "name": "A", "data": {}}, "stem", ["card_name_empty"]),
        ({"name": "A", "description": "d", "data": {"theirs": 1}}, "A", []),
        ({}, "stem", ["card_name_empty"]),
        (v2(name="Tom &amp; Jo"), "Tom &amp; Jo", ["html_entities_found"]),
    ],
    ids=json.dumps,
)
def test_malformed_cards_are_read_and_reported(value, name, expected):
    read = read_card_value(value, stem="stem")

    assert read.value.name == name
    assert sorted(set(codes(read))) == sorted(expected)


@pytest.mark.parametrize("value", [None, [], "x", 5])
def test_what_is_no_object_is_no_card(value):
    with pytest.raises(FormatError, match="JSON object"):
        read_card_value(value)


def test_a_card_wrapped_in_itself():
    read = read_card_value({**v2(spec="chara_card_v2", data={"name": "Inner"}), "name": "Outer"})

    assert read.value.name == "Inner"
    assert "card_data_nested" in codes(read)


# --- the book in a card


def test_the_fields_of_an_entry():
    entry = only(
        id=5,
        keys=["k"],
        secondary_keys=["s"],
        comment="t",
        content="c",
        constant=True,
        selective=True,
        insertion_order=7,
        enabled=False,
        position="before_char",
        extensions={
            "exclude_recursion": True,
            "prevent_recursion": True,
            "delay_until_recursion": 2,
            "probability": 40,
            "useProbability": False,
            "depth": 9,
            "selectiveLogic": 3,
            "outlet_name": "o",
            "group": "g",
            "group_override": True,
            "group_weight": 5,
            "scan_depth": 6,
            "case_sensitive": True,
            "match_whole_words": False,
            "use_group_scoring": True,
            "role": 2,
            "sticky": 1,
            "cooldown": 2,
            "delay": 3,
            "match_persona_description": True,
            "match_character_description": True,
            "match_character_personality": True,
            "match_character_depth_prompt": True,
            "match_scenario": True,
            "match_creator_notes": True,
            "triggers": ["swipe"],
            "ignore_budget": True,
        },
    )

    fields = {name: getattr(entry, name) for name in Entry.__slots__ if name not in {"extra", "layout", *ENTRY_MARKS}}
    assert fields == {
        "uid": 5,
        "keys": ("k",),
        "secondary": ("s",),
        "title": "t",
        "content": "c",
        "constant": True,
        "selective": True,
        "order": 7,
        "enabled": False,
        "position": 0,
        "exclude_recursion": True,
        "prevent_recursion": True,
        "delay_until_recursion": 2,
        "probability": 40,
        "use_probability": False,
        "depth": 9,
        "logic": 3,
        "outlet": "o",
        "group": "g",
        "group_override": True,
        "group_weight": 5,
        "scan_depth": 6,
        "case_sensitive": True,
        "whole_words": False,
        "group_scoring": True,
        "role": 2,
        "sticky": 1,
        "cooldown": 2,
        "delay": 3,
        "match_persona_description": True,
        "match_character_description": True,
        "match_character_personality": True,
        "match_character_depth_prompt": True,
        "match_scenario": True,
        "match_creator_notes": True,
        "triggers": ("swipe",),
        "ignore_budget": True,
        "filter": ABSENT,
    }


def test_the_defaults_are_those_that_sillytavern_writes():
    entry = only(keys=["k"], content="c", enabled=True)

    assert entry.secondary == ()
    assert entry.title == ""
    assert (entry.constant, entry.selective, entry.enabled) == (False, False, True)
    assert (entry.position, entry.depth, entry.role, entry.logic) == (1, 4, 0, 0)
    assert (entry.probability, entry.use_probability, entry.group_weight) == (100, True, 100)
    assert (entry.scan_depth, entry.case_sensitive, entry.whole_words, entry.sticky) == (None, None, None, None)
    assert (entry.triggers, entry.outlet, entry.group, entry.ignore_budget) == ((), "", "", False)
    assert entry.order is ABSENT, "SillyTavern writes none"


def test_null_in_extensions_is_the_default_and_zero_is_not():
    entry = only(extensions={"probability": None, "depth": 0, "group_weight": 0, "position": None, "role": None})

    assert (entry.probability, entry.depth, entry.group_weight, entry.position, entry.role) == (100, 0, 0, 1, 0)


def test_wrong_types_stay_odd():
    read = book({"id": 0, "enabled": True, "extensions": {"position": "4", "depth": "1"}, "content": 5})
    entry = read.value.book.entries[0]

    assert (entry.position, entry.depth, entry.content) == (Odd("4"), Odd("1"), Odd(5))
    assert codes(read) == ["content_not_text", "number_as_string", "number_as_string"]


@pytest.mark.parametrize(
    ("fields", "position"),
    [
        ({"position": "before_char"}, 0),
        ({"position": "after_char"}, 1),
        ({"position": 3}, 1),
        ({}, 1),
        ({"position": "before_char", "extensions": {"position": 4}}, 4),
        ({"position": "before_char", "extensions": {"position": 0}}, 0),
    ],
)
def test_positions(fields, position):
    assert only(**fields).position == position


def test_case_may_stand_in_two_places_and_the_name_is_a_title():
    assert only(case_sensitive=True).case_sensitive is True
    assert only(case_sensitive=True, extensions={"case_sensitive": False}).case_sensitive is False
    assert only(name="N").title == "N"
    assert only(name="N", comment="C").title == "C"


def test_an_entry_that_does_not_say_whether_it_is_enabled_is_on():
    read = book({"id": 0}, {"id": 1, "enabled": None}, {"id": 2, "enabled": 0}, {"id": 3, "enabled": 1})

    assert [entry.enabled for entry in read.value.book.entries] == [ABSENT, ABSENT, False, True]
    assert codes(read) == ["bad_value", "bad_value", "enabled_missing"]
    assert "2 of 4" in read.reports[-1].message


def test_what_is_unknown_is_kept():
    entry = only(id=0, priority=9, use_regex=True, extensions={"theirs": 1, "vectorized": True, "display_index": 3})

    assert entry.extra["priority"] == 9
    assert entry.extra["use_regex"] is True
    assert entry.extra["extensions"] == {"theirs": 1, "vectorized": True, "display_index": 3}
    assert entry.extra["vectorized"] is True


def test_ids_order_the_entries_as_in_an_object():
    read = book({"id": 5}, {"id": "x"}, {"content": "no id"}, {"id": 1}, {"id": 5})

    assert [entry.uid for entry in read.value.book.entries] == [1, 2, 5, "5#2", "x"]
    assert (read.found, read.kept, read.refused) == (5, 5, 0)


def test_entries_may_be_an_object_and_may_hold_junk():
    value = {"entries": {"7": {"keys": ["b"]}, "1": {"keys": ["a"]}, "z": 5}}

    read = read_character_book(value, name="n")

    assert [(entry.uid, entry.keys) for entry in read.value.entries] == [(1, ("a",)), (7, ("b",))]
    assert (read.found, read.kept, read.refused) == (3, 2, 1)


def test_the_books_name_and_settings():
    named = book(name="Own", scan_depth=3)
    nameless = read_card_value(v2(name="A", character_book={"entries": []}), stem="file")

    assert named.value.book.name == "Own"
    assert named.value.book.extra == {"name": "Own", "scan_depth": 3}
    assert nameless.value.book
    assert nameless.value.book.name == "file"


@pytest.mark.parametrize(("own", "reported"), [("W", False), (None, False), ("", False), ("Other", True), ([], True)])
def test_a_linked_book_is_the_embedded_one_unless_that_has_another_name(own, reported):
    value = v2(name="A", extensions={"world": "W"}, character_book={"name": own, "entries": []})

    assert ("linked_book_missing" in codes(read_card_value(value))) is reported


def test_a_cards_book_can_be_written_as_world_info():
    read = book({"id": 3, "keys": ["k"], "content": "c", "enabled": True, "insertion_order": 5, "priority": 1})

    written = write_world_info(read.value.book)

    entry = written["entries"]["3"]
    assert (entry["uid"], entry["key"], entry["order"], entry["disable"], entry["position"]) == (3, ["k"], 5, False, 1)
    assert entry["priority"] == 1
