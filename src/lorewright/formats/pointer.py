"""JSON pointers (RFC 6901): places in a parsed JSON value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorewright.core.model import ABSENT

__all__ = ["Path", "find_objects", "follow", "pointer"]

Path = tuple[str | int, ...]
"""Names and indexes from the root of a JSON value."""


def pointer(path: Path) -> str:
    """`("entries", 0, "a/b")` as `/entries/0/a~1b`; the root is the empty text."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def follow(value: Any, path: Path) -> Any:
    """What stands at the end of a path, or `ABSENT`."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def find_objects(root: object, wanted: Sequence[object]) -> dict[int, Path]:
    """Where objects (these, not equal ones) stand in a JSON value, by their index in `wanted`."""
    indexes = {id(one): index for index, one in enumerate(wanted)}
    found: dict[int, Path] = {}
    left: list[tuple[Path, object]] = [((), root)] if wanted else []
    while left:
        path, value = left.pop()
        if id(value) in indexes:
            found[indexes[id(value)]] = path
        if isinstance(value, dict):
            left += (((*path, name), inner) for name, inner in value.items() if isinstance(inner, (dict, list)))
        elif isinstance(value, list):
            left += (((*path, place), inner) for place, inner in enumerate(value) if isinstance(inner, (dict, list)))
    return found
