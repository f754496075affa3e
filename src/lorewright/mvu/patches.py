"""Blocks of JSON Patch in a reply, and the commands that their operations stand for (spec mvu-vars §2.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeGuard

from lorewright.errors import FormatError
from lorewright.mvu.documents import read_document
from lorewright.mvu.values import UNDEFINED, Json, shown

__all__ = [
    "OPERATIONS",
    "Block",
    "Operation",
    "Patch",
    "all_blocks",
    "find_blocks",
    "is_patch",
    "read_patch",
    "without_fence",
]

OPERATIONS: Final = ("replace", "delta", "insert", "add", "remove", "move")
"""What an operation of a patch may be called."""

_TAG: Final = re.compile(r"<(/?)(json_?patch)>", re.IGNORECASE)
_FENCE: Final = re.compile(r"\s*```[^\n]*\n?")
_FENCE_END: Final = re.compile(r"```\s*\Z")
_DIGITS: Final = re.compile(r"[0-9]+")
_OPERATION: Final = re.compile(r"\bop\b")


class Block(NamedTuple):
    """A block: where it begins and ends in the text, and what stands in it; `closed`: whether its own tag ends it."""

    start: int
    end: int
    content: str
    closed: bool = True


class Operation(NamedTuple):
    """One operation as a command: its name, the sources of its arguments, and the operation as JSON.

    names_nothing: it puts something into the tree without a place for it, and a name would have to be invented.
    """

    name: str
    arguments: tuple[Any, ...]
    text: str
    names_nothing: bool = False


class Patch(NamedTuple):
    """The commands of a block, and the operations that stand for none: each its name and the whole as JSON."""

    operations: tuple[Operation, ...]
    unknown: tuple[tuple[str, str], ...]


def find_blocks(text: str) -> Iterator[Block]:
    """The blocks between a tag and the next closing one of its name. A further opening tag begins anew."""
    return (block for block in all_blocks(text) if block.closed)


def all_blocks(text: str) -> Iterator[Block]:
    """As `find_blocks`, and what holds an operation and is closed by nothing up to the next opening tag or the end."""
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if opened is not None and _OPERATION.search(text, opened.end(), tag.start()):
                yield _block(text, opened, tag.start(), tag.start(), closed=False)
            opened = tag
        elif opened is not None and opened[2].lower() == tag[2].lower():
            yield _block(text, opened, tag.start(), tag.end(), closed=True)
            opened = None
    if opened is not None and _OPERATION.search(text, opened.end()):
        yield _block(text, opened, len(text), len(text), closed=False)


def _block(text: str, opened: re.Match[str], until: int, end: int, *, closed: bool) -> Block:
    return Block(opened.start(), end, without_fence(text[opened.end() : until]).strip(), closed)


def without_fence(content: str) -> str:
    """The content without the code fence around it, if there is one."""
    if found := _FENCE.match(content):
        content = content[found.end() :]
    return _FENCE_END.sub("", content)


def read_patch(content: str) -> Patch | None:
    """What stands in a block. None: it is no patch."""
    try:
        found = read_document(content).value
    except FormatError:
        return None
    if not is_patch(found):
        return None
    operations = tuple(operation for one in found if (operation := _operation(one)) is not None)
    return Patch(operations, tuple((str(one["op"]), shown(one)) for one in found if one["op"] not in OPERATIONS))


def is_patch(value: Json) -> TypeGuard[list[dict[str, Json]]]:
    """Whether this is a list of objects with `op` and `path`; of `move`, `to` may be the path."""
    return isinstance(value, list) and all(map(_is_operation, value))


def _is_operation(value: Json) -> bool:
    if not (isinstance(value, dict) and isinstance(value.get("op"), str)):
        return False
    if value["op"] == "move":
        return isinstance(value.get("from"), str) and isinstance(value.get("path", value.get("to")), str)
    return isinstance(value.get("path"), str)


def _operation(one: Mapping[str, Json]) -> Operation | None:
    path = _path(one.get("path", one.get("to")))
    value = shown(one["value"]) if "value" in one else UNDEFINED
    match one["op"]:
        case "replace":
            return Operation("set", (path, value), shown(one))
        case "delta":
            return Operation("add", (path, value), shown(one))
        case "insert" | "add":
            container, _, last = path.rpartition(".")
            key = last if _DIGITS.fullmatch(last) else f"'{last}'"
            return Operation("insert", (container, key if path else "'undefined'", value), shown(one), not path)
        case "remove":
            return Operation("delete", (path,), shown(one))
        case "move":
            return Operation("move", (_path(one["from"]), path), shown(one), not path)
    return None


def _path(pointer: str) -> str:
    """A JSON pointer as a path; `~0` and `~1` are not decoded, as the program does not either."""
    return pointer.removeprefix("/").replace("/", ".")
