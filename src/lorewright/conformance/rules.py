"""The suite `lorebook-entries`: rules files (spec injection-engine §8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.conformance.outcome import Outcome, compare
from lorewright.core.model import Message, Turn
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError
from lorewright.rules import compile_rules, inject

__all__ = ["run_rules"]


def run_rules(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file."""
    for case in document["cases"]:
        try:
            actual = _answer(case["input"], tools)
        except CaseError as error:
            actual = error.message
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(compare("result", case["expect"], actual)))


def _answer(given: Mapping[str, Any], tools: Tools) -> object:
    value = {"entries": [given["entry"]], "defaults": given.get("defaults", {})}
    ruleset = compile_rules(value, tools.regexes)
    if not ruleset.rules:
        raise CaseError(f"the entry is not loaded: {[report.message for report in ruleset.reports]}")
    (rule,) = ruleset.rules
    match given["fn"]:
        case "effective_channel":
            return {"effective": rule.route.effective, "routed": rule.route.is_rerouted}
        case "entry_active":
            turn = Turn(messages=(Message("User", given["text"]),))
            return rule in inject(turn, ruleset, tools).active
        case unknown:
            raise CaseError(f"unknown fn `{unknown}`", fn=unknown)
