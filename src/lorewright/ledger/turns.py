"""The turns of a stream, with those that were looked at last beside the file: a turn never changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeVar

from lorewright.errors import LedgerError
from lorewright.ledger.events import TurnAssembled
from lorewright.ledger.window import Line, read_steps
from lorewright.storage.image import Image
from lorewright.storage.sqlite import EventRow, Store

__all__ = ["Lines", "Turns"]

_MOST_TURNS: Final = 64
"""A turn of a long chat has some hundred kilobytes."""
_MOST_TRAILS: Final = 2048
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Lines:
    """The messages of a turn: the client's, and those that were sent."""

    messages: tuple[Line, ...] = ()
    sent: tuple[Line, ...] = ()


class Turns:
    """Finds turns by their numbers. It holds references to texts, and no text."""

    def __init__(self, store: Store, stream: str, image: Image) -> None:
        self.store = store
        self.stream = stream
        self.image = image
        self._turns: dict[int, tuple[EventRow, TurnAssembled]] = {}
        self._lines: dict[int, Lines] = {}
        self._by_trail: dict[str, int] = {}

    def count(self) -> int:
        """How many there are in the file."""
        return self.store.count(self.stream, TurnAssembled.__name__)

    def keep(self, row: EventRow, turn: TurnAssembled, lines: Lines) -> None:
        """Keep a turn that is in the file."""
        _keep(self._turns, turn.turn, (row, turn), _MOST_TURNS)
        _keep(self._lines, turn.turn, lines, _MOST_TURNS)
        _keep(self._by_trail, turn.trail.commitment, turn.turn, _MOST_TRAILS)

    def get(self, number: int) -> tuple[EventRow, TurnAssembled]:
        """A turn, as it is stored and as what it says.

        Raises:
            LedgerError: there is none.
        """
        if number in self._turns:
            return self._turns[number]
        row = self.store.event_of(self.stream, TurnAssembled.__name__, number)
        if row is None:
            turns = self.count()
            there = f"its turns are 1 to {turns}" if turns else "it has no turns yet"
            raise LedgerError(f"{self.store.path}: there is no turn {number}; {there}.", turn=number)
        return _keep(self._turns, number, (row, self.image.decode(row.body)), _MOST_TURNS)

    def with_trail(self, trail: str) -> int | None:
        """The number of a turn with this trail; None: it is not kept."""
        return self._by_trail.get(trail)

    def lines(self, number: int) -> Lines:
        """The messages of a turn; of 0: none.

        Raises:
            LedgerError: there is no such turn, or what it is written against is missing.
        """
        way: list[TurnAssembled] = []
        at = number
        while at and at not in self._lines:
            way.append(self.get(at)[1])
            if way[-1].parent >= at:
                raise LedgerError(f"Turn {at} is written against a later one; the ledger is damaged.", turn=at)
            at = way[-1].parent
        found = self._lines[at] if at else Lines()
        for turn in reversed(way):
            try:
                found = Lines(read_steps(found.messages, turn.messages), read_steps(found.sent, turn.sent))
            except IndexError as error:
                raise LedgerError(f"Turn {turn.turn} cannot be put together: {error}.", turn=turn.turn) from error
            _keep(self._lines, turn.turn, found, _MOST_TURNS)
        return found


def _keep(kept: dict[Any, Any], key: object, value: Value, most: int) -> Value:
    """Keep a value, in place of the oldest one if there are so many."""
    while len(kept) >= most:
        del kept[next(iter(kept))]
    kept[key] = value
    return value
