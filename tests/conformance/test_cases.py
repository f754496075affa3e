"""The corpus: every case, with every matcher; and the trace, which must not depend on the matcher."""

import json
from pathlib import Path

import pytest

from lorewright import SILLYTAVERN, State, make_tools
from lorewright.conformance import Outcome, main, run_paths
from lorewright.conformance import world_info as suite
from lorewright.core.counter import EstimateCounter
from lorewright.core.protocols import Tools
from lorewright.fast import compiled
from lorewright.fast.automaton import PythonAutomaton
from lorewright.fast.matcher import FastMatcher
from lorewright.fast.regexes import FallbackRegexes
from lorewright.templates.dialects import ProfileRenderer
from lorewright.toolbox import Engine

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "conformance"
FILES = [
    *sorted(CORPUS.glob("world-info/*.json")),
    *sorted(CORPUS.glob("native/*.json")),
    CORPUS / "injection",
    CORPUS / "formats",
    CORPUS / "formats-own",
    CORPUS / "mvu",
]
PARTLY_BUILT = "text-helpers.json: not built: "
"""What a file says of those of its cases that belong to parts that are not built yet."""
SUPERSEDED = ": information: the seed overrules "
"""What a file says of cases that are not counted, because another one is the requirement."""
ENGINES: tuple[Engine, ...] = ("core", "fast")
TOOLS = {engine: make_tools(engine=engine) for engine in ENGINES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_case_passes(engine, path):
    outcomes = list(run_paths([str(path)], TOOLS[engine]))

    assert outcomes
    for outcome in outcomes:
        if isinstance(outcome, str) and (PARTLY_BUILT in outcome or SUPERSEDED in outcome):
            continue
        assert isinstance(outcome, Outcome)
        assert [str(difference) for difference in outcome.differences] == [], outcome.case


MISSED_BY_FALLBACKS: list[str] = []
"""Ids of recorded cases that come out differently without the wheels; none do."""


def test_the_fallbacks_pass_the_cases_too(monkeypatch):
    """Without a wheel of `ahocorasick-rs` or `corvus-regex-ecma262`."""
    monkeypatch.setattr(compiled, "default_automaton", PythonAutomaton)
    regexes = FallbackRegexes()
    tools = Tools(FastMatcher(regexes), regexes, ProfileRenderer(), EstimateCounter())

    paths = [str(CORPUS / "world-info"), str(CORPUS / "native")]
    outcomes = [outcome for outcome in run_paths(paths, tools) if isinstance(outcome, Outcome)]

    assert len(outcomes) > 700
    assert [outcome.case for outcome in outcomes if not outcome.passed] == MISSED_BY_FALLBACKS


def evaluations(document):
    """Every evaluation of a file's cases: the case and the step, as the runner sees them."""
    for case in document["cases"]:
        for part in case.get("turns") or [case]:
            if "error" not in part["expected"]:
                yield case, {**case, **part, "context": {**case.get("context", {}), **part.get("context", {})}}


@pytest.mark.parametrize("path", sorted(CORPUS.glob("world-info/*.json")), ids=lambda path: path.stem)
def test_derived_traces_equal_eager_ones(path):
    """The reference looks at every entry and stores what it decides; the fast matcher's trace derives most of it."""
    document = json.loads(path.read_text("utf-8"))
    policy = SILLYTAVERN
    state, last = State(), None
    for case, step in evaluations(document):
        if case is not last:
            state, last = State(), case
        eager, _ = suite.evaluate(document, step, policy, state, TOOLS["core"])
        derived, _ = suite.evaluate(document, step, policy, state, TOOLS["fast"])

        assert list(eager.trace.all()) == list(derived.trace.all()), case["id"]
        for entry in eager.trace.lore.entries:
            assert [(d.loop, d.reason) for d in eager.trace.decisions(entry.id)] == [
                (d.loop, d.reason) for d in derived.trace.decisions(entry.id)
            ], case["id"]
        state = eager.state


CODES = {
    "disabled": "skip:disabled",
    "trigger": "skip:triggers",
    "character": "skip:characterFilter.names",
    "tags": "skip:characterFilter.tags",
    "delay": "skip:delay",
    "cooldown": "skip:cooldown",
    "waits_for_recursion": "skip:delayUntilRecursion",
    "waits_for_level": "skip:delayUntilRecursion.level",
    "not_in_recursion": "skip:excludeRecursion",
    "suppressed": "skip:@@dont_activate",
    "no_keys": "skip:noKeys",
    "secondary_veto": "skip:secondaryKeys",
    "forced": "candidate:forced",
    "decorated": "candidate:@@activate",
    "constant": "candidate:constant",
    "sticky": "candidate:sticky",
}


@pytest.mark.parametrize("path", sorted(CORPUS.glob("world-info/*.json")), ids=lambda path: path.stem)
def test_checks_come_in_the_recorded_order(path):
    """Each loop's decision about an entry has the code that SillyTavern logged for it."""
    document = json.loads(path.read_text("utf-8"))
    policy = SILLYTAVERN
    state, last = State(), None
    for case, step in evaluations(document):
        if case is not last:
            state, last = State(), case
        assembly, _ = suite.evaluate(document, step, policy, state, TOOLS["core"])
        state = assembly.state
        reasons = step["expected"]["reasons"]
        for entry in assembly.trace.lore.entries:
            logged = {(r["loop"], r["code"]) for r in reasons.get(entry.id, []) if r["code"] in CODES.values()}
            ours = {
                (d.loop, CODES[d.reason.code])
                for d in assembly.trace.decisions(entry.id)
                if d.reason.code in CODES and assembly.trace.lore.emptied_by is None
            }
            assert ours == logged, (case["id"], entry.id)


def test_a_case_of_an_unknown_suite_fails(tmp_path, capsys):
    (tmp_path / "x.json").write_text('{"suite": "no such thing", "cases": [{}]}', "utf-8")

    assert main([str(tmp_path)], list_failures=True) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


@pytest.mark.parametrize(
    ("change", "mentions"),
    [
        (lambda case: case["expected"].update(surprise=1), "surprise"),
        (lambda case: case.update(surprise=1), "surprise"),
        (lambda case: case["expected"].update(before="something else"), "something else"),
        (lambda case: case.update(randomUsed=[0.5]), "0.5"),
        (lambda case: case["books"][0].update(source="nowhere"), "nowhere"),
    ],
)
def test_a_wrong_case_fails(tmp_path, capsys, change, mentions):
    document = json.loads((CORPUS / "world-info" / "plain-keys.json").read_text("utf-8"))
    document["cases"] = document["cases"][:1]
    change(document["cases"][0])
    (tmp_path / "x.json").write_text(json.dumps(document), "utf-8")

    assert main([str(tmp_path)], list_failures=True) == 1

    output = capsys.readouterr().out
    assert mentions in output
    assert output.splitlines()[-1] == "0 passed, 1 failed"


FORMATS = CORPUS / "formats"


@pytest.mark.parametrize("name", ["07-utf8-emoji.png", "07-utf8-emoji.expected.json", "18b-same-name.json"])
def test_a_case_about_formats_is_run_by_any_of_its_files(name, capsys):
    assert main([str(FORMATS / name)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"


@pytest.mark.parametrize(
    ("change", "mentions"),
    [
        ({"surprise": 1}, "surprise"),
        ({"entries": 3}, "entries"),
        ({"detect": "card_v2"}, "card_v2"),
        ({"warnings": ["bad_value:x"]}, "bad_value:x"),
        ({"warnings": []}, "never_activates"),
        ({"ledger": {"found": 2, "imported": 1, "merged": 1, "skipped": 0}}, "ledger.merged"),
        ({"check": [{"i": 0, "keys": ["harbour"]}]}, "harbour"),
        ({"check": [{"i": 0, "surprise": 1}]}, "unknown field"),
        ({"check": [{"i": 9, "keys": []}]}, "no such entry"),
        ({"name": "other"}, "other"),
        ({"encoding": "cp1252"}, "cp1252"),
        ({"roundtrip": "nearly"}, "nearly"),
        ({"preserve": ["nothing.here"]}, "nothing.here"),
        ({"prompts": 1, "cards": 1, "folders": ["a"], "regex_scripts": 1, "assets_resolved": ["a"]}, "prompts"),
        ({"active_order": ["a"], "enabled": ["a"], "book": {"a": 1}, "check_text": {"a": "b"}}, "active_order"),
    ],
)
def test_a_wrong_case_about_formats_fails(tmp_path, capsys, change, mentions):
    source = FORMATS / "40-aid-world-info.json"
    (tmp_path / "x.json").write_bytes(source.read_bytes())
    (tmp_path / "x.expected.json").write_text(json.dumps(change), "utf-8")

    assert main([str(tmp_path)], list_failures=True) == 1
    output = capsys.readouterr().out
    assert mentions in output
    assert output.splitlines()[-1] == "0 passed, 1 failed"


def test_a_case_about_formats_needs_its_input(tmp_path, capsys):
    (tmp_path / "x.expected.json").write_text('{"entries": 1}', "utf-8")

    assert main([str(tmp_path)], list_failures=True) == 1
    assert "no input" in capsys.readouterr().out


def test_unknown_functions_fail(tmp_path, capsys):
    document = {"suite": "probability", "cases": [{"id": "x", "input": {"fn": "roll"}, "expect": 1}]}
    (tmp_path / "x.json").write_text(json.dumps(document), "utf-8")

    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_parts_that_are_not_built_say_so_and_are_no_success(tmp_path, capsys):
    (tmp_path / "x.json").write_text('{"suite": "reading", "cases": [{}]}', "utf-8")

    assert main([str(tmp_path)]) == 1
    output = capsys.readouterr().out
    assert "not built" in output
    assert output.splitlines()[-1] == "0 passed, 0 failed"


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, '{"cases": []}', '{"suite": "native", "cases": []}'])
def test_files_that_are_no_case_files_fail(tmp_path, content, capsys):
    (tmp_path / "x.json").write_text(content, "utf-8")

    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_no_case_at_all_is_no_success(tmp_path, capsys):
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "missing")]) == 2
    assert "does not exist" in capsys.readouterr().out
