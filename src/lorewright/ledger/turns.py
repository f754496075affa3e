"""The turns of a stream, with those that were looked at last beside the file: a turn never changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lorewright.errors import LedgerError
from lorewright.ledger.events import TurnAssembled
from lorewright.ledger.window import Line, read_steps
from lorewright.storage.image import Image
from lorewright.storage.kept import Kept
from lorewright.storage.sqlite import EventRow, Store

__all__ = ["Lines", "Turns"]

_MOST_BYTES: Final = 1_000_000
"""Of turns that are kept, and of their lines."""
_MOST_TRAILS: Final = 1000
_BYTES_OF_A_TURN: Final = 1000
_BYTES_OF_A_LINE: Final = 200
"""Consecutive turns of a chat have most lines in common."""
_TIMES: Final = 4
"""A turn that was read takes so much of what it has in the file, its bytes included."""


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
        self._turns: Kept[int, tuple[EventRow, TurnAssembled]] = Kept(_MOST_BYTES, _weigh_turn)
        self._lines: Kept[int, Lines] = Kept(_MOST_BYTES, _weigh_lines)
        self._by_trail: Kept[str, int] = Kept(_MOST_TRAILS, lambda *_: 1)

    def count(self) -> int:
        """How many there are in the file."""
        return self.store.count(self.stream, TurnAssembled.__name__)

    def keep(self, row: EventRow, turn: TurnAssembled, lines: Lines) -> None:
        """Keep a turn that is in the file."""
        self._turns.put(turn.turn, (row, turn))
        self._lines.put(turn.turn, lines)
        self._by_trail.put(turn.trail.commitment, turn.turn)

    def get(self, number: int) -> tuple[EventRow, TurnAssembled]:
        """A turn, as it is stored and as what it says.

        Raises:
            LedgerError: there is none.
        """
        if (known := self._turns.get(number)) is not None:
            return known
        row = self.store.event_of(self.stream, TurnAssembled.__name__, number)
        if row is None:
            turns = self.count()
            there = f"its turns are 1 to {turns}" if turns else "it has no turns yet"
            raise LedgerError(f"{self.store.path}: there is no turn {number}; {there}.", turn=number)
        return self._turns.put(number, (row, self.image.decode(row.body)))

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
        known: Lines | None = None
        while at and (known := self._lines.get(at)) is None:
            way.append(self.get(at)[1])
            if way[-1].parent >= at:
                raise LedgerError(f"Turn {at} is written against a later one; the ledger is damaged.", turn=at)
            at = way[-1].parent
        found = known if at and known is not None else Lines()
        for turn in reversed(way):
            try:
                found = Lines(read_steps(found.messages, turn.messages), read_steps(found.sent, turn.sent))
            except IndexError as error:
                raise LedgerError(f"Turn {turn.turn} cannot be put together: {error}.", turn=turn.turn) from error
            self._lines.put(turn.turn, found)
        return found


def _weigh_turn(_: int, turn: tuple[EventRow, TurnAssembled]) -> int:
    return _BYTES_OF_A_TURN + _TIMES * len(turn[0].body)


def _weigh_lines(_: int, lines: Lines) -> int:
    return _BYTES_OF_A_TURN + _BYTES_OF_A_LINE * (len(lines.messages) + len(lines.sent))
