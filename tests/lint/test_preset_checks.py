"""Every finding about a preset, with a preset that has it and one that nearly has it."""

import pytest

from tests.lint.presets import MARKERS, at_depth, check, codes, preset, prompt

CLEAN = preset(prompt("main", "You are {{char}}."), "chatHistory")
SHOWS, SETS = prompt("shows", "{{getvar::a}}"), prompt("sets", "{{setvar::a::1}}")


def without(value, *names):
    """The same order without some names."""
    order = [entry for entry in value["prompt_order"][0]["order"] if entry["identifier"] not in names]
    return {**value, "prompt_order": [{"character_id": 100001, "order": order}]}


def ordered(*orders, **settings):
    """Orders by owner, each of `main` and all markers unless it is empty."""
    full = [{"identifier": name, "enabled": True} for name in ("main", *MARKERS, "chatHistory")]
    lists = [{"character_id": owner, "order": full if filled else []} for owner, filled in orders]
    return {"new_chat_prompt": "", "prompts": [prompt("main", "Hi.")], "prompt_order": lists, **settings}


def test_a_clean_preset_has_no_findings():
    assert codes(CLEAN) == []


TABLE = [
    # orders
    ("preset_order_empty", "", ordered((100001, False)), ordered((100001, True))),
    ("preset_order_empty", "", ordered((100001, False), (100000, True)), ordered((100001, True), (100000, True))),
    ("preset_order_old", "", ordered((100000, True)), ordered((100001, True))),
    ("preset_order_missing", "", ordered(), ordered((100001, True))),
    ("preset_order_missing", "", ordered((7, True)), ordered((100001, True))),
    ("preset_order_unused", "", ordered((100001, True), (100000, True)), ordered((100001, True))),
    ("preset_order_unused", "", ordered((100001, True), (7, True)), ordered((100001, True))),
    ("preset_order_unknown", "gone", preset("gone", "chatHistory"), preset("main", "chatHistory")),
    ("preset_order_repeats", "main", preset("main", "main", "chatHistory"), preset("main", "chatHistory")),
    # markers
    ("preset_chat_missing", "chatHistory", preset("main"), CLEAN),
    ("preset_chat_missing", "chatHistory", preset("main", "-chatHistory"), CLEAN),
    ("preset_marker_off", "scenario", preset("main", "-scenario", "chatHistory"), CLEAN),
    ("preset_marker_unlisted", "scenario", without(CLEAN, "scenario"), CLEAN),
    ("preset_marker_unlisted", "dialogueExamples", without(CLEAN, "dialogueExamples"), CLEAN),
    # prompts
    ("preset_prompt_unlisted", "a", {**CLEAN, "prompts": [*CLEAN["prompts"], prompt("a", "A")]}, CLEAN),
    ("preset_prompt_duplicate", "main", {**CLEAN, "prompts": CLEAN["prompts"] * 2}, CLEAN),
    ("preset_prompt_empty", "a", preset(prompt("a", ""), "chatHistory"), preset(prompt("nsfw", ""), "chatHistory")),
    ("preset_code", "a", preset(prompt("a", "<% 1 %>"), "chatHistory"), preset(prompt("a", "< % >"), "chatHistory")),
    ("preset_id_reserved", "bias", preset(prompt("bias", "B"), "chatHistory"), preset(prompt("b", "B"), "chatHistory")),
    (
        "preset_prompt_unplaced",
        "a",
        preset(prompt("a", "A", system_prompt=True), "chatHistory"),
        preset(at_depth("a", "A", 0, system_prompt=True), "chatHistory"),
    ),
    ("preset_prompt_unplaced", "a", preset(prompt("a", "A", system_prompt=0), "chatHistory"), CLEAN),
    # places
    (
        "preset_depth_odd",
        "a",
        preset("chatHistory", at_depth("a", "A", "2")),
        preset("chatHistory", at_depth("a", "A", 2)),
    ),
    (
        "preset_depth_odd",
        "a",
        preset("chatHistory", at_depth("a", "A", -1)),
        preset("chatHistory", at_depth("a", "A", 0)),
    ),
    (
        "preset_depth_odd",
        "a",
        preset("chatHistory", at_depth("a", "A", 1.5)),
        preset("chatHistory", at_depth("a", "A", 1.0)),
    ),
    ("preset_depth_odd", "a", preset("chatHistory", at_depth("a", "A", True)), preset("chatHistory", prompt("a", "A"))),
    ("preset_role_unknown", "a", preset(prompt("a", "A", role="tool"), "chatHistory"), CLEAN),
    ("preset_role_unknown", "a", preset("chatHistory", at_depth("a", "A", 0, role=None)), CLEAN),
    (
        "preset_trigger_unknown",
        "a",
        preset("chatHistory", prompt("a", "A", injection_trigger=["Normal"])),
        preset("chatHistory", prompt("a", "A", injection_trigger=["normal"])),
    ),
    # settings
    ("preset_format_without_place", "", {**CLEAN, "wi_format": "[Lore]"}, {**CLEAN, "wi_format": "[{0}]"}),
    ("preset_format_without_place", "", {**CLEAN, "scenario_format": " "}, {**CLEAN, "scenario_format": ""}),
    (
        "preset_format_without_place",
        "",
        {**CLEAN, "personality_format": "Is: {{scenario}}"},
        {**CLEAN, "personality_format": "Is: {{Personality}}"},
    ),
    (
        "preset_no_room",
        "",
        {**CLEAN, "openai_max_context": 300, "openai_max_tokens": 300},
        {**CLEAN, "openai_max_context": 310, "openai_max_tokens": 300},
    ),
    (
        "preset_over_budget",
        "",
        {**CLEAN, "openai_max_context": 302, "openai_max_tokens": 300},
        {**CLEAN, "openai_max_context": 303, "openai_max_tokens": 300},
    ),
    (
        "preset_little_room",
        "",
        {**CLEAN, "openai_max_context": 305, "openai_max_tokens": 300},
        {**CLEAN, "openai_max_context": 306, "openai_max_tokens": 300},
    ),
    # macros
    ("preset_macro_unknown", "a", preset(prompt("a", "{{nobody}}"), "chatHistory"), CLEAN),
    ("preset_macro_failed", "a", preset(prompt("a", "{{original}}"), "chatHistory"), CLEAN),
    ("preset_macro_failed", "a", preset(prompt("a", "{{getvar}}"), "chatHistory"), CLEAN),
    ("preset_variable_early", "shows", preset("chatHistory", SHOWS, SETS), preset("chatHistory", SETS, SHOWS)),
    ("preset_variable_unwritten", "shows", preset("chatHistory", SHOWS), preset("chatHistory", SETS, SHOWS)),
    # costs
    (
        "preset_front_changes",
        "a",
        preset(prompt("a", "{{time}}"), "chatHistory"),
        preset("chatHistory", prompt("a", "{{time}}")),
    ),
    ("preset_front_changes", "new_chat_prompt", {**CLEAN, "new_chat_prompt": "It is {{date}}."}, CLEAN),
    ("preset_front_written_late", "shows", preset(SHOWS, SETS, "chatHistory"), preset(SETS, SHOWS, "chatHistory")),
    ("preset_front_may_change", "a", preset(prompt("a", "{{model}}"), "chatHistory"), CLEAN),
    (
        "preset_front_triggered",
        "a",
        preset(prompt("a", "A", injection_trigger=["swipe"]), "chatHistory"),
        preset("chatHistory", prompt("a", "A", injection_trigger=["swipe"])),
    ),
    ("preset_deep", "a", preset("chatHistory", at_depth("a", "A", 100)), preset("chatHistory", at_depth("a", "A", 99))),
    (
        "preset_at_depth",
        "a",
        preset("chatHistory", at_depth("a", "A", 1)),
        preset("chatHistory", at_depth("a", "A", 0)),
    ),
    ("preset_marker_in_tail", "scenario", preset("chatHistory", "scenario"), preset("scenario", "chatHistory")),
]


