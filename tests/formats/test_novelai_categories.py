"""What a category of a NovelAI lorebook does to its entries (spec formats §3.8)."""

import pytest

from lorewright.formats.dialect import homes
from lorewright.formats.novelai import read_novelai_lorebook, write_novelai_lorebook
from lorewright.formats.novelai_category import FACTORY_VALUES, inherited

# What NovelAI writes into a new entry, as in the real files.
CONFIG = {
    "prefix": "", "suffix": "\n", "tokenBudget": 2048, "reservedTokens": 0, "budgetPriority": 400,
    "trimDirection": "trimBottom", "insertionType": "newline", "maximumTrimType": "sentence", "insertionPosition": -1,
}  # fmt: skip
ENTRY = {
    "id": "e", "text": "x", "displayName": "New Lorebook Entry", "keys": ["lamp"], "searchRange": 1000, "enabled": True,
    "forceActivation": False, "keyRelative": False, "nonStoryActivatable": False, "category": "c", "contextConfig": CONFIG,
}  # fmt: skip
GIVEN = {
    "enabled": False, "forceActivation": True, "keyRelative": True, "nonStoryActivatable": True, "searchRange": 500,
    "keys": ["from category"],
    "contextConfig": {
        "prefix": "[", "suffix": "]", "tokenBudget": 100, "reservedTokens": 10, "budgetPriority": 7,
        "trimDirection": "doNotTrim", "insertionType": "token", "maximumTrimType": "newline", "insertionPosition": 3,
    },
}  # fmt: skip


def put(entry, place, value):
    home = homes(place)[0]
    copy = dict(entry)
    home.put(copy, value)
    return copy


def book(entry, **category):
    made = {"id": "c", "name": "Places", "enabled": True, "useCategoryDefaults": True, "categoryDefaults": GIVEN}
    return {"lorebookVersion": 5, "entries": [entry], "settings": {}, "categories": [{**made, **category}]}


def read(value):
    result = read_novelai_lorebook(value)
    assert write_novelai_lorebook(result.value) == value
    return result


@pytest.mark.parametrize("place", FACTORY_VALUES)
def test_every_field_with_a_factory_value_is_inherited(place):
    home = homes(place)[0]
    category = {"id": "c", "useCategoryDefaults": True, "categoryDefaults": GIVEN}
    untouched = put(ENTRY, place, FACTORY_VALUES[place][0])
    own = {bool: not FACTORY_VALUES[place][0], int: 3210, str: "mine", list: ["mine"]}[type(FACTORY_VALUES[place][0])]

    assert inherited(category, untouched)[place] == home.get(GIVEN)
    assert place not in inherited(category, put(ENTRY, place, own))
    assert inherited({**category, "useCategoryDefaults": False}, untouched) == {}


def test_no_field_of_the_configuration_is_forgotten():
    assert {place.removeprefix("contextConfig.") for place in FACTORY_VALUES if "." in place} == {*CONFIG}


def test_fields_with_a_meaning_here_have_an_effect_and_the_others_are_named():
    result = read(book({**ENTRY, "keys": []}))
    entry = result.value.entries[0]

    assert (entry.keys, entry.constant, entry.order, entry.enabled) == (("from category",), True, 7, False)
    messages = [report.message for report in result.reports if report.code == "category_inherited"]
    assert len(messages) == 1
    assert all(
        f"`{place}`" in messages[0] for place in ("searchRange", "contextConfig.prefix", "contextConfig.tokenBudget")
    )


def test_a_disabled_category_disables_without_touching_the_flag():
    value = book(ENTRY, enabled=False, useCategoryDefaults=False)

    result = read(value)

    assert result.value.entries[0].enabled is False
    assert write_novelai_lorebook(result.value)["entries"][0]["enabled"] is True


def test_a_subcontext_is_kept_and_reported_once():
    settings = {"contextConfig": CONFIG, "entries": []}
    value = book(ENTRY, createSubcontext=True, subcontextSettings=settings)
    value["entries"].append({**ENTRY, "id": "f"})

    result = read(value)

    assert [report.code for report in result.reports].count("subcontext_kept") == 1
    assert write_novelai_lorebook(result.value)["categories"][0]["subcontextSettings"] == settings


@pytest.mark.parametrize("version", range(1, 7))
def test_versions_separators_and_empty_keys(version):
    separator = {"text": "", "displayName": "--- places ---", "keys": [""]}
    value = {"lorebookVersion": version, "entries": [separator, {"text": "Deep.", "keys": ["well", ""]}]}

    result = read(value)

    assert [(entry.title, entry.keys) for entry in result.value.entries] == [
        ("--- places ---", ("",)),
        (result.value.entries[1].title, ("well", "")),
    ]
    assert (result.found, result.kept) == (2, 2)
    never = [report.entry for report in result.reports if report.code == "entry_never_activates"]
    assert never == [str(result.value.entries[0].uid)]
