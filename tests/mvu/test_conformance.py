"""The recorded cases of MVU's variables, and the families in which we need not agree."""

import json
import re
from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance import Outcome, run_paths
from lorewright.conformance.tagged import INFORMATION

CORPUS = Path(__file__).resolve().parents[2] / "conformance" / "mvu-vars"
FILES = sorted(CORPUS.glob("*.json"))
TOOLS = make_tools()


def run(path):
    return list(run_paths([str(path)], TOOLS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_that_must_agree_does(path):
    outcomes = [outcome for outcome in run(path) if isinstance(outcome, Outcome)]

    assert len(outcomes) > len(json.loads(path.read_bytes())["cases"]) / 2
    for outcome in outcomes:
        assert [str(difference) for difference in outcome.differences] == [], outcome.case


ARGUED = {
    "apply.json": {"set-036", "set-037", "add-033", "add-035", "add-038", "insert-038", "proto-016", "patch-026"},
    "initvar.json": {"format-035", "format-036", "wrap-012", "error-007"},
}
"""Quirks that we do not copy; ADR 0028 says why."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_quirks_are_copied_or_argued(path):
    cases = json.loads(path.read_bytes())["cases"]
    passed = {outcome.case for outcome in run(path) if isinstance(outcome, Outcome)}

    differing = {case["id"] for case in cases if "quirk" in case["tags"] and case["id"] not in passed}

    assert differing == ARGUED.get(path.name, set())


def test_most_of_each_family_agrees():
    counts = dict.fromkeys(INFORMATION, (0, 0))
    for path in FILES:
        for line in run(path):
            for family, agree, total in (
                re.findall(r"(\S+) (\d+) of (\d+) agree", line) if isinstance(line, str) else ()
            ):
                counts[family] = (counts[family][0] + int(agree), counts[family][1] + int(total))

    shares = {family: agree / total for family, (agree, total) in counts.items()}

    assert min(shares[family] for family in INFORMATION if family != "quirk") >= 0.8
    assert sum(total for _, total in counts.values()) > 80


@pytest.mark.parametrize("name", ["values", "apply", "initvar", "session", "zod", "answer", "paths", "extract"])
def test_a_changed_case_fails(name, tmp_path):
    document = json.loads((CORPUS / f"{name}.json").read_text("utf-8"))
    case = next(case for case in document["cases"] if not set(case["tags"]) & {*INFORMATION, "unsafe"})
    document["cases"] = (
        [{**case, "expect": {"surprise": 1}}] if name != "values" else [{**case, "expect": {"value": "?"}}]
    )
    (tmp_path / "x.json").write_text(json.dumps(document), "utf-8")

    assert [outcome.passed for outcome in run(tmp_path / "x.json") if isinstance(outcome, Outcome)] == [False]
