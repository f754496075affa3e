"""Turns that are assembled and recorded in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from lorewright.core.lore import Lore
from lorewright.core.model import ActiveBook, Turn
from lorewright.core.policy import Policy
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven, weave
from lorewright.errors import LedgerError
from lorewright.ledger.ledger import Beside, Ledger
from lorewright.ledger.outside import Recorder
from lorewright.toolbox import load_lore, shelve

__all__ = ["LedgerSession", "Recorded"]


_MOST_TRIES: Final = 50


class Recorded(NamedTuple):
    """A turn's number in its stream, and what became of it."""

    number: int
    woven: Woven


class LedgerSession:
    """The books and the policy of a ledger's next turns. `engine` is the name of the matcher in `tools`."""

    def __init__(
        self, ledger: Ledger, books: Sequence[ActiveBook], policy: Policy, tools: Tools, engine: str = "fast"
    ) -> None:
        self.ledger = ledger
        self.recorder = Recorder(tools)
        ledger.open_session(tools.counter.name, engine)
        self.use(books, policy)

    def use(self, books: Sequence[ActiveBook], policy: Policy) -> None:
        """Go on with other books, or other rules."""
        self.books = shelve(books, policy)
        self.policy = policy
        self.lore: Lore = load_lore(self.books, self.recorder.tools, policy)

    def weave(self, turn: Turn, before_record: Callable[[Woven], Beside] | None = None) -> Recorded:
        """Assemble a turn with what the ledger remembers, and record it. Nothing is returned that is not recorded.

        before_record: is called with what is about to be recorded, and gives what is recorded beside it (see
        `Ledger.record`). What either raises comes out, and nothing is recorded.

        If another program writes to the file meanwhile, the turn is assembled again with what is remembered then: what
        is recorded is always what comes of everything before it.

        Raises:
            LedgerError: the turn cannot be recorded.
        """
        ledger = self.ledger
        for _ in range(_MOST_TRIES):
            ledger.refresh()
            seen = ledger.generation
            self.recorder.take()
            woven = weave(turn, self.lore, ledger.memory, self.recorder.tools)
            beside = before_record(woven) if before_record is not None else None
            if number := ledger.record(woven, turn, self.books, self.policy, self.recorder.take(), seen, beside):
                return Recorded(number, woven)
        raise LedgerError(f"{ledger.store.path}: other programs keep writing to it; try again.", path=ledger.store.path)
