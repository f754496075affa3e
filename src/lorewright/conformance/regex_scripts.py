"""The suite of regex scripts, recorded from SillyTavern 1.19.0; the schema is in conformance/macros/README.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.conformance.macros import EXCEPTED, read_context, read_input, read_variables
from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.core.regex_script import RegexScript, ScriptPlace
from lorewright.formats.things.scripts import read_regex_script
from lorewright.templates.engines import LegacyEngine, NewEngine
from lorewright.templates.regex_scripts import Defects, ScriptRunner, ScriptTools
from lorewright.templates.rendered import Rendered

__all__ = ["run_regex_scripts", "run_scripts_of_case"]

Json = Mapping[str, Any]


def run_regex_scripts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file, with the unsafe defect that macros in captured text run, which is off otherwise."""
    for case in document["cases"]:
        used: list[float] = []
        given = case["input"]
        rendered = run_scripts_of_case(document["defaults"], given, used, tools, Defects(captured_macros_run=True))
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_check(case, rendered, len(used))))


def _check(case: Json, rendered: Rendered, used: int) -> list[Difference]:
    if "expect_error" in case:
        name = case["expect_error"]["name"]
        return [] if name in EXCEPTED and rendered.reports else [Difference("reports", name, rendered.reports)]
    expected = dict(case["expect"])
    expected["variables"] = {scope: read_variables(values) for scope, values in expected["variables"].items()}
    answer = {
        "output": rendered.text,
        "variables": {"local": rendered.local_variables, "global": rendered.global_variables},
        "randomUsed": used,
    }
    return compare("result", expected, answer)


def run_scripts_of_case(defaults: Json, given: Json, used: list[float], tools: Tools, defects: Defects) -> Rendered:
    """What becomes of a case's text. A text that is no text becomes empty, as in the recorded program."""
    context = read_input(defaults, given["context"])
    engine = LegacyEngine() if context.get("engine") == "legacy" else NewEngine()
    runner = ScriptRunner(read_context(context, used), ScriptTools(tools.regexes, engine, defects))
    text = given["text"] if isinstance(given["text"], str) else ""
    return runner.rendered(runner.run(text, _scripts(given), _place(given)))


def _scripts(given: Json) -> list[RegexScript]:
    """The scripts that may run, in the program's order."""
    if given.get("extensionDisabled"):
        return []
    allowed = {
        "global": True,
        "preset": given.get("presetAllowed", True),
        "character": given.get("characterAllowed", True),
    }
    listed = given["scripts"]
    return [read_regex_script(raw) for source in allowed if allowed[source] for raw in listed.get(source, ())]


def _place(given: Json) -> ScriptPlace:
    params = given["params"]
    depth = params.get("depth")
    return ScriptPlace(
        given["placement"],
        for_display=bool(params.get("isMarkdown")),
        for_prompt=bool(params.get("isPrompt")),
        edited=bool(params.get("isEdit")),
        depth=depth if isinstance(depth, (int, float)) else None,
        char=params.get("characterOverride"),
    )
