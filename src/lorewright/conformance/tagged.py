"""Cases with tags: those of which a difference is no failure are counted, and a line says how many agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.mvu.values import UNDEFINED, Json, saved, tidy

__all__ = ["INFORMATION", "Check", "from_marked", "run_tagged", "same"]

INFORMATION: Final = ("quirk", "jsonrepair", "yaml-lenient", "date", "mathjs")
"""Tags of families that need not agree; of a case with several, the first counts. The differences of `quirk` are
argued in ADR 0028."""

Check = Callable[[Mapping[str, Any]], Sequence[Difference]]

_MARKED: Final = {
    "undefined": UNDEFINED,
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "hole": None,
}


def run_tagged(document: Mapping[str, Any], suite: str, file: str, check: Check) -> Iterator[Outcome | str]:
    """The outcome of every case, but for the information; of that only what agrees, and a line at the end."""
    counts: Counter[tuple[str, bool]] = Counter()
    for case in document["cases"]:
        outcome = Outcome(suite, file, str(case["id"]), tuple(check(case)))
        family = next((tag for tag in INFORMATION if tag in case["tags"]), None)
        if family is not None:
            counts[family, outcome.passed] += 1
        if family is None or outcome.passed:
            yield outcome
    totals = {family: counts[family, True] + counts[family, False] for family in INFORMATION}
    parts = [f"{family} {counts[family, True]} of {total} agree" for family, total in totals.items() if total]
    if parts:
        yield f"{file}: information: {', '.join(parts)}"


def from_marked(value: Any) -> Json:
    """A value of a case; `{"$js": X}` stands for what JSON lacks."""
    if isinstance(value, dict):
        if value.keys() == {"$js"}:
            return _MARKED.get(value["$js"], value["$js"])
        return {name: from_marked(item) for name, item in value.items()}
    if isinstance(value, list):
        return [from_marked(item) for item in value]
    return tidy(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def same(where: str, expected: Any, actual: Json) -> list[Difference]:
    """Differences between a marked value and ours, both as they are once they are saved."""
    return compare(where, saved(from_marked(expected)), saved(actual))
