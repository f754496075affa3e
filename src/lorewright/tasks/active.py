"""Entries that are active, and why; how they are ordered (spec mvu-filter §6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final, Literal

from lorewright.tasks.entry import (
    AFTER,
    BEFORE,
    EXAMPLES_BOTTOM,
    EXAMPLES_TOP,
    NOTE_BOTTOM,
    NOTE_TOP,
    TaskEntry,
)

__all__ = ["Active", "ActiveBy", "sort_active"]

ActiveBy = Literal["constant", "forced", "selective", "ejs-forced"]

_OFFSETS: Final = {BEFORE: 4, AFTER: 3, EXAMPLES_TOP: 2, EXAMPLES_BOTTOM: 1, NOTE_TOP: 1, NOTE_BOTTOM: -1}
_LEAST_DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class Active:
    """An active entry. by: it always is, its decorator says so, its keys do, or code switched it on. primary, secondary:
    the keys that matched, filled in."""

    entry: TaskEntry
    by: ActiveBy
    primary: str = ""
    secondary: tuple[str, ...] = ()


def sort_active(entries: Iterable[Active]) -> list[Active]:
    """By weight, descending; then by order; then by uid, descending.

    A position weighs more than the deeper of the two that are compared, an entry at a depth weighs its own.
    """
    return sorted(entries, key=cmp_to_key(_compare))


def _compare(a: Active, b: Active) -> int:
    left, right = a.entry, b.entry
    deepest = max(left.depth, right.depth, _LEAST_DEPTH)
    weights = _weight(right, deepest) - _weight(left, deepest)
    difference = weights or left.order - right.order or right.uid - left.uid
    return (difference > 0) - (difference < 0)


def _weight(entry: TaskEntry, deepest: float) -> float:
    offset = _OFFSETS.get(entry.position)
    return entry.depth if offset is None else offset + deepest
