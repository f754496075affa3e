"""The YAML that `emit_yaml` writes -> its value, line by line: many times faster than reading all of YAML.

Whatever is not exactly of that form (a comment, another indent, an unusual escape) gives None, and the whole text is
then read by the YAML parser. A test compares the two.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

from lorewright.formats import limits
from lorewright.formats.native.scalars import resolve

__all__ = ["read_lines"]

_QUOTED: Final = r'"(?:[^"\\\n]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"'
_WORD: Final = r"[\w/.+-](?:[^\n\t:#,\[\]{}]*[^\s:#,\[\]{}])?"
_SCALAR: Final = rf"(?:{_QUOTED}|{_WORD})"
_FIELD: Final = re.compile(
    rf"(?P<name>{_QUOTED}|[^\W\d]\w*):(?: (?:(?P<scalar>{_SCALAR})|(?P<items>\[[^\n]*\])|(?P<empty>\{{\}})|"
    r"(?P<block>\|2?-?)))?"
)
_ITEMS: Final = re.compile(rf"(?P<item>{_SCALAR})(?:, |(?=\]$))")
_UNSAFE: Final = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_DEPTH: Final = 30
_LONGEST: Final = 1000
_LASTING: Final = frozenset({bool, int, type(None)})


class _Unusual(Exception):
    """The text is not of the form that is read here."""


def read_lines(text: str) -> Any:
    """The value of a text that looks as we write it, or None. The limits of size are those of JSON (spec formats §6)."""
    if len(text) > limits.JSON_CHARACTERS or text.count("\n") + text.count(", ") > limits.JSON_NODES:
        return None
    if not text.endswith("\n") or _UNSAFE.search(text):
        return None
    try:
        reader = _Lines(text[:-1].split("\n"))
        value = reader.mapping(0, 0)
    except (_Unusual, ValueError):
        return None
    return value if value and reader.at == reader.end else None


def _scalar(word: str) -> object:
    if word[0] == '"':
        return json.loads(word)
    if word[0] in "-+." and not word[1:2].isdigit() and word[1:2] not in {".", "i"}:
        raise _Unusual
    return resolve(word)


class _Lines:
    def __init__(self, lines: list[str]) -> None:
        self.lines = [*lines, ""]
        self.end = len(lines)
        self.at = 0
        self.known: dict[int, dict[str, tuple[str, object]]] = {}
        """Fields of flags, numbers and empty texts by their indent and their line, which stands in many entries."""

    def peek(self) -> str:
        """The next line that is not empty, or ""."""
        lines = self.lines
        while not lines[self.at]:
            if self.at == self.end:
                return ""
            self.at += 1
        return lines[self.at]

    def mapping(self, indent: int, depth: int, first: str = "") -> dict[str, object]:
        """Fields with this indent. `first` is one that stood behind a dash; its line is already taken."""
        if depth > _DEPTH:
            raise _Unusual
        made: dict[str, object] = {}
        all_known = self.known.setdefault(indent, {})
        while True:
            line, whole = first, ""
            if not line:
                whole = self.lines[self.at] or self.peek()
                if (known := all_known.get(whole)) is not None:
                    if known[0] in made:
                        raise _Unusual
                    made[known[0]] = known[1]
                    self.at += 1
                    continue
                line = whole[indent:]
                if not line or whole[:indent].strip(" ") or line[0] == " ":
                    break
                self.at += 1
            first = ""
            found = _FIELD.fullmatch(line)
            if found is None or len(found["name"]) > _LONGEST:
                raise _Unusual
            name = found["name"]
            name = sys.intern(json.loads(name) if name[0] == '"' else name)
            if name in made:
                raise _Unusual
            value = made[name] = self.value(found, indent, depth)
            if whole and found["scalar"] and (type(value) in _LASTING or not value):
                all_known[whole] = name, value
        return made

    def value(self, found: re.Match[str], indent: int, depth: int) -> object:
        if found["scalar"]:
            return _scalar(found["scalar"])
        if found["items"]:
            return _items(found["items"])
        if found["empty"]:
            return {}
        if found["block"]:
            return self.block(found["block"], indent + 2)
        following = self.peek()
        inner = len(following) - len(following.lstrip(" "))
        if inner != indent + 2:
            raise _Unusual
        if following[inner:].startswith("- "):
            return self.listed(inner, depth + 1)
        return self.mapping(inner, depth + 1)

    def listed(self, indent: int, depth: int) -> list[object]:
        made: list[object] = []
        start = " " * indent + "- "
        while (line := self.peek()).startswith(start):
            self.at += 1
            rest = line[indent + 2 :]
            if rest and _FIELD.fullmatch(rest):
                made.append(self.mapping(indent + 2, depth + 1, rest))
            elif re.fullmatch(_SCALAR, rest):
                made.append(_scalar(rest))
            elif rest in {"[]", "{}"}:
                made.append([] if rest == "[]" else {})
            else:
                raise _Unusual
        return made

    def block(self, sign: str, indent: int) -> str:
        pad = " " * indent
        start = self.at
        while self.at < self.end and (not self.lines[self.at] or self.lines[self.at].startswith(pad)):
            self.at += 1
        taken = self.lines[start : self.at]
        while taken and not taken[-1]:
            taken.pop()
        if not taken or not taken[0] or any(line and not line.strip(" ") for line in taken):
            raise _Unusual
        if taken[0][indent : indent + 1] == " " and "2" not in sign:
            raise _Unusual
        return "\n".join(line[indent:] for line in taken) + ("" if sign.endswith("-") else "\n")


def _items(text: str) -> list[object]:
    made: list[object] = []
    at = 1
    while at < len(text) - 1:
        found = _ITEMS.match(text, at)
        if found is None:
            raise _Unusual
        made.append(_scalar(found["item"]))
        at = found.end()
    return made
