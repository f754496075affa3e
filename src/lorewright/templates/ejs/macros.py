"""Macros in a text with code (spec templates §2): they are expanded before the code runs, and what they stand for is never
code.

Outside the tags a value cannot open one. Inside, it stays what its author meant it for: in a string it is escaped, and
where it stands bare it is a number, a word or a JSON value, or else becomes a string.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Final

from lorewright.templates.ejs.tags import split_tags

__all__ = ["fill_macros"]

_SEPARATOR: Final = "<%#%>"
"""A comment, which gives nothing, between a value that ends like the beginning of a tag and what would complete it."""
_BARE: Final = re.compile(r"-?\d+(\.\d+)?")
_ESCAPED: Final = {
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
    "`": "\\`",
    "$": "\\$",
    "\n": "\\n",
    "\r": "\\r",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
    "<": "\\x3c",
    ">": "\\x3e",
    "*": "\\x2a",
}
"""What could end a string, a template, a comment or a tag."""
_BRACES: Final = re.compile(r"\{\{|\}\}")
_BEFORE_REGEX: Final = frozenset("(,=:[!&|?{};+-*%~^<>")

Fill = Callable[[str], str]
"""A text without code, with its macros expanded."""


def fill_macros(text: str, fill: Fill) -> str:
    """The text with its macros expanded. Nothing is raised but what `fill` raises."""
    mark = f"\ue000{os.urandom(8).hex()}\ue001"  # what no value can know
    outside: list[str] = []
    kept: list[str] = []
    for piece in split_tags(text):
        if piece.kind == "text":
            outside.append(piece.text)
            continue
        inner = _fill_code(piece.text, fill) if piece.kind in {"code", "output"} else piece.text
        outside.append(mark)
        kept.append(f"{piece.opening}{inner}{piece.closing}")
    chunks = fill("".join(outside)).split(mark)
    chunks = [chunk.replace("<%", "<%%").replace("%>", "%%>") for chunk in chunks]
    if len(chunks) != len(kept) + 1:  # a macro took a tag away, and nobody knows which
        return "".join(chunks)
    joined = chunks[0]
    for tag, chunk in zip(kept, chunks[1:], strict=True):
        joined += f"{_SEPARATOR if joined.endswith('<') and tag.startswith('%') else ''}{tag}{chunk}"
    return joined


def _fill_code(code: str, fill: Fill) -> str:
    """Code with its macros expanded, each as it must be written where it stands."""
    found: list[str] = []
    place = 0
    lexer = _Lexer()
    ends = _macro_ends(code)
    while place < len(code):
        if end := ends.get(place):
            macro = code[place:end]
            value = fill(macro)
            found.append(macro if value == macro else _written(value, quoted=lexer.is_quoted))
            lexer.last = "x"
            place = end
            continue
        step = lexer.step(code, place)
        found.append(code[place : place + step])
        place += step
    return "".join(found)


def _macro_ends(code: str) -> dict[int, int]:
    """Where the macros end, by where they begin; each pair of braces once, so that no text takes longer than its length."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for braces in _BRACES.finditer(code):
        if braces[0] == "{{":
            opened.append(braces.start())
        elif opened:
            found[opened.pop()] = braces.end()
    return found


def _written(value: str, *, quoted: bool) -> str:
    if quoted:
        return "".join(_ESCAPED.get(letter, letter) for letter in value)
    if not value or _BARE.fullmatch(value) or value.isidentifier():
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = value
    text = json.dumps(parsed if isinstance(parsed, dict | list) else value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


class _Lexer:
    """Knows, while it goes through code, whether it is in a string, a template, a comment or a regular expression.

    last: the last letter of the code that means something, which tells a division from a regular expression.
    """

    def __init__(self) -> None:
        self.last = ""
        self._inside: list[str] = []
        """What is open, outermost first: a quote, `/`, `[` (a class in a regular expression), `//`, `/*`, `{`."""

    @property
    def is_quoted(self) -> bool:
        """Whether the place is no code."""
        return bool(self._inside) and self._inside[-1] != "{"

    def step(self, code: str, place: int) -> int:
        """Go on; how many letters that took."""
        letter = code[place]
        if not self.is_quoted:
            return self._step_in_code(code, place, letter)
        top = self._inside[-1]
        if letter == "\\" and top not in {"//", "/*"}:
            return 2
        if top == "//":
            if letter in "\n\r\u2028\u2029":
                self._inside.pop()
        elif top == "/*":
            if code.startswith("*/", place):
                self._inside.pop()
                return 2
        elif top == "`" and code.startswith("${", place):
            self._inside.append("{")
            self.last = "{"
            return 2
        elif top == "/" and letter == "[":
            self._inside.append("[")
        elif letter == {"[": "]"}.get(top, top):
            self._inside.pop()
            self.last = letter
        return 1

    def _step_in_code(self, code: str, place: int, letter: str) -> int:
        if code.startswith(("//", "/*"), place):
            self._inside.append(code[place : place + 2])
            return 2
        if letter in "'\"`" or (letter == "/" and (not self.last or self.last in _BEFORE_REGEX)) or letter == "{":
            self._inside.append(letter)
        elif letter == "}" and self._inside:
            self._inside.pop()
        if not letter.isspace():
            self.last = letter
        return 1
