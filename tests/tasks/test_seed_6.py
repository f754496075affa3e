"""The tests 6a to 6h of seed 000, and the regression that default mode did not change."""

import copy
import json
from pathlib import Path

import pytest

from lorewright.conformance.task_worlds import world_answer
from lorewright.tasks.cache import WorldCache
from lorewright.tasks.debug import show_report
from lorewright.templates.ejs import Sandbox
from tests.tasks.world import DYNAMIC, HEURISTIC, RESIDENT, STATE, SUMMARY, TAGGED, TOOLS, names, prompt, read

CORPUS = Path(__file__).resolve().parents[2] / "conformance" / "mvu"
CUSTOM = {"worldInfoFilterMode": "custom", "worldInfoFilterCustomKeywords": ""}
RESIDENT_KEYWORD = {**CUSTOM, "worldInfoFilterCustomKeywords": "常驻"}
EMPTY_MVU = {"filteredEntryCount": 0, "filteredEntries": [], "blockedContentsCount": 0, "lazyFilteredEntryCount": 0}
BEFORE_BLOCK = {"id": "b", "type": "builtin", "role": "system", "sourceKey": "worldInfoBefore"}


def test_6a_the_custom_filter_replaces_that_of_mvu():
    lore = read(CUSTOM)
    debug = show_report(lore.report)

    assert TAGGED in names(lore.before)
    assert HEURISTIC in names(lore.before)
    assert debug["mvu"] == EMPTY_MVU
    assert debug["customFilter"]["mode"] == "custom"
    assert debug["customFilter"]["filteredEntryCount"] == 0


def test_6b_keywords_are_looked_for_in_names_only():
    lore = read(RESIDENT_KEYWORD)
    debug = show_report(lore.report)

    assert RESIDENT not in names(lore.before)
    assert "Comment probe" in names(lore.before)  # the keyword is in its comment
    assert debug["customFilter"]["filteredEntryCount"] == 1
    assert debug["customFilter"]["filteredEntries"] == [
        {"worldbook": "main", "name": RESIDENT, "matchedKeyword": "常驻", "reason": "custom_keyword"}
    ]


def test_6c_a_disabled_entry_cannot_be_read_in_custom_mode():
    lore = read(CUSTOM)
    default = read({})

    assert DYNAMIC not in [entry.name for entry in lore.report.entries]
    assert {text.entry.name: text.content for text in lore.before}[SUMMARY] == "summary:"
    assert {text.entry.name: text.content for text in default.before}[SUMMARY] == "summary: hidden clue: Alice"


def test_6d_the_cache_tells_modes_and_keywords_apart():
    cache = WorldCache()
    readings = [{}, CUSTOM, RESIDENT_KEYWORD, {**CUSTOM, "worldInfoFilterCustomKeywords": "b,a"}, {}]

    assert [read(settings, cache=cache).report.age_ms for settings in readings] == [None] * 5
    assert read({}, cache=cache).report.age_ms == 0


def test_6e_the_prompt_keeps_what_looks_like_mvu_in_a_block_of_lore():
    custom = prompt(CUSTOM, [BEFORE_BLOCK])
    default = prompt({}, [BEFORE_BLOCK])

    assert "status_current_variable" in custom.system
    assert "status_current_variable" not in default.system


@pytest.mark.parametrize("written", ["世界书插值:\n{{worldInfoBefore}}", "世界书插值:\\n{{ worldInfoBefore }}"])
def test_6f_the_prompt_keeps_it_where_lore_is_shown_inside_other_text(written):
    block = {"id": "b-interp", "type": "custom", "content": written, "role": "system", "order": 0}

    assert STATE in prompt(CUSTOM, [block]).system


def test_6g_a_cache_hit_tells_what_the_custom_filter_kept_back():
    cache = WorldCache()
    first, second = (read(RESIDENT_KEYWORD, cache=cache) for _ in range(2))

    assert first.report.age_ms is None
    assert second.report.age_ms == 0
    assert show_report(second.report)["customFilter"] == show_report(first.report)["customFilter"]
    assert show_report(second.report)["customFilter"]["filteredEntries"][0]["name"] == RESIDENT


def test_6h_default_mode_ignores_keywords_and_keeps_its_filter():
    lore = read({"worldInfoFilterMode": "default", "worldInfoFilterCustomKeywords": "常驻"})
    debug = show_report(lore.report)

    assert RESIDENT in names(lore.before)
    assert [found["name"] for found in debug["mvu"]["filteredEntries"]] == ["MVU tagged", HEURISTIC]
    assert debug["customFilter"] == {
        "mode": "default",
        "keywords": [],
        "filteredEntryCount": 0,
        "filteredEntries": [],
        "lazyFilteredEntryCount": 0,
    }


def as_bytes(answer):
    return json.dumps(answer, ensure_ascii=False, sort_keys=True).encode()


DEFAULT_FILES = ("worldinfo_activation", "worldinfo_mvu_default", "worldinfo_ejs")
SAME_AS_DEFAULT = (
    {"worldInfoFilterMode": "default", "worldInfoFilterCustomKeywords": "常驻,BME,o,a,e"},
    {"worldInfoFilterMode": "", "worldInfoFilterCustomKeywords": "o"},
    {"worldInfoFilterMode": None, "worldInfoFilterCustomKeywords": "o"},
)


@pytest.mark.parametrize("name", DEFAULT_FILES)
def test_default_mode_did_not_change(name):
    """Every recorded answer of default mode, byte for byte, whatever the keywords say."""
    cases = json.loads((CORPUS / f"{name}.json").read_bytes())["cases"]
    with Sandbox() as sandbox:
        for case in cases:
            if case["input"]["settings"].get("worldInfoFilterMode"):
                continue
            expected = as_bytes(case["expected"])
            for settings in ({}, *SAME_AS_DEFAULT) if name == "worldinfo_mvu_default" else ({}, SAME_AS_DEFAULT[0]):
                given = copy.deepcopy(case["input"])
                given["settings"] |= settings

                assert as_bytes(world_answer(given, TOOLS, sandbox)) == expected, case["id"]
