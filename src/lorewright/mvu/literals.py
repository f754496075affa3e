"""`['a', {b: 1,}]` as the value of an argument: the program runs it as program text, we read it (spec mvu-vars §4.3).

Lists and objects of texts, numbers and constants, with bare names, trailing commas, gaps and comments. What would have
to be computed (calls, operators, templates with `${`) is no literal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from lorewright.core.javascript import number_text
from lorewright.mvu.values import UNDEFINED, Json, tidy

__all__ = ["NotALiteral", "read_literal"]

_DEEPEST: Final = 64
_TOKEN: Final = re.compile(
    r"""(?P<blank>[\s\ufeff]++|//[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/)
    |(?P<text>"(?:[^"\\\n\r]|\\[\s\S])*+"|'(?:[^'\\\n\r]|\\[\s\S])*+'|`(?:[^`\\$]|\$(?!\{)|\\[\s\S])*+`)
    |(?P<number>0[xX][0-9a-fA-F]++|0[bB][01]++|0[oO][0-7]++|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)(?![\w$.])
    |(?P<name>[^\W\d][\w$]*+|\$[\w$]*+)
    |(?P<mark>[\[\]{},:+-])""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])")
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LINE_BREAKS: Final = frozenset({"\n", "\r", "\r\n", "\u2028", "\u2029"})
_CONSTANTS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": UNDEFINED,
    "NaN": math.nan,
    "Infinity": math.inf,
}
_LARGEST_CODE: Final = 0x10FFFF


class NotALiteral(ValueError):
    """The text is no literal of a list or an object."""


class _Token(NamedTuple):
    kind: str
    text: str


_END: Final = _Token("end", "")


def read_literal(text: str) -> Json:
    """The list or object that the whole text stands for.

    Raises:
        NotALiteral: it is none, or nested too deep.
    """
    reader = _Reader(list(_tokens(text)))
    value = reader.value(0)
    if reader.next() != _END or not isinstance(value, (list, dict)):
        raise NotALiteral
    return value


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotALiteral
        at = found.end()
        if found.lastgroup != "blank":
            yield _Token(found.lastgroup or "", found[0])


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def next(self) -> _Token:
        token = self.peek()
        self.at += 1
        return token

    def peek(self) -> _Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def value(self, depth: int) -> Json:
        token = self.next()
        match token.kind, token.text:
            case "text", text:
                return _unescape(text[1:-1])
            case "number", text:
                return _number(text)
            case "name", name if name in _CONSTANTS:
                return _CONSTANTS[name]
            case "mark", "+" | "-" as sign:
                return self._signed(sign)
            case "mark", "[" if depth < _DEEPEST:
                return list(self._items(depth + 1))
            case "mark", "{" if depth < _DEEPEST:
                return dict(self._members(depth + 1))
        raise NotALiteral

    def _signed(self, sign: str) -> float:
        token = self.next()
        if token.kind == "number":
            value = _number(token.text)
        elif token.text == "Infinity":
            value = math.inf
        else:
            raise NotALiteral
        return tidy(-value) if sign == "-" else value

    def _items(self, depth: int) -> Iterator[Json]:
        """The items of a list; a gap is null, as it is once the list is saved."""
        while self.peek().text != "]":
            if self.peek().text == ",":
                self.at += 1
                yield None
                continue
            yield self.value(depth)
            if self.peek().text != "]":
                self._needs(",")
        self._needs("]")

    def _members(self, depth: int) -> Iterator[tuple[str, Json]]:
        while self.peek().text != "}":
            token = self.next()
            if token.kind == "text" and token.text[0] != "`":
                name = _unescape(token.text[1:-1])
            elif token.kind == "name":
                name = token.text
            elif token.kind == "number":
                name = number_text(_number(token.text))
            else:
                raise NotALiteral
            self._needs(":")
            yield name, self.value(depth)
            if self.peek().text != "}":
                self._needs(",")
        self._needs("}")

    def _needs(self, mark: str) -> None:
        if self.next().text != mark:
            raise NotALiteral


def _number(text: str) -> float:
    if text[:2].lower() in {"0x", "0b", "0o"}:
        return tidy(int(text, 0))
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        raise NotALiteral  # octal to old JavaScript, an error to the new one
    return tidy(float(text))


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    halves = _ESCAPE.sub(_escape, text).encode("utf-16-le", "surrogatepass")
    return halves.decode("utf-16-le", "surrogatepass")


def _escape(found: re.Match[str]) -> str:
    sign = found[1]
    if sign[0] in "ux" and len(sign) > 1:
        code = int(sign[1:].strip("{}"), 16)
        if code > _LARGEST_CODE:
            raise NotALiteral
        return chr(code)
    if sign in {"u", "x"}:
        raise NotALiteral
    return "" if sign in _LINE_BREAKS else _LETTERS.get(sign, sign)