@pytest.mark.parametrize(("code", "about", "has", "has_not"), TABLE, ids=[f"{row[0]}-{row[1]}" for row in TABLE])
def test_finding(code, about, has, has_not):
    assert (about, code) in codes(has)
    assert code not in [found for _, found in codes(has_not)]


def test_quiet_findings():
    """Two that nearly every preset has: lore in front of the chat, and what stands behind it."""
    value = preset("worldInfoBefore", "chatHistory", prompt("last", "Go on."))
    found = [(one.entry, one.code, one.level) for one in check(value).findings]

    assert ("worldInfoBefore", "preset_lore_in_front", "info") in found
    assert ("last", "preset_in_tail", "info") in found
    assert "preset_in_tail" not in {one.code for one in check(preset("chatHistory", prompt("last", ""))).findings}


@pytest.mark.parametrize(
    ("last", "is_movable"),
    [
        (prompt("last", "Go on."), True),
        (prompt("last", "It is {{time}}."), False),
        (prompt("last", "Go on.", injection_trigger=["continue"]), False),
    ],
)
def test_what_belongs_behind_the_chat_is_not_to_be_moved(last, is_movable):
    (found,) = (one for one in check(preset("chatHistory", last)).findings if one.code == "preset_in_tail")

    assert ("put it in front of the chat" in found.message) is is_movable


def test_a_very_long_preset_says_what_was_not_looked_at():
    value = preset(prompt("a", "x" * 2_000_001), prompt("b", "{{time}}"), "chatHistory")
    found = [one.message for one in check(value).findings if one.code == "preset_macros_untried"]

    assert len(found) == 1
    assert "`a`" in found[0]


def test_levels():
    """An error: what is meant does not work at all. Of level info is what loses nothing."""
    found = {one.code: one.level for value in (row[2] for row in TABLE) for one in check(value).findings}

    assert {code for code, level in found.items() if level == "error"} == {
        "preset_order_empty",
        "preset_chat_missing",
        "preset_no_room",
        "preset_over_budget",
    }
    assert {code for code, level in found.items() if level == "info"} == {
        "preset_order_unused",
        "preset_marker_off",
        "preset_prompt_unlisted",
        "preset_prompt_empty",
        "preset_little_room",
        "preset_variable_unwritten",
        "preset_front_may_change",
        "preset_deep",
        "preset_lore_in_front",
        "preset_in_tail",
    }
