"""Where macros stand in a text, as the old engine looks for them: by a name and by what may stand before `}}`.

Every finder takes a text and yields the places in order, none inside another. All of them take time that grows with
the length of the text only, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

__all__ = [
    "Finder",
    "Place",
    "angle",
    "quoted_to_line_end",
    "to_brace",
    "to_braces",
    "to_braces_in_line",
    "trim_word",
    "two_in_line",
    "two_to_brace",
    "word",
]

_LINE_END = re.compile("[\n\r\u2028\u2029]")
_TRIM = re.compile(r"\{\{trim\}\}", re.ASCII | re.IGNORECASE)


class Place(NamedTuple):
    """A macro in a text: from `start` to before `end`, with its arguments as they are written."""

    start: int
    end: int
    arguments: tuple[str, ...] = ()


Finder: TypeAlias = Callable[[str], Iterator[Place]]


def word(name: str) -> Finder:
    """`{{name}}`, in any case."""
    return _literal(f"{{{{{name}}}}}")


def angle(name: str) -> Finder:
    """`<name>`, in any case."""
    return _literal(f"<{name}>")


def _literal(text: str) -> Finder:
    pattern = _pattern(re.escape(text), ascii_only=text.isascii())
    return lambda searched: (Place(*found.span()) for found in pattern.finditer(searched))


def _pattern(source: str, *, ascii_only: bool = True) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE | re.ASCII if ascii_only else re.IGNORECASE)


class _Next:
    """The next place of something; asked for places that only grow, it looks at each character once."""

    def __init__(self, search: Callable[[int], int]) -> None:
        self._search = search
        self._found = -1
        self._at = -1

    def after(self, at: int) -> int:
        """The first place at `at` or later; -1 if there is none."""
        if self._at < 0 or (0 <= self._found < at):
            self._found = self._search(at)
            self._at = at
        return self._found


def _next_text(text: str, wanted: str) -> _Next:
    return _Next(lambda at: text.find(wanted, at))


def _next_line_end(text: str) -> _Next:
    def search(at: int) -> int:
        found = _LINE_END.search(text, at)
        return found.start() if found else len(text)

    return _Next(search)


def to_brace(opener: str, least: int = 1) -> Finder:
    """`opener` (a regular expression), at least `least` characters that are no `}`, `}}`."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        brace = _next_text(text, "}")
        at = 0
        while found := pattern.search(text, at):
            start, at = found.end(), found.start() + 1
            end = brace.after(start)
            if end < 0:
                return
            if end - start >= least and text.startswith("}}", end):
                yield Place(found.start(), end + 2, (text[start:end],))
                at = end + 2

    return find


def two_to_brace(opener: str, least: int) -> Finder:
    """`opener`, a name without colons, `::`, at least `least` characters that are no `}`, `}}`."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        colon, brace = _next_text(text, ":"), _next_text(text, "}")
        at = 0
        while found := pattern.search(text, at):
            start, at = found.end(), found.start() + 1
            middle = colon.after(start)
            if middle < 0:
                return
            if middle == start or not text.startswith("::", middle):
                continue
            end = brace.after(middle + 2)
            if end < 0:
                return
            if end - middle - 2 >= least and text.startswith("}}", end):
                yield Place(found.start(), end + 2, (text[start:middle], text[middle + 2 : end]))
                at = end + 2

    return find


def to_braces(opener: str) -> Finder:
    """`opener`, anything up to the next `}}`."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        braces = _next_text(text, "}}")
        at = 0
        while found := pattern.search(text, at):
            end = braces.after(found.end())
            if end < 0:
                return
            yield Place(found.start(), end + 2, (text[found.end() : end],))
            at = end + 2

    return find


def to_braces_in_line(opener: str) -> Finder:
    """`opener`, at least one character, the next `}}` behind it, all in one line."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        braces, line_end = _next_text(text, "}}"), _next_line_end(text)
        at = 0
        while found := pattern.search(text, at):
            start, at = found.end(), found.start() + 1
            end = braces.after(start + 1)
            if end < 0:
                return
            if end < line_end.after(start):
                yield Place(found.start(), end + 2, (text[start:end],))
                at = end + 2

    return find


def two_in_line(opener: str) -> Finder:
    """`opener`, anything to the next `::`, anything to the next `}}`, all in one line."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        colons, braces, line_end = _next_text(text, "::"), _next_text(text, "}}"), _next_line_end(text)
        at = 0
        while found := pattern.search(text, at):
            start, at = found.end(), found.start() + 1
            middle = colons.after(start)
            end = braces.after(middle + 2) if middle >= 0 else -1
            if end < 0:
                return
            if end < line_end.after(start):
                yield Place(found.start(), end + 2, (text[start:middle], text[middle + 2 : end]))
                at = end + 2

    return find


def quoted_to_line_end(opener: str) -> Finder:
    """`opener` (which ends with a quote), anything up to the last `"}}` of the line."""
    pattern = _pattern(opener)

    def find(text: str) -> Iterator[Place]:
        line_end = _next_line_end(text)
        at = 0
        while found := pattern.search(text, at):
            start, last = found.end(), line_end.after(found.end())
            end = text.rfind('"}}', start, last)
            if end < 0:
                at = last
                continue
            yield Place(found.start(), end + 3, (text[start:end],))
            at = end + 3

    return find


def trim_word(text: str) -> Iterator[Place]:
    """`{{trim}}` with all line breaks before and behind it."""
    at = 0
    for found in _TRIM.finditer(text):
        start, end = found.span()
        if start < at:
            continue
        while start > at and text[start - 1] == "\n":
            start -= 2 if text[start - 2 : start] == "\r\n" and start - 2 >= at else 1
        while text.startswith(("\n", "\r\n"), end):
            end += 1 if text[end] == "\n" else 2
        yield Place(start, end)
        at = end
