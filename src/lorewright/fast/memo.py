"""What was made in earlier turns, for lists of which the next one begins as the last one did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["LISTS", "MAX_ITEMS", "MAX_RESULTS", "NEAR", "KeptMemo"]

LISTS: Final = 16
"""Lists that are kept for one function: so many chats, or branches of one, can take turns."""
MAX_ITEMS: Final = 500_000
"""Items that were made since all was forgotten last; past that all is forgotten again."""
NEAR: Final = 8
"""Of lists that differ in so few items at their ends, and in less than half, only the last one is kept: it is one chat
that went on."""
MAX_RESULTS: Final = 20_000
"""Results of `once`; past that all are forgotten."""

Made = TypeVar("Made")


class _Row(NamedTuple):
    """Lists of one length, and what was made along them."""

    columns: Sequence[list[Any]]
    made: list[Any]


class KeptMemo:
    """A `Memo` in memory. Safe to share between conversations and threads: rows are replaced, never changed."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Any, ...], tuple[_Row, ...]] = {}
        self._results: dict[tuple[Any, ...], Any] = {}
        self._items = 0

    def each(self, make: Callable[..., Made], items: Sequence[Any], *given: Any) -> Sequence[Made]:
        """See `Memo`. What is compared with an earlier list is compared by identity first, so keep the objects."""
        return self.along(make, (items,), *given)

    def along(self, make: Callable[..., Made], columns: Sequence[Sequence[Any]], *given: Any) -> Sequence[Made]:
        """See `Memo`."""
        now = [list(items) for items in columns]
        length = len(now[0])
        key = (make, *given)
        rows = self._rows.get(key, ())
        known, row = _longest(rows, now, length)
        if known == length:
            return row.made[:known]
        new = zip(*(items[known:] for items in now), strict=True)
        made = row.made[:known]
        made += [make(place, *items, *given) for place, items in enumerate(new, start=known)]
        others = tuple(one for one in rows if one is not row or not _is_nearly_all(known, len(row.made)))
        self._items += length - known
        if self._items > MAX_ITEMS:
            self._rows, self._items = {}, length
            others = ()
        self._rows[key] = (_Row(now, made), *others[: LISTS - 1])
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


def _longest(rows: Sequence[_Row], columns: Sequence[list[Any]], length: int) -> tuple[int, _Row]:
    """The row that agrees with these lists for longest, or nearly, and how many items that is."""
    best = (0, _Row((), []))
    for row in rows:
        known = min(map(_agreement, row.columns, columns))
        if known > best[0]:
            best = (known, row)
        if _is_nearly_all(known, length):
            break
    return best


def _is_nearly_all(known: int, length: int) -> bool:
    return known >= length - NEAR and known * 2 > length


def _agreement(old: list[Any], new: list[Any]) -> int:
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
