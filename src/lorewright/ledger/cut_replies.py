"""Replies that a stop of their process cut off: found when the next one starts, and closed as interrupted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from lorewright.ledger.events import ReplyReceived, RequestSent
from lorewright.ledger.ledger import IMAGE, Ledger, open_ledger

__all__ = ["INTERRUPTED", "close_cut_replies"]

INTERRUPTED: Final = "interrupted"


class _Seen(NamedTuple):
    """Turns without a reply, and how far the stream was when it was looked through."""

    cut: list[int]
    head: int


def close_cut_replies(path: Path, is_alive: Callable[[str], bool]) -> int:
    """Append an interrupted reply to every turn that has none and was sent by a process that is not alive; gives how many
    there were. Turns that no gateway sent have no process, and wait for whoever recorded them.

    Raises:
        LedgerError: the file cannot be read or written.
    """
    if not path.is_file():
        return 0
    closed = 0
    with open_ledger(path, create=False) as file:
        for stream in file.store.streams():
            ledger = Ledger(file.store, stream)
            seen = _look(ledger, is_alive)
            if seen.cut:
                closed += _close(ledger, seen)
    return closed


def _look(ledger: Ledger, is_alive: Callable[[str], bool]) -> _Seen:
    head = ledger.store.head(ledger.stream)
    answered = {reply.turn for reply in ledger.of_kind(ReplyReceived)}
    unanswered = [sent for sent in ledger.of_kind(RequestSent) if sent.turn not in answered]
    dead = {process for process in {sent.process for sent in unanswered} if not is_alive(process)}
    return _Seen([sent.turn for sent in unanswered if sent.process in dead], head[0] if head else 0)


def _close(ledger: Ledger, seen: _Seen) -> int:
    """Close those that nobody has closed meanwhile: two processes may start at once."""
    with ledger.writing():
        rows = ledger.store.events_of(ledger.stream, ReplyReceived.__name__, seen.head + 1)
        late = {IMAGE.decode(row.body).turn for row in rows}
        cut = [turn for turn in seen.cut if turn not in late]
        for turn in cut:
            ledger.append(ReplyReceived(turn=turn, at=ledger.clock(), ending=INTERRUPTED))
    return len(cut)
