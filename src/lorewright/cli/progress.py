"""What was said of how far the reader is, held against the gates that ask: a name that no gate asks about opens none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lorewright.core.gates import Gate, Reveal, barriers_before, nearest_name
from lorewright.core.model import ActiveBook, Character, Report, Turn

__all__ = ["unasked_progress"]


def unasked_progress(turn: Turn, books: Iterable[ActiveBook]) -> Iterator[Report]:
    """A report for each book that the turn says the progress of and no gate asks about."""
    if not turn.progress:
        return
    asked = dict.fromkeys(_asked(books, turn.character))
    for name in dict.fromkeys(progress.book for progress in turn.progress):
        if name in asked:
            continue
        near = nearest_name(name, asked)
        meant = f" Did you mean `{near}`? A gate asks about that." if near else ""
        yield Report(
            code="progress_unasked",
            level="warning" if asked else "info",
            message=f"--progress says how far the reader is in `{name}`, and no gate asks about it.{meant}",
        )


def _asked(books: Iterable[ActiveBook], character: Character | None) -> Iterator[str]:
    """The books that the gates of these books ask about."""
    gates = [
        barrier.gate for one in books for entry in one.book.entries for barrier in barriers_before(entry, one.book)
    ]
    gates += [character.gate] if character else []
    for gate in gates:
        if isinstance(gate, Gate):
            yield from (condition.book for condition in gate.conditions if isinstance(condition, Reveal))
