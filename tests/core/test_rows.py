"""Rows of RisuAI: what the recorded cases do not show (spec risu §8)."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

import lorewright.conformance.risu_rows as runner
from lorewright import ActiveBook, Message, State, Turn, assemble, load_lore, make_tools
from lorewright.core.policy import RISU, RowRules
from lorewright.core.row_places import insert_rows, place_rows
from lorewright.core.row_text import RowText, find_in_row
from lorewright.core.stable import stable_value
from lorewright.formats.risu_lorebook import read_risu_lorebook

FILE = Path(__file__).resolve().parents[2] / "conformance" / "risu" / "lorebook.json"
TOOLS = make_tools()
REPAIRED = replace(RISU, rows=RowRules())
USUAL = {"secondkey": "", "mode": "normal", "insertorder": 100, "alwaysActive": False, "selective": False}


def row(key, content, **other):
    return {**USUAL, "key": key, "comment": content[-9:], "content": content, **other}


def turn(*texts, greeting="Hello"):
    chat = [Message("", text, "assistant" if number % 2 else "user") for number, text in enumerate(texts)]
    return Turn(messages=(Message("", greeting, "assistant"), *chat), context_tokens=8000)


def play(rows, *texts, policy=RISU, state=None, **changes):
    book = read_risu_lorebook({"data": rows}, name="b").value
    lore = load_lore([ActiveBook(book)], TOOLS, policy)
    return assemble(replace(turn(*texts), **changes), lore, state or State(), TOOLS)


def active(assembly):
    return [item.text for item in assembly.activated]


# --- every switch does something


@pytest.mark.parametrize("name", [field.name for field in fields(RowRules)])
def test_a_switch_is_noticed(name, monkeypatch):
    document = json.loads(FILE.read_text("utf-8"))
    policy = replace(RISU, rows=replace(RISU.rows or RowRules(), **{name: False}))
    monkeypatch.setattr(runner, "RISU", policy)

    assert any(not outcome.passed for outcome in runner.run_risu_rows(document, "lorebook", "", TOOLS))


def test_without_the_defect_a_short_chat_is_scanned_whole():
    rows = [row("first", "A"), row("last", "B")]

    assert active(play(rows, "first", "x", "last")) == ["B"]
    assert active(play(rows, "first", "x", "last", policy=REPAIRED)) == ["B", "A"]


def test_without_the_defect_a_pattern_is_a_pattern():
    rows = [row("/la+mp/i", "A", useRegex=True)]

    assert active(play(rows, "x", "LAAMP")) == []
    assert active(play(rows, "x", "LAAMP", policy=REPAIRED)) == ["A"]
    assert active(play([row("/a,b/", "A", useRegex=True)], "a,b", policy=REPAIRED)) == ["A"]


def test_without_the_defect_a_line_without_a_place_harms_nobody():
    rows = [row("go", "@@position\nA"), row("go", "B")]
    failed = play(rows, "go")

    assert active(failed) == []
    assert [report.code for report in failed.reports if report.level == "error"] == ["position_without_place"]
    assert active(play(rows, "go", policy=REPAIRED)) == ["B", "A"]


def test_a_row_that_is_skipped_does_not_make_all_fail():
    assert active(play([row("", "@@position\nA"), row("go", "B")], "go")) == ["B"]


def test_without_the_defect_only_rows_that_ask_for_it_remember():
    rows = [row("go", "@@keep_activate_after_match\nA", id="a"), row("go", "B", id="b")]

    assert set(play(rows, "go").state.variables) == {"__internal_ka_a", "__internal_ka_b"}
    assert set(play(rows, "go", policy=REPAIRED).state.variables) == {"__internal_ka_a"}


# --- memory, gates, the greeting


def test_a_row_stays_in_once_it_matched():
    rows = [row("go", "@@keep_activate_after_match\nA", id="a")]
    first = play(rows, "go")
    later = play(rows, "go", "x", "y", "z", "z", "z", "z", state=first.state)

    assert active(later) == ["A"]
    assert later.trace.why("b.a").reason.code == "kept"


def test_a_row_is_in_once():
    rows = [row("go", "@@dont_activate_after_match\nA", id="a")]
    first = play(rows, "go")
    later = play(rows, "go", state=first.state)

    assert (active(first), active(later)) == (["A"], [])
    assert later.trace.why("b.a").reason.code == "spent"


def test_of_two_equal_rows_without_an_id_one_is_in_once():
    rows = [row("go", "@@dont_activate_after_match\nA"), row("go", "@@dont_activate_after_match\nA")]

    assert active(play(rows, "go")) == ["A"]


def test_a_dry_run_remembers_nothing():
    assert play([row("go", "@@keep_activate_after_match\nA")], "go", dry_run=True).state == State()


def test_the_greeting_is_counted_and_not_scanned():
    rows = [row("hello", "A"), row("go", "@@activate_only_after 2\nB"), row("go", "@@activate_only_after 3\nC")]

    assert active(play(rows, "go")) == ["B"]


@pytest.mark.parametrize(("greeting", "expected"), [(None, ["A"]), (0, ["A"]), (1, ["B"])])
def test_a_greeting_that_nobody_knows_is_the_first(greeting, expected):
    rows = [row("go", "@@is_greeting 0\nA"), row("go", "@@is_greeting 1\nB")]

    assert active(play(rows, "go", greeting=greeting)) == expected


# --- reasons


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([row("x", "@@activate_only_after 9\nA")], "too_early"),
        ([row("x", "@@activate_only_every 3\nA")], "not_this_time"),
        ([row("x", "@@is_greeting 2\nA")], "wrong_greeting"),
        ([row("go", "@@exclude_keys go\nA")], "keys_refused"),
        ([row("go", "A", secondkey="no", selective=True)], "secondary_veto"),
        ([row("no", "A")], "no_key_matched"),
        ([row("", "A")], "no_keys"),
        ([row("go", "@@dont_activate\nA")], "suppressed"),
        ([row("go", "A", mode="child", id="x")], "child_off"),
        ([row("go", "A" * 40000)], "over_budget"),
        ([row("go", "@@probability -1\nA")], "draw_failed"),
        ([row("", "A", alwaysActive=True)], "constant"),
        ([row("no", "@@activate\nA")], "decorated"),
        ([row("go", "A")], "key_matched"),
    ],
)
def test_every_row_has_its_reason(rows, code):
    (verdict,) = play(rows, "go").trace.all()

    assert verdict.reason.code == code
    assert verdict.reason.sentence


def test_a_child_shows_the_text_of_a_parent_that_is_not_in():
    rows = [row("no", "A", id="p"), row("x", "own", mode="child", id="p")]
    assembly = play(rows, "go")

    assert active(assembly) == ["A"]
    assert assembly.trace.why("b.p:child:1").reason.code == "child"


def test_a_child_does_not_show_what_is_switched_off():
    book = read_risu_lorebook({"data": [row("no", "A", id="p"), row("x", "own", mode="child", id="p")]}, name="b").value
    parent, child = book.entries
    edited = replace(book, entries=(replace(parent, enabled=False), child))
    lore = load_lore([ActiveBook(edited)], TOOLS, RISU)
    assembly = assemble(turn("go"), lore, State(), TOOLS)

    assert active(assembly) == []
    assert [verdict.reason.code for verdict in assembly.trace.all()] == ["disabled", "child_off"]


def test_a_match_is_found_in_the_text_as_it_was_written():
    match = play([row("l amp", "A")], "x", "y", "the LA MP").trace.why("b.0").match

    assert match is not None
    assert (match.message, match.text) == (3, "LA MP")


def test_a_match_in_the_text_of_a_row_names_it():
    match = play([row("go", "A rain", id="a"), row("rain", "B", id="b")], "go").trace.why("b.b").match

    assert match is not None
    assert (match.source, match.name, match.text) == ("recursion", "b.a", "rain")


@pytest.mark.parametrize(
    ("key", "text", "whole_words", "span"),
    [
        ("lamp", "a L a m p!", False, (2, 9)),
        ("lamp", "{{// lamp}} lamp", False, (12, 16)),
        ("i\u0307x", "a İX", False, (2, 4)),
        ("lamp", "a lamp b", True, (2, 6)),
        ("lamp", "a lamp. b", True, None),
        ("none", "lamp", False, None),
    ],
)
def test_where_a_key_stands(key, text, whole_words, span):
    assert find_in_row(key, text, whole_words=whole_words) == span
    assert RowText(text).holds(key, whole_words=whole_words) is (span is not None)


# --- places


def places(rows, *texts, rules=RISU.rows):
    assembly = play(rows, *texts)
    shown = {item.entry.id: item.text for item in assembly.activated}
    return place_rows(assembly.trace.activation.rows, shown, rules)


def test_rows_of_one_depth_stand_in_reverse():
    rows = [row("go", "@@depth 1\nA", insertorder=1), row("go", "@@depth 1\nB", insertorder=2)]
    found = places(rows, "go").at_depth

    assert insert_rows(["s", "g", "m"], [(item, item.text.text) for item in found]) == ["s", "B", "A", "g", "m"]


def test_a_number_out_of_range_is_the_nearest_end():
    rows = [row("go", "@@depth 99\nA", insertorder=1), row("go", "@@reverse_depth 99\nB", insertorder=2)]
    found = places(rows, "go").at_depth

    assert insert_rows(["s", "g"], [(item, item.text.text) for item in found]) == ["B", "s", "g", "A"]


def test_without_the_defect_depths_count_from_the_end():
    found = places([row("go", "@@depth 1\nA")], "go", rules=RowRules()).at_depth

    assert insert_rows(["s", "g", "m"], [(item, item.text.text) for item in found]) == ["s", "g", "A", "m"]


@pytest.mark.parametrize(
    ("content", "depth"),
    [
        ("@@depth 1\nA", 4),
        ("@@depth 2\nA", 3),
        ("@@reverse_depth 0\nA", 1),
        ("@@reverse_depth 1\nA", 2),
        ("@@end\nA", 0),
    ],
)
def test_places_in_the_words_of_every_profile(content, depth):
    """Greeting and three messages; the newest is not in the list that RisuAI counts in."""
    (group,) = play([row("go", content)], "x", "y", "go").placed.at_depth

    assert (group.depth, [text.text for text in group.texts]) == (depth, ["A"])


def test_what_stands_nowhere_says_why():
    rows = [
        row("go", "BASE", comment="Base", id="base"),
        row("go", "@@inject_lore Base\nin", id="in"),
        row("go", "@@inject_lore Nobody\nlost", id="lost"),
        row("go", "@@inject_at main\npart", id="part"),
        row("go", "@@depth -1\ndeep", id="deep"),
        row("go", "", id="none"),
    ]
    assembly = play(rows, "go")

    assert assembly.placed.unplaced == {
        "b.in": "injected",
        "b.lost": "no_target",
        "b.part": "no_part",
        "b.deep": "no_position",
        "b.none": "empty",
    }
    assert [text.text for text in assembly.placed.after] == ["BASE in"]


def test_stable_values_depend_on_counter_and_word():
    """Recorded in lo-384 of the cases."""
    assert stable_value(5555, "@@keep_activate_after_match\nText") == 0.46480850828811526
