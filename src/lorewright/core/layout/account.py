"""What becomes of every text: nothing that was handed in is dropped without a reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        self._before: list[Source] = []
        self._chat: list[Source] = []
        self._behind: list[Source] = []
        self._reasons: dict[Source, StaysOut] = {}

    def offer(self, *sources: Source) -> None:
        """Texts were handed in."""
        (self._behind if self._chat else self._before).extend(sources)

    def offer_chat(self, sources: Sequence[Source]) -> None:
        """The messages of the chat were handed in, oldest first."""
        self._chat = list(sources)

    def leave(self, strand: Strand | Source, reason: StaysOut) -> None:
        """A text is left out."""
        for source in (strand,) if isinstance(strand, Source) else strand.sources:
            self._reasons.setdefault(source, reason)

    def close(
        self, sent: Iterable[Source], otherwise: StaysOut | None, chat: Sequence[Source] = ()
    ) -> tuple[LeftOut, ...]:
        """What was handed in and is not among `sent`, in the order in which it was handed in. `otherwise` is the reason
        of what nobody came to. `chat`: the messages that are sent, too; nearly always they are the newest ones."""
        standing = set(sent)
        older = len(self._chat) - len(chat)
        if older < 0 or self._chat[older:] != list(chat):
            standing.update(chat)
            older = len(self._chat)
        offered = dict.fromkeys((*self._before, *self._chat[:older], *self._behind))
        missing = [source for source in offered if source not in standing]
        reasons = [self._reasons.get(source, otherwise) for source in missing]
        return tuple(LeftOut(source, reason) for source, reason in zip(missing, reasons, strict=True) if reason)
