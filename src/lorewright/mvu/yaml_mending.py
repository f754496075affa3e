"""Slips of people who write YAML by hand, and what they meant: one step at a time, by what the reader complains of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final, TypeAlias

__all__ = ["mend_yaml"]

Mend: TypeAlias = Callable[[list[str], int, "re.Match[str]"], None]
"""Changes the lines; the place is that of the line that the reader stopped at."""

_IN_LINE: Final = re.compile(r"in line (\d+)\.$")
_TABS: Final = re.compile(r"^( *)\t+", re.MULTILINE)
_NAME: Final = r"\s*(?:- +)*[^\s:#]+: +"
_TWO_COLONS: Final = re.compile(rf"({_NAME})([^\s:#{{}}\[\],]+): +(.*)")
_RESERVED: Final = re.compile(rf"({_NAME}|\s*(?:- +)*)([@`%\]}}].*)")
_ITEM: Final = re.compile(rf"({_NAME})- +(.*)")
_QUOTED: Final = re.compile(rf"({_NAME})(?:([\"'])(.*)\2|(.*))")
_ESCAPE: Final = re.compile(r"\\(?![0abtnvfre \"/\\N_LPxuU])")
_BRACKET: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|[\[\]{}]")
_CLOSING: Final = {"[": "]", "{": "}"}


def mend_yaml(text: str, problem: str) -> str:
    """The text without the first slip in it, by the message of the reader; the text itself if nobody knows what is
    meant."""
    if "cannot start any token" in problem and (plain := _TABS.sub(r"\1", text)) != text:
        return plain
    lines = text.split("\n")
    line = _IN_LINE.search(problem)
    at = int(line[1]) - 1 if line else len(lines) - 1
    for pattern, mend in _SLIPS:
        if (found := pattern.search(problem)) and at < len(lines):
            mend(lines, at, found)
            break
    return "\n".join(lines)


def _close_quote(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A quote that is never closed takes all that follows."""
    del at, found
    text = "\n".join(lines)
    odd = [quote for quote in "\"'" if text.count(quote) % 2]
    if odd:
        lines[:] = [text.rstrip() + odd[0]]


def _close_bracket(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A bracket that is never closed ends with the text, or before a line that cannot be in it."""
    if found["end"]:
        opened: list[str] = []
        for bracket in _BRACKET.findall("\n".join(lines)):
            if bracket in _CLOSING:
                opened.append(bracket)
            elif len(bracket) == 1 and opened:
                opened.pop()
        if opened:
            lines[:] = ["\n".join(lines).rstrip() + f" {_CLOSING[opened[-1]]}"]
    elif at and found["closing"]:
        lines[at - 1] += found["closing"]


def _place(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A line that stands between two levels belongs to the outer one."""
    del found
    own = _indent(lines[at])
    outer = next(
        (indent for line in reversed(lines[:at]) if len(indent := _indent(line)) < len(own) and line.strip()), ""
    )
    lines[at] = outer + lines[at].lstrip(" ")


def _split(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A name behind a line that has no colon, a line that stands too far in, or two names in one line."""
    before = lines[at - 1] if at else ""
    if before.strip() and ":" not in before and "#" not in before:
        lines[at - 1] = f"{before.rstrip()}:"
    elif at and len(_indent(lines[at])) > len(_indent(before)):
        _place(lines, at, found)
    elif two := _TWO_COLONS.fullmatch(lines[at].rstrip()):
        lines[at] = f"{two[1]}{{{two[2]}: {_text(two[3])}}}"


def _name(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A line without a colon is a name without a value. The reader stops at it or behind it."""
    del found
    place = next((n for n in range(at, -1, -1) if lines[n].strip() and ":" not in lines[n]), None)
    if place is not None:
        lines[place] = f"{lines[place].rstrip()}:"


def _quote(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A value that begins with a sign that YAML keeps for itself, or goes on behind its closing quote, is a text."""
    del found
    if reserved := _RESERVED.fullmatch(lines[at].rstrip()):
        lines[at] = reserved[1] + _text(reserved[2])
    elif quoted := _QUOTED.fullmatch(lines[at].rstrip()):
        lines[at] = quoted[1] + _text(quoted[3] if quoted[2] else quoted[4])


def _list(lines: list[str], at: int, found: re.Match[str]) -> None:
    """An item in the line of its name."""
    del found
    if item := _ITEM.fullmatch(lines[at].rstrip()):
        lines[at] = f"{item[1]}[{item[2]}]"


def _escape(lines: list[str], at: int, found: re.Match[str]) -> None:
    """A backslash before a letter that needs none is itself."""
    del found
    lines[at] = _ESCAPE.sub(r"\\\\", lines[at])


_SLIPS: Final[tuple[tuple[re.Pattern[str], Mend], ...]] = tuple(
    (re.compile(pattern), mend)
    for pattern, mend in (
        ("unexpected end of stream", _close_quote),
        (r"expected ',' or '(?P<closing>[\]}])', but got (?:'<stream (?P<end>end)>')?", _close_bracket),
        (r"expected the node content, but found '<stream (?P<end>end)>'(?P<closing>)", _close_bracket),
        ("cannot start any token|expected the node content|expected <block end>, but found '<scalar>'", _quote),
        ("expected <block end>, but found '<block mapping start>'", _place),
        ("mapping values are not allowed", _split),
        ("could not find expected ':'", _name),
        ("sequence entries are not allowed", _list),
        ("unknown escape character", _escape),
    )
)
"""What the reader says, and what was meant."""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
