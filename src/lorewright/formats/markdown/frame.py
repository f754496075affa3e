"""What is remembered of a Markdown file besides its entries, so that it can be written back as it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from lorewright.core.model import EMPTY, Entry

__all__ = ["FRAME", "Frame", "Piece"]

FRAME: Final = "markdown"
"""The name in `Book.extra` of what is needed to write the file back."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the file as it stood. `uid` is None for what is no entry. With `is_open` it holds half a code block."""

    text: str
    uid: int | str | None = None
    has_id: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A file as it was read, so that what nobody changed is written as it stood.

    `pieces` are the head of the file, then the entries and whatever stood between them; together they are the file.
    A dialect of which single entries cannot be written back is one piece.
    """

    name: str
    title: str
    settings: Mapping[str, object]
    entries: tuple[Entry, ...]
    pieces: tuple[Piece, ...]
    entry_level: int
    chinese: bool
    newline: str
    marks: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    """What the book says for all of its entries, by the names of the model."""

    @property
    def refused(self) -> Mapping[int, str]:
        """Texts between the entries that belong to none; other formats keep them beside the entries."""
        return {at: piece.text for at, piece in enumerate(self.pieces) if at and piece.uid is None}
