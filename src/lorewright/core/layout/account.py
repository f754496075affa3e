"""What becomes of every text: nothing that was handed in is dropped without a reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lorewright.core.layout.reasons import StaysOut
from lorewright.core.layout.strand import Source, Strand

__all__ = ["Account", "LeftOut"]


class LeftOut(NamedTuple):
    """A text that is in no message, and why."""

    source: Source
    reason: StaysOut


class Account:
    """Texts that were handed in, and the reasons why some are not sent. The first reason for a text counts."""

    def __init__(self) -> None:
        self.offered: dict[Source, None] = {}
        self._reasons: dict[Source, StaysOut] = {}

    def offer(self, *sources: Source) -> None:
        """Texts were handed in."""
        self.offered.update(dict.fromkeys(sources))

    def leave(self, strand: Strand | Source, reason: StaysOut) -> None:
        """A text is left out."""
        for source in (strand,) if isinstance(strand, Source) else strand.sources:
            self._reasons.setdefault(source, reason)

    def close(self, sent: Iterable[Source], otherwise: StaysOut | None) -> tuple[LeftOut, ...]:
        """What was handed in and is not among `sent`, in the order in which it was handed in. `otherwise` is the reason
        of what nobody came to."""
        standing = set(sent)
        missing = [source for source in self.offered if source not in standing]
        reasons = [self._reasons.get(source, otherwise) for source in missing]
        return tuple(LeftOut(source, reason) for source, reason in zip(missing, reasons, strict=True) if reason)
