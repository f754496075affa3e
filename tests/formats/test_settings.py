"""Settings by SillyTavern's names."""

import math

import pytest

from lorewright.core.policy import Settings
from lorewright.errors import SettingsError
from lorewright.formats.settings import SETTING_NAMES, read_settings

ALL = {
    "depth": 4.5,
    "minActivations": 2,
    "minActivationsDepthMax": 9,
    "budget": 12.5,
    "budgetCap": 300,
    "includeNames": False,
    "recursive": False,
    "maxRecursionSteps": 3,
    "caseSensitive": True,
    "matchWholeWords": False,
    "useGroupScoring": True,
    "characterStrategy": 2,
    "form": "message",
    "standingBudget": 20.5,
    "onEdit": "rewrite",
    "overflowAlert": True,
    "maxContext": 4096,
    "maxEntries": 3,
    "authorityDiscount": 0.5,
    "useProposals": True,
    "maxLevel": 1,
    "replaceSeconds": 2.5,
}


def test_every_name_goes_to_its_field():
    settings, context_tokens, reports = read_settings(ALL)

    assert settings == Settings(
        scan_depth=4.5,
        min_activations=2,
        min_activations_max_depth=9,
        budget_percent=12.5,
        budget_cap_tokens=300,
        include_names=False,
        recursive=False,
        max_recursion_steps=3,
        case_sensitive=True,
        whole_words=False,
        group_scoring=True,
        strategy="global_first",
        form="message",
        standing_budget_percent=20.5,
        on_edit="rewrite",
        max_entries=3,
        authority_discount=0.5,
        use_proposals=True,
        max_level=1,
        replace_seconds=2.5,
    )
    assert context_tokens == 4096
    assert reports == ()
    assert set(ALL) == set(SETTING_NAMES)


def test_what_is_not_named_stays_as_it_was():
    base = Settings(scan_depth=9, recursive=False)

    assert read_settings({"budget": 50}, base) == (Settings(scan_depth=9, recursive=False, budget_percent=50), None, ())
    assert read_settings({}) == (Settings(), None, ())


@pytest.mark.parametrize(("number", "strategy"), [(0, "evenly"), (1, "character_first"), (2, "global_first")])
def test_strategies(number, strategy):
    assert read_settings({"characterStrategy": number})[0].strategy == strategy


def test_an_unknown_strategy_is_evenly_with_a_report():
    settings, _, reports = read_settings({"characterStrategy": 9})

    assert settings.strategy == "evenly"
    assert [(report.code, report.field) for report in reports] == [("bad_value", "strategy")]


def test_a_whole_number_may_have_a_point():
    settings, context, _ = read_settings({"budgetCap": 30.0, "maxContext": 100.0, "depth": 2.0})

    assert [type(settings.budget_cap_tokens), type(context), type(settings.scan_depth)] == [int, int, int]


def test_all_problems_are_named_at_once():
    with pytest.raises(SettingsError) as caught:
        read_settings({"dept": 1, "budget": 150, "recursive": "yes", "zzz": 1, "depth": 2})

    error = caught.value
    assert isinstance(error.facts["problems"], tuple)
    assert len(error.facts["problems"]) == 4
    assert "`dept` is not known. Did you mean `depth`?" in error.message
    assert "`budget` is the number 150; it must be a percentage from 0 to 100." in error.message
    assert "`recursive` is the text 'yes'; it must be true or false." in error.message
    assert "`zzz` is not known." in error.message
    assert error.message.count("Known settings are depth, ") == 1
    assert error.facts["known"] == SETTING_NAMES


