"""The text of a SillyTavern chat, line by line, and which line is what: so that a chat can be written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ChatSource"]


@dataclass(frozen=True, slots=True)
class ChatSource:
    """A file as it was read. `lines` are what stands between line feeds; `header` and `messages` are places in it.

    `metadata` and `originals` are the objects in those lines: what is still the same object need not be written anew.
    """

    lines: tuple[str, ...]
    header: int | None
    messages: tuple[int, ...]
    metadata: Mapping[str, object]
    originals: tuple[Mapping[str, object], ...]
