"""How RisuAI compares a key with a text (spec risu §8.1).

Texts are lower-cased and lose their comments. A part of a word is enough, without regard to blanks; or a key must be one
of the pieces between single blanks.
"""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.scan import MARK, SEPARATOR

__all__ = ["RowText", "find_in_row", "squeeze"]

_BLANK: Final = " "
_IN_LINE: Final = "[^\n\r\u2028\u2029]+?"
_COMMENTS: Final = tuple(re.compile(rf"\{{\{{{start}{_IN_LINE}\}}\}}") for start in ("//", "comment:"))


class RowText:
    """A text in the forms in which keys are looked for, each made when first needed."""

    __slots__ = ("_squeezed", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._squeezed: str | None = None
        self._words: frozenset[str] | None = None

    def holds(self, needle: str, *, whole_words: bool) -> bool:
        """Whether a key is in the text. `needle` is the lower-cased key."""
        if whole_words:
            if self._words is None:
                self._words = frozenset(_plain(self.text).split(_BLANK))
            return needle in self._words
        return squeeze(needle) in self.squeezed

    @property
    def squeezed(self) -> str:
        """Lower-cased, without comments and blanks."""
        if self._squeezed is None:
            self._squeezed = squeeze(_plain(self.text))
        return self._squeezed


def squeeze(text: str) -> str:
    """The text without blanks."""
    return text.replace(_BLANK, "")


def find_in_row(needle: str, text: str, *, whole_words: bool) -> tuple[int, int] | None:
    """The first place of a key in a scan text, in code points; it may have blanks and comments inside."""
    if whole_words:
        text = text.replace(SEPARATOR, _BLANK * len(SEPARATOR)).replace(MARK, _BLANK)
    else:
        needle = squeeze(needle)
    if not needle:
        return None
    lower = text.lower()
    if len(lower) != len(text) or any(comment.search(lower) for comment in _COMMENTS):
        return _find_slowly(needle, text, whole_words=whole_words)
    if whole_words:
        found = re.search(rf"(?<![^ ]){re.escape(needle)}(?![^ ])", lower)
        return found.span() if found and _BLANK not in needle else None
    found = re.search(" *".join(map(re.escape, needle)), lower)
    return found.span() if found else None


def _find_slowly(needle: str, text: str, *, whole_words: bool) -> tuple[int, int] | None:
    """The same letter by letter, where lower-casing changes the length or comments are left out."""
    letters = [(letter, place) for place, one in enumerate(text) for letter in one.lower()]
    for comment in _COMMENTS:
        letters = _without(letters, comment)
    if not whole_words:
        letters = [item for item in letters if item[0] != _BLANK]
    plain = "".join(letter for letter, _ in letters)
    start = _find_piece(needle, plain) if whole_words else plain.find(needle)
    if start < 0:
        return None
    return letters[start][1], letters[start + len(needle) - 1][1] + 1


def _plain(text: str) -> str:
    found = text.lower()
    if "{{" in found:
        for comment in _COMMENTS:
            found = comment.sub("", found)
    return found


def _without(letters: list[tuple[str, int]], comment: re.Pattern[str]) -> list[tuple[str, int]]:
    kept = 0
    found: list[tuple[str, int]] = []
    for match in comment.finditer("".join(letter for letter, _ in letters)):
        found += letters[kept : match.start()]
        kept = match.end()
    return found + letters[kept:]


def _find_piece(needle: str, plain: str) -> int:
    start = 0
    for piece in plain.split(_BLANK):
        if piece == needle:
            return start
        start += len(piece) + 1
    return -1