WRONG: list[tuple[str, object]] = [
    ("form", "outside"),
    ("form", None),
    ("form", []),
    ("standingBudget", 100.5),
    ("onEdit", True),
    ("depth", -1),
    ("depth", None),
    ("depth", True),
    ("depth", math.nan),
    ("depth", math.inf),
    ("depth", 10**400),
    ("depth", "2"),
    ("budget", -1),
    ("budget", 100.1),
    ("budgetCap", 1.5),
    ("minActivations", []),
    ("maxContext", -5),
    ("maxContext", math.nan),
    ("characterStrategy", "evenly"),
    ("characterStrategy", True),
    ("overflowAlert", 1),
    ("caseSensitive", None),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_values(name, value):
    with pytest.raises(SettingsError, match=f"`{name}` is "):
        read_settings({name: value})


# -- SillyTavern's own settings.json

THEIRS = {
    "world_info_depth": 4,
    "world_info_min_activations": 2,
    "world_info_min_activations_depth_max": 9,
    "world_info_budget": 12,
    "world_info_include_names": False,
    "world_info_recursive": False,
    "world_info_overflow_alert": True,
    "world_info_case_sensitive": True,
    "world_info_match_whole_words": False,
    "world_info_character_strategy": 2,
    "world_info_budget_cap": 300,
    "world_info_use_group_scoring": True,
    "world_info_max_recursion_steps": 3,
}
OURS = Settings(
    scan_depth=4,
    min_activations=2,
    min_activations_max_depth=9,
    budget_percent=12,
    budget_cap_tokens=300,
    include_names=False,
    recursive=False,
    max_recursion_steps=3,
    case_sensitive=True,
    whole_words=False,
    group_scoring=True,
    strategy="global_first",
)


@pytest.mark.parametrize("mapping", [THEIRS, {"world_info_settings": THEIRS}], ids=["at the top", "inside"])
def test_sillytavern_names_are_mapped_wherever_they_stand(mapping):
    assert read_settings({**mapping, "max_context": 4096}) == (OURS, 4096, ())


def test_what_stands_inside_goes_before_what_stands_at_the_top():
    assert read_settings({"world_info_depth": 9, "world_info_settings": {"world_info_depth": 3}})[0].scan_depth == 3


def test_the_context_of_the_chat_completion_api_is_another_field():
    mapping = {"world_info_depth": 4, "max_context": 8192, "oai_settings": {"openai_max_context": 4095}}

    assert read_settings({**mapping, "main_api": "openai"})[1] == 4095
    assert read_settings({**mapping, "main_api": "kobold"})[1] == 8192


def test_what_is_not_read_of_sillytavern_settings_is_counted():
    mapping = {
        "world_info_settings": {"world_info_depth": 4, "world_info": {"globalSelect": []}},
        "power_user": {"tokenizer": 1},
        "username": "Ann",
    }
    _, context, reports = read_settings(mapping)

    assert context is None
    assert [(report.code, report.level, report.message) for report in reports] == [
        ("settings_not_read", "info", "This is SillyTavern's settings file: 1 field is used, 3 others are not read.")
    ]


def test_wrong_values_of_sillytavern_settings_are_named_as_they_stand_there():
    with pytest.raises(SettingsError, match="Setting `world_info_depth` is the text 'x'"):
        read_settings({"world_info_settings": {"world_info_depth": "x"}})


def test_our_own_names_make_a_file_our_own():
    with pytest.raises(SettingsError, match="Setting `world_info_budget` is not known"):
        read_settings({"depth": 4, "world_info_budget": 10})


@pytest.mark.parametrize(
    ("name", "meant"),
    [("dept", "depth"), ("max_context", "maxContext"), ("world_info_dept", "world_info_depth"), ("temperature", "")],
)
def test_only_names_that_are_really_close_are_suggested(name, meant):
    with pytest.raises(SettingsError) as caught:
        read_settings({name: 4})

    assert (f"Did you mean `{meant}`?" if meant else "is not known. Known settings are") in caught.value.message


def test_a_file_of_sillytaverns_without_scan_settings_changes_none():
    settings, context, reports = read_settings({"power_user": {"pin_examples": True}, "extension_settings": {}})

    assert (settings, context) == (Settings(), None)
    assert [report.code for report in reports] == ["settings_not_read"]
