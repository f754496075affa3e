"""The tags of a text with code, found without running anything (EJS's rules)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

__all__ = ["Piece", "PieceKind", "is_template", "split_tags"]

PieceKind = Literal["text", "code", "output", "comment", "mark"]
"""`mark`: a delimiter that opens nothing: `<%%` and `%%>`, which stand for `<%` and `%>`, and a closing one alone."""

_DELIMITER: Final = re.compile(r"<%%|%%>|<%=|<%-|<%_|<%#|<%|%>|-%>|_%>")
_KINDS: Final[dict[str, PieceKind]] = {
    "<%=": "output",
    "<%-": "output",
    "<%#": "comment",
    "<%": "code",
    "<%_": "code",
}
_CLOSING: Final = ("%>", "-%>", "_%>")


class Piece(NamedTuple):
    """A part of a text. Of a tag, `opening` and `closing` are its delimiters (`closing` is empty if the text ends or
    another delimiter comes first) and `text` is what stands between them; of any other part, `text` is all of it."""

    kind: PieceKind
    text: str
    opening: str = ""
    closing: str = ""

    @property
    def whole(self) -> str:
        """The part as it stands in the text."""
        return f"{self.opening}{self.text}{self.closing}"


def is_template(text: str) -> bool:
    """Whether rendering could change this text."""
    return "<%" in text


def split_tags(text: str) -> Iterator[Piece]:
    """The parts of a text, in order; their `whole` texts are the text again. Nothing is raised."""
    end = 0
    opening = ""
    for found in _DELIMITER.finditer(text):
        between, delimiter = text[end : found.start()], found[0]
        end = found.end()
        if opening:
            closing = delimiter if delimiter in _CLOSING else ""
            yield Piece(_KINDS[opening], between, opening, closing)
            opening = ""
            if closing:
                continue
        elif between:
            yield Piece("text", between)
        if delimiter in _KINDS:
            opening = delimiter
        else:
            yield Piece("mark", delimiter)
    if opening:
        yield Piece(_KINDS[opening], text[end:], opening)
    elif end < len(text):
        yield Piece("text", text[end:])
