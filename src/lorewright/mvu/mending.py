"""JSON that a model broke, read all the same: missing commas, quotes and brackets, words of other languages (spec
mvu-vars §8).

A reader that goes on where a strict one stops. What it cannot make sense of is the end of the text.
"""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.javascript import WHITE_SPACE, trim
from lorewright.mvu.values import Json, tidy

__all__ = ["NotJson", "mend_json"]

_DEEPEST: Final = 64
_MOST_STEPS: Final = 400_000
_BLANK: Final = re.compile(r"(?:[\s\ufeff]++|//[^\n]*+)*+")
_QUOTES: Final = {'"': '"', "'": "'", "`": "`", "“": "“”", "”": "“”", "‘": "‘’", "’": "‘’"}
"""A quote that begins a text, and those that may end it."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s,:\]}/]|\Z)", re.ASCII)
_BARE: Final = re.compile(r"[^,:\[\]{}\n\"]+")
_CONSTANTS: Final = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
    "undefined": None,
}
_UNCLOSED: Final = re.compile(r"(?:[^,\]}\n]|,(?!\s*[\]}]))*")
_CALL: Final = re.compile(r"[A-Za-z_$][\w$]*\(")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNICODE: Final = re.compile(r"[0-9a-fA-F]{4}")


class NotJson(ValueError):
    """The text is nothing that could be JSON."""


def mend_json(text: str) -> Json:
    """The value that a broken JSON text was meant to be.

    Raises:
        NotJson: it is nested too deep, a `\\u` is not followed by four hexadecimal digits, or so little is in order that
            it would take too long.
    """
    return _Reader(text).value(0)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.steps = 0

    def value(self, depth: int) -> Json:
        if depth > _DEEPEST:
            raise NotJson("nested too deep")
        sign = self._peek()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in _QUOTES:
            return self._quoted()
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            number = float(found[0])
            return tidy(number)
        if found := _CALL.match(self.text, self.at):  # as in `ISODate("2024-01-01")`
            self.at = found.end()
            value = self.value(depth + 1)
            self._skip(")")
            return value
        return self._bare()

    def _peek(self) -> str:
        found = _BLANK.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def _skip(self, *signs: str) -> bool:
        if (sign := self._peek()) and sign in signs:
            self.at += 1
            return True
        return False

    def _object(self, depth: int) -> dict[str, Json]:
        self.at += 1
        made: dict[str, Json] = {}
        while (sign := self._peek()) and sign not in "}]":
            if self._skip(",", ":"):
                continue
            name = self._quoted() if sign in _QUOTES else self._bare_key()
            self._skip(":")
            if not (behind := self._peek()) or behind in ",}]":
                made[name] = None
            else:
                made[name] = self.value(depth + 1)
        self._skip("}")
        return made

    def _list(self, depth: int) -> list[Json]:
        self.at += 1
        made: list[Json] = []
        while (sign := self._peek()) and sign not in "]}":
            if not self._skip(",", ":"):
                made.append(self.value(depth + 1))
        self._skip("]")
        return made

    def _bare_key(self) -> str:
        found = self._bare()
        return found if isinstance(found, str) else str(found)

    def _bare(self) -> Json:
        """Words without quotes, up to the next sign of JSON."""
        found = _BARE.match(self.text, self.at)
        if found is None:
            self.at += 1
            return ""
        self.at = found.end()
        text = found[0].strip(WHITE_SPACE)
        return _CONSTANTS.get(text, text)

    def _quoted(self) -> str:
        """A text in quotes. A quote inside of it is one of its letters if no sign of JSON follows it; if no other one
        ends the text, it ends there all the same, or before the next sign."""
        ends = _QUOTES[self.text[self.at]]
        begin = self.at + 1
        first_end, first = -1, ""
        made: list[str] = []
        self.at = begin
        while self.at < len(self.text):
            letter = self.text[self.at]
            self.at += 1
            self.steps += 1
            if letter == "\\":
                made.append(self._escape())
                continue
            if letter in ends:
                if self._ends_here():
                    return "".join(made)
                if first_end < 0:
                    first_end, first = self.at, "".join(made)
            made.append(letter)
        if self.steps > _MOST_STEPS:
            raise NotJson("too little of it is in order")
        if first_end >= 0:
            self.at = first_end
            return first
        found = _UNCLOSED.match(self.text, begin)
        assert found is not None
        self.at = found.end()
        return trim(found[0])

    def _ends_here(self) -> bool:
        found = _BLANK.match(self.text, self.at)
        assert found is not None
        behind = self.text[found.end() : found.end() + 1]
        begins_value = found.end() > self.at and (behind in _QUOTES or behind.isdigit())
        return not behind or behind in ",:]}" or begins_value or "\n" in found[0]

    def _escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        if letter != "u":
            return _ESCAPES.get(letter, letter)
        found = _UNICODE.match(self.text, self.at)
        if found is None:
            raise NotJson("`\\u` without four hexadecimal digits")
        self.at = found.end()
        return chr(int(found[0], 16))
