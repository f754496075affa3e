"""What the recorded cases do not say of regex scripts: captured text that is not run, and limits."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance.regex_scripts import run_scripts_of_case
from lorewright.core.model import Turn
from lorewright.core.protocols import RenderContext
from lorewright.core.regex_script import REPLY, RegexScript, ScriptPlace
from lorewright.templates.context import Context
from lorewright.templates.engines import LegacyEngine
from lorewright.templates.regex_scripts import Defects, ScriptRunner, ScriptTools
from lorewright.templates.scripting import SillyTavernScripts

CASES = json.loads((Path(__file__).resolve().parents[2] / "conformance" / "macros" / "regex-scripts.json").read_bytes())
ALL = make_tools()
TOOLS = ScriptTools(ALL.regexes)
CONTEXT = Context(user="Mina", char="Rook")


def script(pattern, replacement, **more):
    return RegexScript(name="s", pattern=pattern, replacement=replacement, placement=(1, 2, 5), **more)


def run(text, *scripts, tools=TOOLS):
    runner = ScriptRunner(CONTEXT, tools)
    return runner.rendered(runner.run(text, scripts, ScriptPlace(REPLY)))


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


# --- the limits of a request


def clock(*seconds):
    given = iter(seconds)
    return lambda: next(given)


def open_run(cpu_seconds=lambda: 0.0, **limits):
    return SillyTavernScripts(ALL.regexes, cpu_seconds, **limits).open()


def run_in_request(request, text, given):
    return request.run(given, text, RenderContext(Turn(user="Mina"), lambda: 0.5))


def test_a_script_that_was_too_slow_once_does_nothing_in_the_rest_of_the_request():
    slow, other = script(r"^(?:(a+)+\1)+$|b", "x"), script("/b/", "y")
    request = open_run(seconds=0.05)
    found = [
        run_in_request(request, text, given) for text, given in (("a" * 40 + "!", slow), ("b", slow), ("b", other))
    ]

    assert [(one.text, [report.code for report in one.reports]) for one in found] == [
        ("a" * 40 + "!", ["regex_timeout"]),
        ("b", ["regex_timeout"]),
        ("y", []),
    ]
    assert run_in_request(open_run(), "b", slow).text == "x"


def test_all_scripts_of_a_request_have_one_limit_together():
    request = open_run(clock(0, 3, 3, 9, 9, 9), request_seconds=8)
    found = [run_in_request(request, "b", script("/b/", "y")) for _ in range(3)]

    assert [one.text for one in found] == ["y", "y", "b"]
    assert [report.message for report in found[2].reports] == [
        "The regex script `s` does nothing: all scripts of this request together took over 8 s."
    ]


@pytest.mark.parametrize(("profile", "gives"), [("native", "{{user.name}}"), ("sillytavern", "Mina")])
def test_bugs_of_the_macro_engine_are_there_in_the_profile_of_sillytavern_only(profile, gives):
    found = open_run().run(
        script("/a/", "{{user.name}}"), "a", RenderContext(Turn(user="Mina"), lambda: 0.5, profile=profile)
    )

    assert found.text == gives


def test_with_the_old_engine_scripts_have_its_macros():
    """`if` is a macro of the new engine only (spec templates §1)."""
    context = RenderContext(Turn(user="Mina"), lambda: 0.5)
    texts = [
        SillyTavernScripts(ALL.regexes, lambda: 0.0, legacy=legacy).open().run(
            script("/a/", "{{if 1}}x{{/if}}"), "a", context
        ).text
        for legacy in (False, True)
    ]  # fmt: skip

    assert texts == ["x", "{{if 1}}x{{/if}}"]
