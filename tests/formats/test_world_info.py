"""World info books: each field in its place, odd values kept, the way back exact."""

import json
from dataclasses import replace

import pytest

from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.world_info import read_world_info, write_world_info


def read_one(**fields):
    return read_world_info({"entries": {"0": fields}}, name="b").value.entries[0]


def codes(imported):
    return [report.code for report in imported.reports]


FULL = {
    "uid": 3,
    "key": ["dragon", "/wyrm/i"],
    "keysecondary": ["lair"],
    "comment": "The dragon",
    "content": "It sleeps.",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 3,
    "addMemo": True,
    "order": 99.5,
    "position": 4,
    "disable": False,
    "ignoreBudget": True,
    "excludeRecursion": True,
    "preventRecursion": False,
    "delayUntilRecursion": 2,
    "probability": 50,
    "useProbability": True,
    "depth": 1,
    "role": 2,
    "outletName": "o",
    "group": "g1, g2",
    "groupOverride": True,
    "groupWeight": 7,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": False,
    "useGroupScoring": True,
    "automationId": "a",
    "sticky": 3,
    "cooldown": None,
    "delay": 0,
    "matchPersonaDescription": True,
    "matchCharacterDescription": False,
    "matchCharacterPersonality": True,
    "matchCharacterDepthPrompt": False,
    "matchScenario": True,
    "matchCreatorNotes": False,
    "triggers": ["swipe"],
    "characterFilter": {"isExclude": True, "names": ["Aria"], "tags": ["t1"]},
}


def test_every_field_goes_to_its_place():
    entry = read_one(**FULL)

    assert entry == Entry(
        uid=3,
        keys=("dragon", "/wyrm/i"),
        secondary=("lair",),
        title="The dragon",
        content="It sleeps.",
        constant=False,
        selective=True,
        logic=3,
        order=99.5,
        position=4,
        enabled=True,
        ignore_budget=True,
        exclude_recursion=True,
        prevent_recursion=False,
        delay_until_recursion=2,
        probability=50,
        use_probability=True,
        depth=1,
        role=2,
        outlet="o",
        group="g1, g2",
        group_override=True,
        group_weight=7,
        scan_depth=None,
        case_sensitive=None,
        whole_words=False,
        group_scoring=True,
        sticky=3,
        cooldown=None,
        delay=0,
        match_persona_description=True,
        match_character_description=False,
        match_character_personality=True,
        match_character_depth_prompt=False,
        match_scenario=True,
        match_creator_notes=False,
        triggers=("swipe",),
        filter=CharacterFilter(("Aria",), ("t1",), exclude=True),
        extra={"vectorized": False, "addMemo": True, "automationId": "a"},
        layout=tuple(FULL),
    )


def test_absent_null_and_wrong_are_three_things():
    entry = read_one(content=None, order="5", role=None, position=0)

    assert entry.order == Odd("5")
    assert entry.role is None
    assert entry.content is None
    assert entry.depth is ABSENT
    assert entry.position == 0


ODD = [
    ("key", "a, b", "keys", Odd("a, b"), "keys_were_string"),
    ("key", {"a": 1}, "keys", Odd({"a": 1}), "bad_value"),
    ("disable", 1, "enabled", Odd(1), "bad_value"),
    ("disable", 2, "enabled", Odd(2), "bad_value"),
    ("disable", "true", "enabled", Odd("true"), "bool_as_string"),
    ("position", "4", "position", Odd("4"), "number_as_string"),
    ("position", 4.0, "position", Odd(4.0), "bad_value"),
    ("position", True, "position", Odd(value=True), "bad_value"),
    ("order", False, "order", Odd(value=False), "bad_value"),
    ("order", 10**400, "order", Odd(10**400), "bad_value"),
    ("constant", 1, "constant", Odd(1), "bad_value"),
    ("content", 5, "content", Odd(5), "content_not_text"),
    ("content", [], "content", Odd([]), "content_not_text"),
    ("characterFilter", "Aria", "filter", Odd("Aria"), "bad_value"),
    ("triggers", "swipe", "triggers", Odd("swipe"), "keys_were_string"),
    ("delayUntilRecursion", "1", "delay_until_recursion", Odd("1"), "number_as_string"),
]


@pytest.mark.parametrize(("name", "value", "field", "expected", "code"), ODD)
def test_a_wrong_type_is_kept_and_reported(name, value, field, expected, code):
    source = {"entries": {"0": {"uid": 0, name: value}}}

    read = read_world_info(source, name="b")

    assert getattr(read.value.entries[0], field) == expected
    assert codes(read) == [code]
    assert read.reports[0].entry == "0"
    assert is_exact(write_world_info(read.value), source)


