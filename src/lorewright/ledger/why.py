"""Why an entry was in a turn or not: the turn is assembled again, and its trace is asked."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core.trace import Verdict
from lorewright.errors import LedgerError
from lorewright.ledger.events import PlacementMoved
from lorewright.ledger.ledger import Ledger
from lorewright.ledger.replay import Replayed, Replayer

__all__ = ["Because", "why"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """verdict: as `explain` gives it. placed: the messages that were sent with a text of the entry, counted from 0.
    waiting: why its text is not there although it is active; empty: it is, or the entry is not active. moves: what
    happened to its standing texts in this turn. replayed: whether the turn came out as it was recorded, without which
    the verdict is worth nothing."""

    turn: int
    verdict: Verdict
    placed: tuple[int, ...]
    waiting: str
    moves: tuple[PlacementMoved, ...]
    replayed: Replayed


def why(ledger: Ledger, entry: str, turn: int, replayer: Replayer | None = None) -> Because:
    """Why the entry with this id (`book.uid`) was in the turn, or not.

    Raises:
        LedgerError: there is no such turn or entry, or a text that the turn needs was erased.
    """
    replayer = replayer or Replayer(ledger)
    _, recorded = ledger.turn(turn)
    _, woven = replayer.weave(turn)
    try:
        verdict = woven.assembly.trace.why(entry)
    except KeyError as error:
        raise LedgerError(
            f"No book of turn {turn} has an entry `{entry}`. Give its id, as in `book.uid`.", wanted=entry
        ) from error
    lines = ledger.lines(turn).sent
    return Because(
        turn=turn,
        verdict=verdict,
        placed=tuple(
            at
            for at, line in enumerate(lines)
            if any(piece[1] == entry for piece in line[2])  # type: ignore[index]
        ),
        waiting=dict(recorded.waiting).get(entry, ""),
        moves=tuple(move for move in ledger.moves(turn) if move.entry == entry),
        replayed=replayer.replay(turn),
    )
