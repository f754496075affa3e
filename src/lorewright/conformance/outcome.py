"""What came of one case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Difference", "Outcome", "compare"]


class Difference(NamedTuple):
    """One place where the answer is not the expected one."""

    where: str
    expected: object
    actual: object

    def __str__(self) -> str:
        return f"{self.where}\n      expected {_shown(self.expected)}\n      actual   {_shown(self.actual)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and how it went. `differences` is empty when it passed."""

    suite: str
    file: str
    case: str
    differences: tuple[Difference, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.differences


def compare(where: str, expected: object, actual: object) -> list[Difference]:
    """Differences between two JSON values; objects are compared key by key, everything else whole."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        found: list[Difference] = []
        for key in {**expected, **actual}:
            found += compare(f"{where}.{key}", expected.get(key, "<absent>"), actual.get(key, "<absent>"))
        return found
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if same else [Difference(where, expected, actual)]


def _shown(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)