CONTENTS: tuple[object, ...] = (5, [], 0, False)


def test_truthy_content_that_is_no_text_is_an_error_and_empty_one_a_warning():
    levels = {
        json.dumps(content): read_world_info({"entries": {"0": {"content": content}}}).reports[0].level
        for content in CONTENTS
    }

    assert levels == {"5": "error", "[]": "error", "0": "warning", "false": "warning"}


def test_delay_until_recursion_may_be_true():
    assert read_one(delayUntilRecursion=True).delay_until_recursion is True


def test_disable_is_the_opposite_of_enabled():
    assert read_one(disable=True).enabled is False
    assert read_one(disable=False).enabled is True
    assert read_one(disable=None).enabled is None
    assert read_one().enabled is ABSENT


def test_key_items_become_texts_and_the_original_survives():
    source = {
        "entries": {"0": {"uid": 0, "key": ["a", 1, 1.5, 1e21, None, False, 0, "", True], "keysecondary": [1e-7]}}
    }

    read = read_world_info(source)
    entry = read.value.entries[0]

    assert entry.keys == ("a", "1", "1.5", "1e+21", "", "", "", "", "true")
    assert entry.secondary == ("1e-7",)
    assert codes(read) == ["key_not_text", "key_not_text"]
    assert "3 of them never match" in read.reports[0].message
    assert is_exact(write_world_info(read.value), source)


def test_an_edited_key_list_wins_over_the_original():
    book = read_world_info({"entries": {"0": {"uid": 0, "key": [1]}}}).value
    edited = replace(book, entries=(replace(book.entries[0], keys=("new",)),))

    assert write_world_info(edited) == {"entries": {"0": {"uid": 0, "key": ["new"]}}}


def test_a_field_that_became_absent_is_left_out_and_a_new_one_stands_at_the_end():
    book = read_world_info({"entries": {"0": {"content": "x", "order": [1], "note": 1}}}).value
    edited = replace(book, entries=(replace(book.entries[0], order=ABSENT, keys=("k",)),))

    assert json.dumps(write_world_info(edited)) == '{"entries": {"0": {"content": "x", "note": 1, "key": ["k"]}}}'


# --- filters

FLAT = {"characterFilterNames": ["Bob"], "characterFilterTags": [], "characterFilterExclude": True}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (FLAT, CharacterFilter(("Bob",), (), exclude=True)),
        ({"characterFilter": None} | FLAT, CharacterFilter(("Bob",), (), exclude=True)),
        ({"characterFilter": {"names": ["Al"]}} | FLAT, CharacterFilter(("Al",))),
        ({"characterFilter": None, "characterFilterNames": []}, None),
        ({"characterFilterNames": []}, CharacterFilter()),
        ({"characterFilter": None}, None),
        ({"characterFilter": {}}, CharacterFilter()),
        (
            {"characterFilter": {"names": "Al", "isExclude": 1, "x": 2}},
            CharacterFilter((), (), exclude=True, extra={"x": 2}),
        ),
        ({}, ABSENT),
    ],
)
def test_filters_nested_and_flat(fields, expected):
    source = {"entries": {"0": fields}}

    read = read_world_info(source).value

    assert read.entries[0].filter == expected
    assert is_exact(write_world_info(read), source)


def test_an_edited_flat_filter_stays_flat():
    book = read_world_info({"entries": {"0": dict(FLAT)}}).value
    edited = replace(book, entries=(replace(book.entries[0], filter=CharacterFilter(("Cy",), ("t",))),))

    assert write_world_info(edited)["entries"]["0"] == {
        "characterFilterNames": ["Cy"],
        "characterFilterTags": ["t"],
        "characterFilterExclude": False,
    }


# --- order and uids


def uids(entries):
    return [entry.uid for entry in read_world_info({"entries": entries}).value.entries]


def test_object_order_is_javascripts():
    names = ["b", "10", "2", "a", "01", "-1", "4294967295", "4294967294"]

    assert uids({name: {} for name in names}) == [2, 10, 4294967294, "b", "a", "01", "-1", "4294967295"]


def test_the_uid_inside_names_the_entry_but_the_place_orders_it():
    assert uids({"1": {"uid": 5}, "0": {"uid": 900}, "chapter-a": {"uid": 7}}) == [900, 5, 7]


def test_a_list_goes_by_its_uids():
    assert uids([{"uid": 5}, {"uid": 2}, {"uid": 2, "content": "x"}]) == [2, "2#2", 5]


