"""The dialect `rules` where the cases say nothing: version 2.0's way, frames, chance, refusals (spec §4.3-4.5)."""

import pytest

from lorewright.templates.clock import Clock
from lorewright.templates.rules import (
    Limits,
    RuleContext,
    is_template,
    join_variables,
    prepare_text,
    render,
    render_frame,
)
from lorewright.templates.rules.macros import RUNTIME, VARIABLES

ST = RuleContext(sillytavern=True, variables={"mood": "calm"})


def text(written, context=ST):
    return render(written, context).text


def codes(rendered):
    return [report.code for report in rendered.reports]


# --- references


def test_spaces_in_the_braces_are_tolerated():
    assert text("{{ name }}", RuleContext(variables={"name": "Ann"})) == "Ann"


def test_unknown_references_stay_or_are_stripped():
    assert text("a {{who}} {{x y}}", RuleContext()) == "a {{who}} {{x y}}"
    assert text("a {{who}} {{who::1}} {{x y}}", RuleContext(unknown="strip")) == "a   {{x y}}"


def test_an_empty_text_is_a_value_and_a_hidden_variable_vanishes():
    assert text("[{{e}}]", RuleContext(variables={"e": ""})) == "[]"
    assert text("[{{off}}]", RuleContext(hidden=frozenset({"off"}))) == "[]"


def test_variables_stand_before_macros_and_macros_before_what_is_built_in():
    built_ins = {"CWD": "/proj", "date": "never"}

    assert text("{{CWD}} {{date}}", RuleContext(built_ins=built_ins)) == "/proj January 1, 1970"
    assert text("{{CWD}}", RuleContext(built_ins=built_ins, variables={"CWD": "x"})) == "x"


def test_the_strongest_source_of_a_variable_wins():
    assert join_variables([{"a": "resolver"}, {"a": "session", "b": "session"}, {"b": "module", "c": "module"}]) == {
        "a": "resolver",
        "b": "session",
        "c": "module",
    }


# --- run-time macros: every row once


def test_every_macro_of_the_spec_is_there():
    assert set(RUNTIME) == set(
        "lastusermessage lastcharmessage random pick roll chance time date weekday isotime isodate newline pipe".split()
    )
    verbs = ("set", "add", "get", "inc", "dec")
    assert set(VARIABLES) == {"user", "trim", "era", *(f"{verb}{mark}var" for verb in verbs for mark in ("", "global"))}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{{lastusermessage}}|{{LastCharMessage}}", "{{date}}|hi"),
        ("{{random::a::b}}{{random::a, b\\,c}}", "bb,c"),
        ("{{roll::2d6+1}} {{roll::6}} [{{roll::x}}]", "9 4 []"),
        ("{{chance::60}} {{chance::40}} {{chance::40::a::b}} {{chance::60::a}}", "true false b a"),
        ("{{time}} {{date}} {{weekday}} {{isotime}} {{isodate}}", "12:34 PM May 1, 2024 Wednesday 12:34 2024-05-01"),
        ("a{{newline}}b{{pipe}}", "a\nb|"),
        ("{{random}} {{roll}}", "{{random}} {{roll}}"),
    ],
)
def test_run_time_macros(written, expected):
    context = RuleContext(
        clock=Clock(1_714_566_896_789), random=lambda: 0.5, last_user_message="{{date}}", last_char_message="hi"
    )

    assert text(written, context) == expected


def test_pick_is_stable_in_a_session_and_differs_by_place():
    written = "".join("{{pick::a::b::c::d::e::f::g::h}}" for _ in range(12))

    first = text(written, RuleContext(session="s"))
    assert first == text(written, RuleContext(session="s"))
    assert len(set(first)) > 1
    assert first != text(written, RuleContext(session="t"))


# --- SillyTavern's variables


def test_variables_only_in_texts_from_sillytavern():
    assert text("{{setvar::a::1}}{{user}}", RuleContext()) == "{{setvar::a::1}}{{user}}"
    assert (
        text("{{getglobalvar::g}}{{setglobalvar::g::1}}{{getglobalvar::g}}{{incglobalvar::g}}{{decvar::n}}") == "12-1"
    )


