"""What was made in earlier turns, for lists of which the next one begins as the last one did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["LISTS", "MAX_ITEMS", "MAX_RESULTS", "KeptMemo"]

LISTS: Final = 16
"""Lists that are kept for one function: so many chats, or branches of one, can take turns."""
MAX_ITEMS: Final = 500_000
"""Items that were made since all was forgotten last; past that all is forgotten again."""
MAX_RESULTS: Final = 20_000
"""Results of `once`; past that all are forgotten."""

Made = TypeVar("Made")


class _Row(NamedTuple):
    """A list, and what was made of each of its items."""

    items: Sequence[Any]
    made: Sequence[Any]


class KeptMemo:
    """A `Memo` in memory. Safe to share between conversations and threads: rows are replaced, never changed."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Any, ...], tuple[_Row, ...]] = {}
        self._results: dict[tuple[Any, ...], Any] = {}
        self._items = 0

    def each(self, make: Callable[..., Made], items: Sequence[Any], *given: Any) -> Sequence[Made]:
        """See `Memo`. What is compared with an earlier list is compared by identity first, so keep the objects."""
        items = list(items)
        key = (make, *given)
        rows = self._rows.get(key, ())
        known, row = _longest(rows, items)
        if known == len(items):
            return row.made[:known]
        made = [*row.made[:known], *(make(place, items[place], *given) for place in range(known, len(items)))]
        others = tuple(one for one in rows if one is not row or known < len(row.items))
        self._items += len(items) - known
        if self._items > MAX_ITEMS:
            self._rows, self._items = {}, len(items)
            others = ()
        self._rows[key] = (_Row(items, made), *others[: LISTS - 1])
        return made[:]

    def once(self, make: Callable[..., Made], *given: Any) -> Made:
        """See `Memo`."""
        key = (make, *given)
        try:
            found: Made = self._results[key]
        except KeyError:
            if len(self._results) >= MAX_RESULTS:
                self._results = {}
            found = self._results[key] = make(*given)
        return found


def _longest(rows: Sequence[_Row], items: list[Any]) -> tuple[int, _Row]:
    """The row that agrees with a list for longest, and how many items that is."""
    best = (0, _Row((), ()))
    for row in rows:
        known = _agreement(row.items, items)
        if known > best[0]:
            best = (known, row)
    return best


def _agreement(old: Sequence[Any], new: list[Any]) -> int:
    """How many items two lists begin with that are the same. By halves, since slices are compared fast."""
    low, high = 0, min(len(old), len(new))
    if old[:high] == new[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low
