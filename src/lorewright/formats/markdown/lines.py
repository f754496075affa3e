"""Lines of a Markdown lorebook: code fences, headings, and the backslash that makes a line plain text.

A fence that is never closed is no fence: it would hide all entries after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lorewright.formats.markdown.fields import match_known_field

__all__ = ["Fences", "escape_text", "find_fences", "heading_level", "is_blank", "unescape_text"]

_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL)
_HEADING: Final = re.compile(r"(#+)(?=[ \t\r]|\Z)")
_MARKS: Final = frozenset("#-*+`~\\ ")
"""How a line begins that can mean more than its text."""
_BLANK: Final = " \t\r"


def is_blank(line: str) -> bool:
    return not line.strip(_BLANK)


def heading_level(line: str) -> int:
    """The number of `#` of a heading line, else 0."""
    if line[:1] != "#":
        return 0
    found = _HEADING.match(line)
    return len(found[1]) if found else 0


@dataclass(frozen=True, slots=True)
class Fences:
    """For each line whether it is in a code block (its fences included), and the lines of fences never closed."""

    inside: bytearray
    unclosed: tuple[int, ...]


def find_fences(lines: list[str]) -> Fences:
    marks = [(at, found) for at, line in enumerate(lines) if (found := _match_fence(line))]
    longest_close: list[dict[str, int]] = [{}]
    """From the last mark to the first: the longest fence from there on that could close one, by its character."""
    for _, found in reversed(marks):
        longest = dict(longest_close[-1])
        if is_blank(found["rest"]):
            mark = found["mark"]
            longest[mark[0]] = max(longest.get(mark[0], 0), len(mark))
        longest_close.append(longest)
    longest_close.reverse()
    inside, unclosed = bytearray(len(lines)), []
    opened: tuple[int, str] | None = None
    for number, (at, found) in enumerate(marks):
        mark = found["mark"]
        if opened is None:
            if mark[0] == "`" and "`" in found["rest"]:
                continue
            if longest_close[number + 1].get(mark[0], 0) >= len(mark):
                opened = at, mark
            else:
                unclosed.append(at)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and is_blank(found["rest"]):
            inside[opened[0] : at + 1] = b"\1" * (at + 1 - opened[0])
            opened = None
    return Fences(inside, tuple(unclosed))


def _match_fence(line: str) -> re.Match[str] | None:
    return _FENCE.fullmatch(line) if line[:4].lstrip(" ")[:1] in {"`", "~"} else None


def unescape_text(lines: list[str], inside: bytearray) -> str:
    """The text of lines of a file, without the blank lines around it and the backslashes of `escape_text`."""
    first, end = 0, len(lines)
    while first < end and is_blank(lines[first]):
        first += 1
    while end > first and is_blank(lines[end - 1]):
        end -= 1
    kept = lines[first:end]
    for at, line in enumerate(kept):
        if line[:1] == "\\" and not inside[first + at]:
            rest = line.lstrip("\\")
            if _is_special(rest) or (at in {0, len(kept) - 1} and is_blank(rest)):
                kept[at] = line[1:]
    return "\n".join(kept)


def escape_text(text: str, entry_level: int) -> str:
    """A text as it must stand in the file, so that nothing in it is a heading, a field, or half a code block."""
    if not text:
        return ""
    lines = text.split("\n")
    inside = find_fences(lines).inside
    for at, line in enumerate(lines):
        if inside[at] or (line[:1] not in _MARKS and 0 < at < len(lines) - 1):
            continue
        rest = line.lstrip("\\")
        if is_blank(rest):
            is_needed = at in {0, len(lines) - 1}
        else:
            is_needed = _is_special(rest) and (
                line[0] == "\\" or heading_level(line) == 0 or heading_level(line) <= entry_level
            )
        if is_needed:
            lines[at] = "\\" + line
    return "\n".join(lines)


def _is_special(line: str) -> bool:
    """Whether a line can mean more than its text."""
    return heading_level(line) > 0 or _match_fence(line) is not None or match_known_field(line) is not None
