"""The suite `probability`: reproducible draws (spec injection-engine §8.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.conformance.outcome import Outcome, compare
from lorewright.core.draw import HashDraw, fmix32, fnv1a32, hits
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError

__all__ = ["run_draws"]


def run_draws(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    for case in document["cases"]:
        try:
            actual = _answer(case["input"])
        except CaseError as error:
            actual = error.message
        expected = case["expect"]
        if isinstance(expected, dict) and isinstance(actual, dict):
            actual = {key: value for key, value in actual.items() if key in expected}
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(compare("result", expected, actual)))


def _answer(given: Mapping[str, Any]) -> object:
    match given["fn"]:
        case "fnv1a32":
            return fnv1a32(given["text"])
        case "fmix32":
            return fmix32(given["value"])
        case "probability_hit":
            draw = HashDraw(given["session_id"], given["turn"], given["seed_salt"])
            number = draw.number(given["entry_id"], "probability", 0)
            return {"hash": int(number * 2**32), "hit": hits(number, given["probability"])}
        case unknown:
            raise CaseError(f"unknown fn `{unknown}`", fn=unknown)
