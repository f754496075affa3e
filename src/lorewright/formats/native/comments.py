"""The comments of a YAML text, and the values that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lorewright.formats.native.emit import Comments, Path
from lorewright.formats.native.tree import Node

__all__ = ["collect_comments", "last_end"]

_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Place:
    """A field or an item: from its name (or first character) to the end of its value."""

    path: Path
    start: int
    end: int
    node: Node


def last_end(node: Node, text: str) -> int:
    """Where the last character of a value stands; the parser counts the white space and comments behind it in."""
    if node.kind == "scalar":
        return node.end if node.flow else node.start + len(text[node.start : node.end].rstrip("\r\n "))
    return node.end if node.flow or not node.items else last_end(node.items[-1], text)


def _places(node: Node, path: Path, text: str) -> Iterator[_Place]:
    if node.kind == "scalar":
        return
    for index, item in enumerate(node.items):
        is_map = node.kind == "map"
        here: Path = (*path, str(node.keys[index].value) if is_map else index)
        start = node.keys[index].start if is_map else item.start
        yield _Place(here, start, last_end(item, text), item)
        yield from _places(item, here, text)


def _solid(node: Node, text: str) -> Iterator[tuple[int, int]]:
    """The spans of names and scalars, in which a `#` is no comment."""
    for key in node.keys:
        yield key.start, key.end
    if node.kind == "scalar":
        yield node.start, last_end(node, text)
    for item in node.items:
        yield from _solid(item, text)


def _find(root: Node, text: str) -> Iterator[re.Match[str]]:
    position = 0
    for start, end in (*sorted(_solid(root, text)), (len(text), len(text))):
        yield from _COMMENT.finditer(text, position, start) if start > position else ()
        if text[start : start + 1] in {"|", ">"}:
            first_line = text.find("\n", start, end)
            yield from _COMMENT.finditer(text, start, first_line if first_line >= 0 else end)
        position = max(position, end)


def collect_comments(root: Node, text: str) -> Comments:
    """Every comment of the text. One on a line of its own belongs to what follows, one beside a value to that value."""
    places = sorted(_places(root, (), text), key=lambda place: (place.start, len(place.path)))
    above: dict[Path, tuple[str, ...]] = {}
    beside: dict[Path, str] = {}
    end: tuple[str, ...] = ()
    following = 0
    for found in _find(root, text):
        at, comment = found.start(), found[0].rstrip()
        while following < len(places) and places[following].start < at:
            following += 1
        line = text.rfind("\n", 0, at) + 1
        path = None if not text[line:at].strip() else _beside(places, following, line, at)
        if path is not None and path not in beside:
            beside[path] = comment
        elif following < len(places):
            path = places[following].path
            above[path] = (*above.get(path, ()), comment)
        else:
            end = (*end, comment)
    return Comments(above, beside, end)


def _beside(places: list[_Place], following: int, line: int, at: int) -> Path | None:
    """The widest value that begins and ends in this line; else the last one that begins in it, or ends in it."""
    last: Path | None = None
    whole: Path | None = None
    for index in range(following - 1, -1, -1):
        place = places[index]
        if place.start < line:
            return whole or last or (place.path if line <= place.end <= at else None)
        last = last or place.path
        is_one = place.node.kind == "scalar" or place.node.flow
        if place.end <= at and is_one and (whole is None or len(place.path) < len(whole)):
            whole = place.path
    return whole or last