def test_a_default_is_stored_and_a_value_keeps_its_colons():
    rendered = render("{{getvar::a::x::y}}{{getvar::mood::z}}", ST)

    assert (rendered.text, dict(rendered.local_variables)) == ("x::ycalm", {"a": "x::y"})


def test_values_are_never_run_and_never_become_a_name():
    context = RuleContext(sillytavern=True, local_variables={"m": "{{setvar::hp::0}}", "n": "user"})

    rendered = render("{{getvar::m}} {{m}} {{{{n}}}} {{setvar::copy::{{m}}}}{{getvar::copy}}", context)

    assert rendered.text == "{{setvar::hp::0}} {{setvar::hp::0}} {{user}} {{setvar::hp::0}}"
    assert "hp" not in rendered.local_variables


def test_a_cycle_by_way_of_others_is_refused_too():
    local = {"a": "x {{getvar::b}}", "b": "{{ getglobalvar::c }}", "d": "{{b}}"}
    context = RuleContext(sillytavern=True, local_variables=local, global_variables={"c": "{{a}}"})

    assert "cycle" in render("{{getvar::a}}", context).reports[0].message
    assert render("{{getvar::d}}", RuleContext(sillytavern=True, local_variables={"d": "{{b}}"})).text == "{{b}}"


@pytest.mark.parametrize("name", ["__proto__", "constructor", "prototype"])
@pytest.mark.parametrize("macro", ["setvar::{}::1", "getvar::{}", "incvar::{}"])
def test_names_of_javascript_are_refused(name, macro):
    rendered = render(f"{{{{setvar::a::1}}}}{{{{{macro.format(name)}}}}}", ST)

    assert (rendered.text, codes(rendered), dict(rendered.local_variables)) == ("", ["rule_text_failed"], {})
    assert not rendered.writes


def test_limits():
    assert "32" in render("{{getvar::" * 33 + "a" + "}}" * 33, ST).reports[0].message
    assert not render("{{getvar::" * 32 + "a" + "}}" * 32, ST).reports
    assert not render("a" * (1 << 20), ST).reports
    assert render("é" * (1 << 19) + "a", ST).reports
    assert render("{{getvar::m}}" * 3, RuleContext(sillytavern=True, local_variables={"m": "x" * 400_000})).reports
    assert render("{{roll::5000d6}}", ST).reports
    work = render(
        "{{setvar::b::{{getvar::m}}}}" * 9,
        RuleContext(sillytavern=True, local_variables={"m": "x" * 100}),
        Limits(work=500),
    )
    assert "500 bytes" in work.reports[0].message


@pytest.mark.parametrize("piece", ["{{", "{{a::", "}}", "{{//", "{{getvar::a", "{", "{{ ", "{{setvar::"])
def test_very_many_half_macros_have_an_answer(piece):
    whole = piece * (200_000 // len(piece))

    for context in (ST, RuleContext()):
        assert len(render(whole, context).text) <= len(whole)
    assert len(prepare_text(whole, "A", {}, assignments="lifted")[0]) <= len(whole)


def test_a_frame_hands_variables_on_and_drops_those_of_a_failing_text():
    frame = render_frame(["{{setvar::a::1}}", "{{setvar::a::2}}{{setvar::prototype::1}}", "{{getvar::a}}"], ST)

    assert [rendered.text for rendered in frame] == ["", "", "1"]
    assert [codes(rendered) for rendered in frame] == [[], ["rule_text_failed"], []]


# --- importing


@pytest.mark.parametrize(
    ("written", "expected", "params"),
    [
        ("{{setvar::mood::happy}}Now", "{{setvar::mood::happy}}Now", {"stMacros": True}),
        ("{{getvar::mood::calm}}", "{{getvar::mood::calm}}", {"stMacros": True}),
        ("{{ Char }} and {{USER}}{{ERA}}", "Alice and 用户", {}),
        ("a{{// note }}b{{// rest", "ab", {}),
    ],
)
def test_an_imported_text_keeps_its_assignments(written, expected, params):
    assert prepare_text(written, "Alice", {}) == (expected, params)


def test_a_text_without_braces_is_not_worked_on():
    assert not is_template("a } b { c")
    assert text("a } b { c") == "a } b { c"


def test_very_many_picks_hash_the_text_once():
    assert len(text("{{pick::a::b}}" * 50_000, RuleContext(session="s"))) == 50_000
