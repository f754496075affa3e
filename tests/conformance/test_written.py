"""The suites that were written from the text: authority, gates, freezing."""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance import Outcome, run_paths

CORPUS = Path(__file__).resolve().parents[2] / "conformance"
SUITES = ("authority", "gates", "freezing")
FILES = [path for suite in SUITES for path in sorted((CORPUS / suite).glob("*.json"))]
TOOLS = {engine: make_tools(engine=engine) for engine in ("core", "fast")}


def cases(suite):
    return [case for path in sorted((CORPUS / suite).glob("*.json")) for case in json.loads(path.read_bytes())["cases"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("engine", TOOLS)
def test_every_case_passes(engine, path):
    outcomes = list(run_paths([str(path)], TOOLS[engine]))

    assert len(outcomes) == len(json.loads(path.read_bytes())["cases"])
    for outcome in outcomes:
        assert isinstance(outcome, Outcome)
        assert [str(difference) for difference in outcome.differences] == [], outcome.case


@pytest.mark.parametrize("suite", SUITES)
def test_every_case_names_its_rule(suite):
    found = cases(suite)

    assert len(found) >= 40
    assert [case["id"] for case in found if not case["rule"].strip()] == []
    assert [name for name, times in Counter(case["id"] for case in found).items() if times > 1] == []


def run(tmp_path, document):
    (tmp_path / "x.json").write_text(json.dumps(document), "utf-8")
    return list(run_paths([str(tmp_path)], TOOLS["fast"]))


def expectations(case):
    """Every `expected` of a case, whatever holds it."""
    return [step["expected"] for step in case.get("turns") or case.get("requests") or [case]]


WRONG = {
    "activated": ["main.9"],
    "refused": {"main.0": "weather"},
    "refused_by": {"main.0": "main.9"},
    "placed": [],
    "labels": {"main.9": None},
    "constraint_before": "main.9",
    "reported": ["main.9"],
    "visible": ["main.9"],
    "hidden": ["main.0"],
    "shown_with_spoilers": ["Other"],
    "active": ["main.9"],
    "front": ["main.9"],
    "turn": 99,
    "keeps": [],
    "moves": [{"reason": "rewrite", "entry": "main.9"}],
    "moved_by": "rewrite",
    "waiting": ["main.9"],
    "not_placed": ["main.9"],
    "volatile": [{"entry": "main.9", "at": 0}],
    "constraint": ["main.9"],
    "output": [["user", "something else"]],
}
"""An answer that no case has, by key of `expected`."""


def changed(key, value):
    if key == "kept":
        return not value
    if key in {"facts", "refused"} and isinstance(value, list):
        return [*value, "something else"]
    if key == "placed":
        return [*value, {"entry": "main.9", "at": 0}] if value and isinstance(value[0], dict) else ["main.9"]
    return WRONG[key]


@pytest.mark.parametrize(
    ("suite", "key"),
    sorted(
        {(s, key) for s in SUITES for case in cases(s) for e in expectations(case) for key in e}
        - {("freezing", "keeps"), ("freezing", "same_as")}
    ),
)
def test_a_wrong_answer_fails(tmp_path, suite, key):
    """Every key of the schema is compared: with a wrong value the case that has it fails."""
    path, document, number = next(
        (path, document, number)
        for path in sorted((CORPUS / suite).glob("*.json"))
        for document in [json.loads(path.read_bytes())]
        for number, case in enumerate(document["cases"])
        if any(key in expected for expected in expectations(case))
    )
    document = {**document, "cases": [copy.deepcopy(document["cases"][number])]}
    expected = next(e for e in expectations(document["cases"][0]) if key in e)
    expected[key] = changed(key, expected[key])

    (outcome,) = run(tmp_path, document)

    assert not outcome.passed, path


@pytest.mark.parametrize("key", ["keeps", "same_as"])
def test_a_request_is_not_the_continuation_of_another_chat(tmp_path, key):
    document = json.loads((CORPUS / "freezing" / "append.json").read_bytes())
    case = copy.deepcopy(document["cases"][0])
    case["requests"][1]["messages"][0]["text"] = "something else"
    case["requests"] = case["requests"][:2]
    case["requests"][1]["expected"] = {key: {"keeps": [1], "same_as": 1}[key]}

    (outcome,) = run(tmp_path, {**document, "cases": [case]})

    assert not outcome.passed


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("where", ["case", "expected"])
def test_an_unknown_key_fails(tmp_path, suite, where):
    path = min((CORPUS / suite).glob("*.json"))
    document = json.loads(path.read_bytes())
    case = copy.deepcopy(document["cases"][0])
    target = case if where == "case" else expectations(case)[0]
    target["surprise"] = 1

    (outcome,) = run(tmp_path, {**document, "cases": [case]})

    assert not outcome.passed
