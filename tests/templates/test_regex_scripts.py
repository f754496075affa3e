"""What the recorded cases do not say of regex scripts: captured text that is not run, limits, frozen messages."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance.regex_scripts import run_scripts_of_case
from lorewright.core.regex_script import RegexScript
from lorewright.templates.context import Context
from lorewright.templates.engines import LegacyEngine
from lorewright.templates.regex_scripts import LORE, REPLY, USER_INPUT, Defects, Place, ScriptRunner, ScriptTools
from lorewright.templates.script_history import Moved, Said, rewrite_history, rewrite_lore

CASES = json.loads((Path(__file__).resolve().parents[2] / "conformance" / "macros" / "regex-scripts.json").read_bytes())
ALL = make_tools()
TOOLS = ScriptTools(ALL.regexes)
CONTEXT = Context(user="Mina", char="Rook")


def script(pattern, replacement, **more):
    return RegexScript(name="s", pattern=pattern, replacement=replacement, placement=(1, 2, 5), **more)


def run(text, *scripts, tools=TOOLS):
    runner = ScriptRunner(CONTEXT, tools)
    return runner.rendered(runner.run(text, scripts, Place(REPLY)))


# --- captured text is a value

LISTED = {"regex-078": "[{{user}}]", "regex-252": "b}}a"}
"""Recorded cases in which the real program runs macros in captured text, and what we answer."""


def test_the_only_cases_that_differ_are_those_in_which_captured_text_is_run():
    differing = {}
    for case in CASES["cases"]:
        rendered = run_scripts_of_case(CASES["defaults"], case["input"], [], ALL, Defects())
        if "expect" in case and rendered.text != case["expect"]["output"]:
            differing[case["id"]] = rendered.text

    assert differing == LISTED


@pytest.mark.parametrize("engine", [TOOLS, replace(TOOLS, macros=LegacyEngine())], ids=["new", "legacy"])
@pytest.mark.parametrize(
    "replacement", ["[$1]", "{{user}} $1", "{{setvar::said::$1}}$1", "{{$1}}", "{{// $1}}", "{{{{user}}::$1}}"]
)
def test_a_chat_message_cannot_run_a_macro_through_a_script(engine, replacement):
    rendered = run("(setvar::hp::0)(user){{setvar::hp::0}}", script("/(.+)/", replacement), tools=engine)

    assert "hp" not in rendered.local_variables
    assert rendered.local_variables.get("said", "{{setvar::hp::0}}").endswith("{{setvar::hp::0}}")


def test_both_engines_use_captured_text_in_macros():
    for macros in (TOOLS, replace(TOOLS, macros=LegacyEngine())):
        rendered = run("hp=7;", script(r"/(\w+)=(\d+);/", "{{setvar::$1::$2}}{{getvar::hp}}"), tools=macros)

        assert (rendered.text, dict(rendered.local_variables)) == ("7", {"hp": "7"})
        assert "local:hp" in rendered.writes


# --- limits


def test_a_slow_pattern_does_nothing_and_is_named():
    rendered = run("a" * 40 + "!", script(r"^(?:(a+)+\1)+$", "x"), tools=replace(TOOLS, seconds=0.05))

    assert rendered.text == "a" * 40 + "!"
    assert [report.code for report in rendered.reports] == ["regex_timeout"]


def test_a_text_that_would_become_too_long_stays_and_nothing_is_written():
    rendered = run("a" * 100, script("/a/g", "{{incvar::n}}" + "x" * 50), tools=replace(TOOLS, output=1000))

    assert rendered.text == "a" * 100
    assert [report.code for report in rendered.reports] == ["regex_script_failed"]
    assert dict(rendered.local_variables) == {}


def test_the_next_script_runs_although_one_cannot():
    rendered = run("ab", script("/(/", "x"), script("/b/", "c"))

    assert rendered.text == "ac"
    assert [report.code for report in rendered.reports] == ["regex_invalid"]


# --- which texts


def test_scripts_for_display_only_never_change_prompts():
    display = script("/a/", "x", for_display=True)

    history = rewrite_history([Said("1", REPLY, "a")], [display], CONTEXT, TOOLS)

    assert history.written["1"].text == "a"
    assert rewrite_lore("a", [display], CONTEXT, TOOLS).text == "a"


def test_lore_gets_the_scripts_for_prompts_at_its_depth():
    near = script("/a/", "x", for_prompt=True, most_depth=2)

    assert [rewrite_lore("a", [near], CONTEXT, TOOLS, depth=depth).text for depth in (2, 3, None)] == ["x", "a", "x"]
    assert rewrite_lore("a", [script("/a/", "x")], CONTEXT, TOOLS).text == "a"
    assert LORE == 5


# --- each message once


def said(*texts):
    return [Said(str(number), REPLY if number % 2 else USER_INPUT, text) for number, text in enumerate(texts)]


def texts(history):
    return [one.text for one in history.written.values()]


def test_a_message_keeps_what_a_script_made_of_it():
    numbers = iter([0.1, 0.9, 0.1])
    context = replace(CONTEXT, random=lambda: next(numbers))
    scripts = [script("/a/", "{{random::x::y}}")]

    first = rewrite_history(said("a", "b"), scripts, context, TOOLS)
    second = rewrite_history(said("a", "b", "a"), scripts, context, TOOLS, first.written)

    assert texts(first) == ["x", "b"]
    assert texts(second) == ["x", "b", "y"]
    assert second.moved == ()
    assert texts(rewrite_history(said("a", "b", "a"), scripts, context, TOOLS, second.written)) == ["x", "b", "y"]


def test_an_edited_message_is_changed_anew_and_is_no_move():
    scripts = [script("/a/g", "x")]
    first = rewrite_history(said("a"), scripts, CONTEXT, TOOLS)

    second = rewrite_history(said("aa"), scripts, CONTEXT, TOOLS, first.written)

    assert (texts(second), second.moved) == (["xx"], ())


def test_a_depth_limit_moves_an_old_message_and_says_so():
    hide = replace(script("/secret/", "-", for_prompt=True, least_depth=1), name="hide")

    first = rewrite_history(said("secret"), [hide], CONTEXT, TOOLS)
    second = rewrite_history(said("secret", "b"), [hide], CONTEXT, TOOLS, first.written)
    third = rewrite_history(said("secret", "b", "c"), [hide], CONTEXT, TOOLS, second.written)

    assert [texts(one) for one in (first, second, third)] == [["secret"], ["-", "b"], ["-", "b", "c"]]
    assert (first.moved, second.moved, third.moved) == ((), (Moved("regex_depth", "0", ("hide",)),), ())


def test_a_depth_limit_that_changes_no_byte_moves_nothing():
    hide = script("/secret/", "-", for_prompt=True, least_depth=1)
    first = rewrite_history(said("open"), [hide], CONTEXT, TOOLS)

    assert rewrite_history(said("open", "b"), [hide], CONTEXT, TOOLS, first.written).moved == ()


def test_scripts_before_the_one_that_moved_keep_their_draw():
    numbers = iter([0.9, 0.1])
    context = replace(CONTEXT, random=lambda: next(numbers))
    scripts = [script("/a/", "{{random::x::y}}", for_prompt=True), script("/b/", "c", for_prompt=True, least_depth=1)]

    first = rewrite_history(said("ab"), scripts, context, TOOLS)
    second = rewrite_history(said("ab", "z"), scripts, context, TOOLS, first.written)

    assert (texts(first), texts(second)) == (["yb"], ["yc", "z"])


def test_changed_scripts_are_named_as_such():
    first = rewrite_history(said("a"), [script("/a/", "x")], CONTEXT, TOOLS)

    second = rewrite_history(said("a"), [replace(script("/a/", "y"), name="new")], CONTEXT, TOOLS, first.written)

    assert second.moved == (Moved("regex_scripts", "0", ("s", "new")),)


def test_scripts_that_change_the_message_itself_run_first_and_without_depth():
    scripts = [script("/b/", "c", for_prompt=True), script("/a/", "b", most_depth=0)]

    assert texts(rewrite_history(said("a", "z"), scripts, CONTEXT, TOOLS)) == ["c", "z"]
    assert texts(rewrite_history(said("a", "z"), scripts, CONTEXT, TOOLS, stored=False)) == ["a", "z"]
