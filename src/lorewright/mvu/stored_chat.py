"""A chat as a file of SillyTavern keeps it, with the records of the script -> lines (spec mvu-vars §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from lorewright.core.model import Message
from lorewright.mvu.chat import Line, Lines
from lorewright.mvu.record import Record
from lorewright.mvu.values import Json

__all__ = ["first_stored", "read_lines", "without_records"]

_MOST_SWIPES: Final = 1_000


def read_lines(messages: Sequence[Message], originals: Sequence[Mapping[str, Json]] = ()) -> Lines:
    """The messages of a chat as lines. Their originals, as far as there are any, give swipes and records."""
    kept = [*originals, *([{}] * (len(messages) - len(originals)))]
    return tuple(_line(message, original) for message, original in zip(messages, kept, strict=True))


def _line(message: Message, original: Mapping[str, Json]) -> Line:
    """The text that is shown counts, also where the list of the swipes says something else."""
    swipes = original.get("swipes")
    texts = [text if isinstance(text, str) else "" for text in swipes] if isinstance(swipes, list) else []
    at = original.get("swipe_id")
    shown = at if isinstance(at, int) and 0 <= at < len(texts) else 0
    texts[shown : shown + 1] = [message.text]
    kept = original.get("variables")
    records: list[Json] = []
    if isinstance(kept, list):
        records = kept[: len(texts)]
    elif isinstance(kept, Mapping):
        records = [kept.get(str(place)) for place in range(min(len(texts), _MOST_SWIPES))]
    return Line(message.name, tuple(texts), message.role == "user", shown, tuple(records))


def first_stored(lines: Sequence[Line]) -> int | None:
    """The place of the first message with a record; None: there is none."""
    return next((at for at, line in enumerate(lines) if Record.of(line.stored)), None)


def without_records(lines: Sequence[Line]) -> Lines:
    """The lines as if nothing had been kept with them."""
    return tuple(replace(line, records=()) for line in lines)
