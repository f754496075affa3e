"""Gates that do not come back from a file: whoever reads it there is told what its reader may not know yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lorewright.core.gates import Gate, gates_before
from lorewright.core.model import ABSENT, Book, Entry, Report
from lorewright.formats.losses import find_partners

__all__ = ["GATE_LOST", "find_lost_gates", "has_gates", "with_gates_first"]

GATE_LOST: Final = "gate_lost"
_SHOWN: Final = 5


def has_gates(book: Book) -> bool:
    """Whether a gate is before any entry."""
    return any(_gates(entry, book) for entry in book.entries)


def find_lost_gates(book: Book, read: Book) -> Iterator[Report]:
    """One report of the level error if entries of a book have gates that are not before them in what was read of its
    file: their own, their folder's or the book's."""
    partners = find_partners(book.entries, read.entries)
    pairs = zip(book.entries, partners, strict=True)
    lost = [str(entry.uid) for entry, there in pairs if not _gates(entry, book) <= _gates(there, read)]
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        yield Report(
            code=GATE_LOST,
            level="error",
            message=f"Gates of {', '.join(lost[:_SHOWN])}{more} have no place in this format: the file tells everybody "
            "what they keep back. Leave these entries out, or choose a format with `extensions`.",
            book=book.name,
            entry=lost[0] if len(lost) == 1 else "",
            field="gate",
        )


def with_gates_first(lost: Iterable[Report], others: Iterable[Report]) -> tuple[Report, ...]:
    """All losses, without those that say of a gate once more that it is lost."""
    first = tuple(lost)
    return (*first, *(report for report in others if not (first and report.field == "gate")))


def _gates(entry: Entry, book: Book) -> set[object]:
    """The gates on the way; malformed ones are closed, and alike in that."""
    found = (gate for gate in gates_before(entry, book) if gate is not ABSENT and gate is not None)
    return {gate if isinstance(gate, Gate) else "closed" for gate in found}
