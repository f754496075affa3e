"""The corpus of final message lists: every case; the matcher has no part in it."""

import copy
import json
from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance import Outcome, run_paths

FILES = sorted((Path(__file__).resolve().parents[2] / "conformance" / "prompt-assembly").glob("*.json"))
TOOLS = make_tools()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_passes(path):
    outcomes = list(run_paths([str(path)], TOOLS))

    assert len(outcomes) == len(json.loads(path.read_bytes())["cases"])
    for outcome in outcomes:
        assert isinstance(outcome, Outcome)
        assert [str(difference) for difference in outcome.differences] == [], outcome.case


@pytest.mark.parametrize(
    "change",
    [
        lambda case: case["expect"]["messages"].pop(),
        lambda case: case["expect"]["messages"].append({"role": "user", "content": "x", "identifier": "x"}),
        lambda case: case["expect"]["messages"][0].update(role="user"),
        lambda case: case["expect"]["messages"][0].update(content="x"),
        lambda case: case["expect"]["messages"][0].update(identifier="x"),
        lambda case: case["expect"]["messages"][0].update(name="x"),
        lambda case: case["expect"].update(error="TokenBudgetExceeded"),
        lambda case: case["expect"].update(overridden_prompts=["main"]),
        lambda case: case["expect"].update(surprise=1),
        lambda case: case["input"].update(surprise=1),
        lambda case: case.update(surprise=1),
    ],
)
def test_a_wrong_case_fails(tmp_path, change):
    document = json.loads(FILES[0].read_bytes())
    case = copy.deepcopy(document["cases"][0])
    change(case)
    (tmp_path / "x.json").write_text(json.dumps({**document, "cases": [case]}), "utf-8")

    (outcome,) = run_paths([str(tmp_path)], TOOLS)

    assert isinstance(outcome, Outcome)
    assert not outcome.passed
