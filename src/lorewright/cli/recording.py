"""`weave --ledger`: the turn with what the ledger remembers, recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lorewright.cli.scene import Scene
from lorewright.cli.screen import Screen, count
from lorewright.core.model import ActiveBook
from lorewright.core.weave import Woven
from lorewright.ledger.facts import with_facts
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.session import LedgerSession

__all__ = ["RecordedTurn", "record_scene", "recorded_object", "show_recorded"]


class RecordedTurn(NamedTuple):
    """A turn and where it is recorded. begins_anew: no message of the chat is known, and memory was erased."""

    path: str
    number: int
    hash: str
    woven: Woven
    begins_anew: bool = False


def record_scene(scene: Scene, path: str, *, engine: str, full: bool) -> RecordedTurn:
    """Assemble the scene's turn with the memory of a ledger, and append it.

    Raises:
        LedgerError: the file is no ledger, or cannot be written.
    """
    lore = scene.lore
    books: Sequence[ActiveBook] = [
        ActiveBook(book.book, source) for book, source in zip(lore.books, lore.sources, strict=True)
    ]
    with open_ledger(path, full=full) as ledger:
        books = with_facts(ledger, books, use_proposals=lore.policy.settings.use_proposals)
        number, woven = LedgerSession(ledger, books, lore.policy, scene.tools, engine).weave(scene.turn)
        begins_anew = woven.known == 0 and len(woven.path) > 1 and ledger.has_forgotten()
        return RecordedTurn(path, number, ledger.turn(number)[1].hash, woven, begins_anew)


def recorded_object(recorded: RecordedTurn) -> dict[str, object]:
    """What `weave --ledger --json` says beside the rest."""
    woven = recorded.woven
    return {
        "file": recorded.path,
        "turn": recorded.number,
        "number": woven.turn.number,
        "hash": recorded.hash,
        "begins_anew": recorded.begins_anew,
        "moves": [{"cause": move.cause, "entry": move.entry} for move in woven.moves],
        "waiting": [{"entry": item.entry, "reason": item.reason} for item in woven.waiting],
    }


def show_recorded(recorded: RecordedTurn, screen: Screen) -> None:
    messages = count(len(recorded.woven.messages), "message")
    screen.line(f"Recorded as turn {recorded.number} of {recorded.path}: {messages}.")
    if recorded.begins_anew:
        screen.line(
            ("The conversation begins anew: ", "bold yellow"),
            "its messages are not remembered, since memory was erased from this ledger. Texts are placed anew.",
        )
