"""The text in which keys are looked for (spec world-info §3).

The scan text is `\\x01` + the newest messages, the extra sources an entry asks for, the injected prompts and the
recursion text, joined by newline + `\\x01`. An entry sees a part of it, which a `View` names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lorewright.core import javascript
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import EXTRA_SOURCES, Inject, Message, Turn
from lorewright.core.policy import Policy

__all__ = [
    "BLANK",
    "MARK",
    "MAX_SCAN_DEPTH",
    "SEPARATOR",
    "Chunk",
    "Place",
    "Scan",
    "View",
    "scan_turn",
    "view_depth",
]

MARK: Final = "\x01"
SEPARATOR: Final = "\n\x01"
MAX_SCAN_DEPTH: Final = 1000
"""Messages; a larger scan depth is cut (case scan-depth-031)."""
_AUTHORS_NOTE: Final = "authors_note"


class View(NamedTuple):
    """The part of the scan text that one entry sees in one loop.

    messages: how many of the newest messages; extras: bit n for `EXTRA_SOURCES[n]`; chunks: how many recursion
    chunks; blank: nothing at all, the text is empty.
    """

    messages: int
    extras: int = 0
    chunks: int = 0
    blank: bool = False


BLANK: Final = View(0, blank=True)


class Chunk(NamedTuple):
    """The recursion text that one loop adds: contents of entries, and whose they are."""

    texts: tuple[str, ...]
    entries: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


class Place(NamedTuple):
    """Where a piece of the scan text comes from.

    source: `message`, one of `EXTRA_SOURCES`, `inject` or `recursion`. message: index in `Turn.messages` (oldest is
    0). name: the inject's name or the entry's id. prefix: length of `Name: ` before the message text. lead: how much
    white space was trimmed from the front of prefix + text.
    """

    source: str
    message: int | None = None
    name: str = ""
    prefix: int = 0
    lead: int = 0


@dataclass(slots=True)
class Scan:
    """Everything that can be scanned in one evaluation; `chunks` grows while the loops run, the rest is fixed.

    messages: newest first, prefixed and trimmed; places: their indices in `turn.messages`.
    """

    turn: Turn
    include_names: bool
    messages: list[str]
    places: list[int]
    extras: tuple[str, ...]
    injects: tuple[Inject, ...]
    chunks: list[Chunk] = field(default_factory=list)

    def pieces(self, view: View) -> Iterator[str]:
        """The pieces of a view in scan order, without the separators."""
        yield from self.messages[: view.messages]
        for bit, text in enumerate(self.extras):
            if text and view.extras >> bit & 1:
                yield text
        for inject in self.injects:
            yield inject.text
        for chunk in self.chunks[: view.chunks]:
            yield chunk.text

    def text(self, view: View) -> str:
        """The scan text of a view."""
        if view.blank:
            return ""
        if self.shows_messages(view):
            return MARK + SEPARATOR.join(self.pieces(view))
        return MARK + "".join(SEPARATOR + piece for piece in self.pieces(view))

    def shows_messages(self, view: View) -> bool:
        """Whether the view has any message; if not, its text starts with an empty piece."""
        return view.messages > 0 and bool(self.messages)

    def locate(self, view: View, start: int, end: int) -> tuple[Place, int, int]:
        """Where a range of `text(view)` comes from: the first piece it touches, and the range inside that piece's
        original text. What lies in separators or in later pieces is cut off."""
        piece_start = len(MARK) if self.shows_messages(view) else len(MARK + SEPARATOR)
        piece_end = number = 0
        for number, piece in enumerate(self.pieces(view)):  # noqa: B007 - the last one counts when none is touched
            piece_end = piece_start + len(piece)
            if piece_end > start or piece_end >= end:
                break
            piece_start = piece_end + len(SEPARATOR)
        else:
            piece_start = min(piece_start, piece_end)
        within = max(start - piece_start, 0)
        place, first = self._origin(view, number, within)
        return place, first, first + max(min(end, piece_end) - piece_start - within, 0)

    def _origin(self, view: View, piece: int, within: int) -> tuple[Place, int]:
        shown = min(view.messages, len(self.messages))
        if piece < shown:
            index = self.places[piece]
            message = self.turn.messages[index]
            prefix = len(message.name) + 2 if self.include_names else 0
            whole = f"{message.name}: {message.text}" if self.include_names else message.text
            lead = len(whole) - len(whole.lstrip(javascript.WHITE_SPACE))
            return Place("message", index, message.name, prefix, lead), within + lead
        piece -= shown
        for bit, text in enumerate(self.extras):
            if text and view.extras >> bit & 1:
                if piece == 0:
                    return Place(EXTRA_SOURCES[bit]), within
                piece -= 1
        if piece < len(self.injects):
            return Place("inject", name=self.injects[piece].name), within
        piece -= len(self.injects)
        if piece < len(self.chunks):
            chunk = self.chunks[piece]
            for text, entry in zip(chunk.texts, chunk.entries, strict=True):
                if within <= len(text):
                    return Place("recursion", name=entry), within
                within -= len(text) + 1
        return Place("recursion"), within


def view_depth(depth: float, policy: Policy) -> int | None:
    """How many messages a scan depth means; None when nothing at all is scanned.

    Fractions are cut: 0.5 scans no message but the rest of the text (cases scan-depth-020, 021).
    """
    if depth <= 0 and policy.switches.depth_zero_scans_nothing:
        return None
    return 0 if math.isnan(depth) else max(0, int(min(depth, MAX_SCAN_DEPTH)))


def scan_turn(turn: Turn, policy: Policy, render: Callable[[str, int], str], memo: Memo = ANEW) -> Scan:
    """Collect what can be scanned: all messages but hidden ones and the reply that a swipe replaces.

    `render(text, messages)` expands macros in injected prompts; it is told how many messages are scanned.
    """
    named = policy.settings.include_names
    scanned = memo.each(_scanned, turn.messages, named)
    places = [place for place, text in enumerate(scanned) if text is not None]
    if turn.trigger == "swipe" and places:
        places.pop()
    places.reverse()
    texts = [text for place in places if (text := scanned[place]) is not None]
    character = turn.character
    extras = (
        turn.persona_description,
        character.description if character else "",
        character.personality if character else "",
        character.depth_prompt if character else "",
        character.scenario if character else "",
        character.creator_notes if character else "",
    )
    return Scan(turn, named, texts, places, extras, _injects(turn, lambda text: render(text, len(places))))


def _scanned(_: int, message: Message, is_named: bool) -> str | None:
    """The text of a message as it is scanned; None: it is hidden."""
    if message.hidden:
        return None
    return message.named if is_named else message.trimmed


def _injects(turn: Turn, render: Callable[[str], str]) -> tuple[Inject, ...]:
    """Injected prompts that are scanned: integer-like names first, then the author's note, then the rest in order."""
    note = turn.authors_note
    registered = [Inject(_AUTHORS_NOTE, note.text, note.scan)] if note else []
    registered += turn.injects
    by_name: dict[str, Inject] = {inject.name: inject for inject in registered}
    numbered = sorted((n for n in by_name if javascript.is_integer_like(n)), key=int)
    ordered = [by_name[n] for n in numbered] + [i for n, i in by_name.items() if not javascript.is_integer_like(n)]
    found = (Inject(inject.name, render(inject.text)) for inject in ordered if inject.scan)
    return tuple(inject for inject in found if inject.text)
