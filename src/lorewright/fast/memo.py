"""What was made in earlier turns, for lists of which the next one begins as the last one did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["LISTS", "MAX_ITEMS", "MAX_LETTERS", "MAX_RESULTS", "NEAR", "KeptMemo", "KeptTexts"]

LISTS: Final = 16
"""Lists that are kept for one function: so many chats, or branches of one, can take turns."""
MAX_ITEMS: Final = 500_000
"""Items that were made since all was forgotten last; past that all is forgotten again."""
NEAR: Final = 8
"""Of lists that differ in so few items, and in less than half, only the last one is kept: it is one chat that went on."""
MAX_RESULTS: Final = 20_000
"""Results of `once`; past that all are forgotten."""

MAX_LETTERS: Final = 8_000_000
"""Letters, or bytes, of texts that were made since all was forgotten last; past that all is forgotten again."""

Made = TypeVar("Made")


class _Row(NamedTuple):
    """Lists of one length, and what was made along them."""

    columns: tuple[tuple[Any, ...], ...]
    made: tuple[Any, ...]

    def has(self, place: int, items: tuple[Any, ...]) -> bool:
        """Whether these items stand at a place."""
        if place >= len(self.made):
            return False
        return all(old[place] is item or old[place] == item for old, item in zip(self.columns, items, strict=True))


class KeptMemo:
    """A `Memo` in memory. Safe to share between conversations and threads: rows are replaced, never changed."""

    def __init__(self) -> None:
        self._rows: dict[tuple[Any, ...], tuple[_Row, ...]] = {}
        self._results: dict[tuple[Any, ...], Any] = {}
        self._items = 0

    def each(self, make: Callable[..., Made], items: Sequence[Any], *given: Any) -> tuple[Made, ...]:
        """See `Memo`. What is compared with an earlier list is compared by identity first, so keep the objects."""
        return self.along(make, (items,), *given)

    def along(self, make: Callable[..., Made], columns: Sequence[Sequence[Any]], *given: Any) -> tuple[Made, ...]:
        """See `Memo`."""
        now = tuple(map(tuple, columns))
        length = len(now[0])
        if not length:
            return ()
        key = (make, *given)
        rows = self._rows.get(key, ())
        row, known, is_first = _closest(rows, now, length)
        if is_first and known == length:
            return row.made[:known]
        start = max(known, 1)
        begin = row.made[:start]  # of a list that only grew that is all, and not copied
        if not is_first:
            begin = (make(0, *(items[0] for items in now), *given), *begin[1:])
        rest: list[Made] = []
        new = 0
        for place, items in enumerate(zip(*(items[start:] for items in now), strict=True), start=start):
            if new < NEAR and row.has(place, items):
                rest.append(row.made[place])
            else:
                rest.append(make(place, *items, *given))
                new += 1
        made = begin + tuple(rest)
        goes_on = (is_first or known > 1) and _is_nearly_all(length - new, len(row.made))
        others = tuple(one for one in rows if one is not row or not goes_on)
        self._items += new + (not is_first)
        if self._items > MAX_ITEMS:
            self._rows, self._items = {}, length
            others = ()
        self._rows[key] = (_Row(now, made), *others[: LISTS - 1])
        return made

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


class KeptTexts(KeptMemo):
    """The same for texts, or bytes, that are made of items and are as long as these. One thread at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._letters = 0
        self._makers: dict[Callable[..., Any], Callable[..., Any]] = {}

    def along(self, make: Callable[..., Made], columns: Sequence[Sequence[Any]], *given: Any) -> tuple[Made, ...]:
        """See `Memo`."""
        found: tuple[Made, ...] = super().along(self._counting(make), columns, *given)
        if self._letters > MAX_LETTERS:
            self._rows, self._items, self._letters = {}, 0, 0
        return found

    def _counting(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, always as the same object, and what it makes is counted."""

        def make_and_count(place: int, *given: Any) -> Any:
            text = make(place, *given)
            self._letters += len(text)
            return text

        return self._makers.setdefault(make, make_and_count)


def _closest(rows: Sequence[_Row], columns: tuple[tuple[Any, ...], ...], length: int) -> tuple[_Row, int, bool]:
    """The row that agrees with these lists for longest, or nearly, behind the first items; up to which place; and whether
    the first ones are the same, too: a system prompt may be another one in each request."""
    best, most, is_first = _Row((), ()), 0, False
    for row in rows:
        known = min(map(_agreement, row.columns, columns))
        if known > most or (known == most and not is_first):
            pairs = zip(row.columns, columns, strict=True)
            best, most = row, known
            is_first = all(old[0] is new[0] or old[0] == new[0] for old, new in pairs)
        if is_first and _is_nearly_all(most, length):
            break
    return best, most, is_first


def _is_nearly_all(known: int, length: int) -> bool:
    return known >= length - NEAR and known * 2 > length


def _agreement(old: tuple[Any, ...], new: tuple[Any, ...]) -> int:
    """Up to which place two lists have the same items behind the first. By halves, since slices are compared fast."""
    low, high = 1, min(len(old), len(new))
    if high > low and old[low] is not new[low] and old[low] != new[low]:
        return low
    if old[:high] == new[:high] or old[low:high] == new[low:high]:  # a whole tuple is not copied
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low
