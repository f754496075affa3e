"""Replies that a stop of the process cut off: found when the next one starts, and closed as interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lorewright.ledger.events import ReplyReceived, TurnAssembled
from lorewright.ledger.ledger import IMAGE, Ledger, open_ledger

__all__ = ["INTERRUPTED", "close_cut_replies", "heads_of"]

INTERRUPTED: Final = "interrupted"


def heads_of(path: Path) -> dict[str, int]:
    """The number of each stream's last event; what comes behind it is of a process that lives. Empty without a file.

    Raises:
        LedgerError: the file cannot be read.
    """
    if not path.is_file():
        return {}
    with open_ledger(path, create=False) as ledger:
        heads = {stream: ledger.store.head(stream) for stream in ledger.store.streams()}
    return {stream: head[0] for stream, head in heads.items() if head is not None}


def close_cut_replies(path: Path, heads: Mapping[str, int]) -> int:
    """Append an interrupted reply to every turn up to these events that has none; gives how many there were.

    Raises:
        LedgerError: the file cannot be read or written.
    """
    if not heads:
        return 0
    closed = 0
    with open_ledger(path, create=False) as file:
        for stream, head in heads.items():
            ledger = Ledger(file.store, stream)
            for turn in _cut(ledger, head):
                ledger.reply(turn, ending=INTERRUPTED)
                closed += 1
    return closed


def _cut(ledger: Ledger, head: int) -> list[int]:
    answered = {reply.turn for reply in ledger.of_kind(ReplyReceived)}
    rows = ledger.store.events_of(ledger.stream, TurnAssembled.__name__)
    turns = (IMAGE.decode(row.body).turn for row in rows if row.number <= head)
    return [turn for turn in turns if turn not in answered]
