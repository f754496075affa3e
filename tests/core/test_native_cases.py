"""The hand-written cases see every switch: with one switched on, some case of the `native` profile fails."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

import lorewright.conformance.world_info as runner
from lorewright.core.policy import NATIVE, PROFILES, Policy, Switches
from lorewright.toolbox import make_tools

FOLDER = Path(__file__).resolve().parents[2] / "conformance" / "native"
DOCUMENTS = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]
CASES = [case["id"] for document in DOCUMENTS for case in document["cases"]]
TOOLS = make_tools(engine="core")

# Some switches say how another one does its harm; alone they have nothing to act on.
ONLY_WITH = {
    "absent_depth_stands_alone": "javascript_fields",
    "group_removes_bystander": "group_keeps_removed",
    "refused_text_recurses": "budget_stops_at_refusal",
}


def failing(switches: Switches, monkeypatch) -> set[str]:
    policy = Policy(name="native", switches=switches, settings=NATIVE.settings)
    monkeypatch.setattr(runner, "PROFILES", {**PROFILES, "native": policy})
    return {
        outcome.case
        for document in DOCUMENTS
        for outcome in runner.run_world_info(document, "native", document["topic"], TOOLS)
        if not outcome.passed
    }


@pytest.mark.parametrize("name", [field.name for field in fields(Switches)])
def test_a_switch_is_noticed(name, monkeypatch):
    needed = {ONLY_WITH[name]: True} if name in ONLY_WITH else {}
    without = failing(Switches(**needed), monkeypatch) if needed else set()
    found = failing(Switches(**needed, **{name: True}), monkeypatch)

    assert found - without


def test_ids_are_unique():
    assert len(CASES) == len(set(CASES))