def test_a_list_without_integer_uids_stays_as_it_stands():
    assert uids([{"uid": 5}, {"uid": "x"}, {}]) == [5, "x", 2]


@pytest.mark.parametrize(
    ("own", "uid"),
    [(5.0, 5), (5.5, "5.5"), ("x", "x"), ("", ""), (None, 3), (True, 3), ([1], 3), (2**70, "1.1805916207174113e+21")],
)
def test_strange_uids(own, uid):
    source = {"entries": {"3": {"uid": own}}}

    read = read_world_info(source).value

    assert read.entries[0].uid == uid
    assert is_exact(write_world_info(read), source)


def test_duplicate_uids_all_stay_and_are_told_apart():
    source = {"entries": {"0": {"uid": 3}, "1": {"uid": "3"}, "2": {"uid": 3}, "3": {"uid": "3#2"}}}

    read = read_world_info(source)

    assert [entry.uid for entry in read.value.entries] == [3, "3#2", "3#3", "3#2#2"]
    assert codes(read) == ["uid_duplicate"] * 3
    assert is_exact(write_world_info(read.value), source)


def test_no_uid_is_reported_once():
    read = read_world_info({"entries": [{}, {}, {}]})

    assert [entry.uid for entry in read.value.entries] == [0, 1, 2]
    assert codes(read) == ["uid_missing"]


# --- the book


def test_what_is_no_entry_is_refused_and_the_books_close():
    source = {"entries": {"2": None, "1": {"uid": 1}, "0": [1], "x": "text"}}

    read = read_world_info(source)

    assert (read.found, read.kept, read.refused) == (4, 1, 3)
    assert codes(read) == ["entry_not_object"] * 3
    assert is_exact(write_world_info(read.value), source)


def test_the_name_is_the_files_before_the_books_own():
    source = {"name": "Inside", "entries": {}}

    assert read_world_info(source, name="outside").value.name == "outside"
    assert read_world_info(source).value.name == "Inside"
    assert read_world_info({"name": 5, "entries": {}}).value.name == "book"


def test_top_level_fields_keep_their_order():
    source = {"_comment": "x", "entries": {"0": {"uid": 0}}, "name": None, "originalData": {"a": [1]}}

    assert is_exact(write_world_info(read_world_info(source, name="n").value), source)


@pytest.mark.parametrize("value", [[], None, {}, {"entries": None}, {"entries": "x"}, "x", 5])
def test_what_is_no_book_is_refused(value):
    with pytest.raises(FormatError, match="an object with `entries`"):
        read_world_info(value)


def test_entries_can_be_added_and_removed():
    book = read_world_info({"entries": {"0": {"uid": 0}, "1": {"uid": 9}}}).value
    changed = replace(book, entries=(book.entries[1], Entry(uid=1, keys=("k",), enabled=False)))

    assert write_world_info(changed) == {
        "entries": {"1": {"uid": 9}, "1#": {"uid": 1, "key": ["k"], "disable": True}},
    }


def test_a_book_made_by_a_program_is_written_with_all_it_has():
    entry = Entry(uid=4, keys=("k",), content="c", filter=CharacterFilter(("A",)), order=1)
    book = Book("b", (entry,))

    assert write_world_info(book) == {
        "entries": {
            "4": {
                "uid": 4,
                "key": ["k"],
                "content": "c",
                "order": 1,
                "characterFilter": {"isExclude": False, "names": ["A"], "tags": []},
            }
        }
    }


def test_contradicting_spellings_are_reported():
    same = {"uid": 0, "key": ["a"], "keys": ["a"], "disable": True, "enabled": False}
    different = {"uid": 1, "order": 100, "insertion_order": 50}

    read = read_world_info({"entries": {"0": same, "1": different}})

    assert [(report.code, report.entry, report.field) for report in read.reports] == [("field_conflict", "1", "order")]


def test_many_reports_of_a_kind_become_one_line():
    read = read_world_info({"entries": {str(i): {"uid": i, "order": "x"} for i in range(300)}})

    assert len(read.reports) == 101
    assert read.reports[-1].message == "200 more reports like this one; 300 in all."


def test_too_many_entries_are_refused():
    with pytest.raises(FormatError, match="100,001 entries; the limit is 100,000"):
        read_world_info({"entries": [None] * 100_001})


def test_entries_of_one_layout_share_it():
    entries = read_world_info({"entries": [{"uid": i, "content": "x"} for i in range(3)]}).value.entries

    assert entries[0].layout is entries[2].layout
    assert entries[0].extra is entries[2].extra
