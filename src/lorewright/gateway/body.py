"""The body of a request as bytes: its outermost members are found and exchanged, and nothing else is touched.

A body is not parsed for this: it may be 30 MB of images, and whoever parses it holds up every stream meanwhile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from lorewright.errors import FormatError

__all__ = ["Member", "replace_members", "scan_members"]

_SPACE: Final = b" \t\r\n"
_NO_SPACE: Final = re.compile(rb"[^ \t\r\n]")
_OUTER: Final = re.compile(rb'["{}\[\],]')
_TEXT: Final = rb'"(?:[^"]*+(?<!\\)"|[^"\\]*+(?:\\.[^"\\]*+)*+")'
"""A text; first as one whose first inner quotation mark is its end, which is found several times as fast."""
_FLAT: Final = rb'[^"{}\[\]]*+(?:%b[^"{}\[\]]*+)*+' % _TEXT
_INNER: Final = re.compile(rb"%b(?:[\[{]%b[\]}]%b)*+" % (_FLAT, _FLAT, _FLAT), re.DOTALL)
"""What changes no depth: anything but brackets, texts, and brackets with only such things between them."""
_WINDOW_BYTES: Final = 64 * 1024
"""How far one search goes. No other thread runs meanwhile."""
_MOST_MEMBERS: Final = 1000


class Member(NamedTuple):
    """One member of the outermost object; its value is `body[start:end]`."""

    name: str
    start: int
    end: int

    def value(self, body: bytes) -> Any:
        """The value as Python has it.

        Raises:
            FormatError: it is no JSON.
        """
        try:
            return json.loads(body[self.start : self.end])
        except (ValueError, RecursionError):
            raise FormatError(f"The body is no JSON: the value of `{self.name:.60}` cannot be read.") from None


def scan_members(body: bytes) -> list[Member]:
    """The members in their order; a name that stands there twice is there twice.

    What is inside of values is only looked through for its brackets and strings: the upstream reads it anyway.

    Raises:
        FormatError: the body is no JSON object in UTF-8.
    """
    first = _next(body, 0)
    if body[first : first + 1] != b"{":
        raise FormatError("The body is no JSON object in UTF-8; one that begins with `{` is wanted.")
    members: list[Member] = []
    position = _next(body, first + 1)
    if body[position : position + 1] == b"}":
        _check_end(body, position)
        return members
    while True:
        name, start = _read_name(body, position)
        stop = _end_of_value(body, start)
        end = stop
        while body[end - 1] in _SPACE:
            end -= 1
        if end <= start:
            raise FormatError(f"The body is no JSON: `{name:.60}` has no value.")
        members.append(Member(name, start, end))
        if len(members) > _MOST_MEMBERS:
            raise FormatError(f"The body has more than {_MOST_MEMBERS:,} members.")
        if body[stop] == ord("}"):
            _check_end(body, stop)
            return members
        position = _next(body, stop + 1)


def replace_members(body: bytes, members: list[Member], values: Mapping[str, object]) -> bytes:
    """The body with other values for some members, each wherever its name stands; one that is not there comes first."""
    written = {name: json.dumps(value, separators=(",", ":")).encode() for name, value in values.items()}
    pieces: list[bytes] = []
    known = {member.name for member in members}
    position = _next(body, 0) + 1
    pieces.append(body[:position])
    fresh = [b"%b:%b" % (json.dumps(name).encode(), value) for name, value in written.items() if name not in known]
    if fresh:
        pieces.append(b",".join(fresh) + (b"," if members else b""))
    for member in members:
        if member.name in written:
            pieces += (body[position : member.start], written[member.name])
            position = member.end
    pieces.append(body[position:])
    return b"".join(pieces)


def _next(body: bytes, position: int) -> int:
    """Where the next byte is that is no white space; the end if there is none."""
    found = _NO_SPACE.search(body, position)
    return found.start() if found else len(body)


def _check_end(body: bytes, last: int) -> None:
    if _next(body, last + 1) != len(body):
        raise FormatError("The body is no JSON: there is more behind the object.")


def _read_name(body: bytes, position: int) -> tuple[str, int]:
    """The name of a member, and where its value begins."""
    if body[position : position + 1] != b'"':
        raise FormatError(f"The body is no JSON: the name of a member is wanted at byte {position}.")
    end = _end_of_text(body, position)
    try:
        name = json.loads(body[position:end])
    except ValueError:
        raise FormatError(f"The body is no JSON: the name at byte {position} cannot be read.") from None
    colon = _next(body, end)
    if body[colon : colon + 1] != b":":
        raise FormatError(f"The body is no JSON: a colon is wanted at byte {colon}.")
    return name, _next(body, colon + 1)


def _end_of_value(body: bytes, position: int) -> int:
    """Where the comma or bracket stands that ends a value of the outermost object."""
    while found := _OUTER.search(body, position):
        sign, position = found[0], found.end()
        if sign == b'"':
            position = _end_of_text(body, found.start())
        elif sign in b"{[":
            position = _end_of_container(body, position)
        elif sign == b"]":
            break
        else:
            return found.start()
    raise FormatError("The body is no JSON: its brackets do not close.")


def _end_of_container(body: bytes, position: int) -> int:
    """Where an object or a list ends whose bracket stands before this place; behind its last one."""
    depth = 1
    while depth:
        skipped = _INNER.match(body, position, position + _WINDOW_BYTES)
        assert skipped is not None  # it may be empty
        position = skipped.end()
        sign = body[position : position + 1]
        if sign == b'"':  # longer than the window
            position = _end_of_text(body, position)
        elif not sign:
            raise FormatError("The body is no JSON: its brackets do not close.")
        elif sign in b"{[":
            depth, position = depth + 1, position + 1
        elif sign in b"}]":
            depth, position = depth - 1, position + 1
    return position


def _end_of_text(body: bytes, start: int) -> int:
    """Where a text ends that begins at a quotation mark; behind its last one."""
    position = start + 1
    while (end := body.find(b'"', position)) >= 0:
        before = end - 1
        while body[before] == ord("\\"):
            before -= 1
        if (end - before) % 2:  # an even number of backslashes: none of them is for this mark
            return end + 1
        position = end + 1
    raise FormatError(f"The body is no JSON: the text at byte {start} has no end.")
