"""Draws of the task reader: the same trigger text always draws the same (spec mvu-filter §6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

__all__ = ["TaskDraws"]


class TaskDraws:
    """Draws for one trigger text."""

    def __init__(self, trigger: str) -> None:
        self._trigger = trigger

    @cached_property
    def _seed(self) -> str:
        return f"h{_fnv1a(self._trigger):08x}"

    def percent(self, identity: str) -> int:
        """1 to 100 for an entry; it passes a probability that is not lower."""
        return _fnv1a(f"{self._seed}:prob:{identity}") % 100 + 1

    def weighted(self, weights: Sequence[int], group: str, members: str) -> int | None:
        """The index of a weight that is drawn; None where all are 0."""
        total = sum(weights)
        if not total:
            return None
        roll = _fnv1a(f"{self._seed}:group:{group}:{members}") % total + 1
        return next(index for index, bound in enumerate(accumulate(weights)) if roll <= bound)


def _fnv1a(text: str) -> int:
    """FNV-1a, 32 bits, over the UTF-16 code units of the text."""
    found = 0x811C9DC5
    for unit in memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H"):
        found = (found ^ unit) * 0x01000193 & 0xFFFFFFFF
    return found
