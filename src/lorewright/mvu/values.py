"""Values of a tree: those of JSON, and `undefined`, which a member may hold until the tree is saved (spec mvu-vars §1).

Trees are never changed in place: every function gives a new value that shares what stayed the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from lorewright.core.javascript import number, value_as_text
from lorewright.templates.variables import json_text

__all__ = [
    "FORBIDDEN",
    "MISSING",
    "UNDEFINED",
    "Json",
    "Measure",
    "deep_equal",
    "described",
    "forbidden_in",
    "is_number",
    "key_text",
    "measure",
    "saved",
    "shown",
    "tidy",
    "to_number",
]

Json: TypeAlias = Any
"""None, bool, int, float, str, list or dict of these, and `UNDEFINED`."""


class _Nothing(Enum):
    UNDEFINED = "undefined"
    MISSING = "missing"

    def __repr__(self) -> str:
        return self.name


UNDEFINED: Final = _Nothing.UNDEFINED
"""JavaScript's `undefined`: a value that nothing is left of when the tree is saved."""
MISSING: Final = _Nothing.MISSING
"""There is no such member."""

FORBIDDEN: Final = frozenset({"__proto__", "constructor", "prototype"})
"""Names that reach behind an object in JavaScript; no path, key or value of a card may hold one (§13.3)."""

_EXACT = 2**53
_PLAIN: Final = frozenset({str, int, bool, type(None)})
"""Types of values that are kept as they are."""
_FEW_BYTES = 8
"""What a number, a constant or a pair of brackets counts for."""


class Measure(NamedTuple):
    """How large a value is: about the bytes of its JSON text, its levels, and how many values it holds."""

    size: int
    depth: int
    nodes: int


def is_number(value: Json) -> bool:
    """Whether a value is a number to JavaScript; booleans are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def tidy(value: float) -> float:
    """A number as JavaScript holds it, whole ones as `int`: `5.0` is 5, integers beyond 2^53 are rounded."""
    try:
        double = float(value)
    except OverflowError:
        double = math.inf if value > 0 else -math.inf
    whole = math.isfinite(double) and double == int(double) and abs(double) < _EXACT
    return int(double) if whole else double


def to_number(value: Json) -> float:
    """`Number(value)`: a list counts by its text, an object is NaN."""
    found = number(value_as_text(value)) if isinstance(value, list) else number(value)
    return tidy(found)


def key_text(value: Json) -> str:
    """`String(value)`, as a value becomes a key."""
    return "undefined" if value is UNDEFINED else value_as_text(value)


def described(value: Json) -> bool:
    """Whether this is a value with its description: a list of two of which the second is a text (§1)."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], str)


def shown(value: Json) -> str:
    """`JSON.stringify(value)`, and the word for `undefined`."""
    return "undefined" if value is UNDEFINED else json_text(saved(value))


def saved(value: Json) -> Json:
    """The value as a chat file keeps it: NaN and infinities are null, undefined members are gone, undefined items
    are null. The value itself if that changes nothing."""
    if isinstance(value, dict):
        named = {
            name: new for name, item in value.items() if type(item) not in _PLAIN and (new := saved(item)) is not item
        }
        if not named:
            return value
        return {name: named.get(name, item) for name, item in value.items() if item is not UNDEFINED}
    if isinstance(value, list):
        placed = {
            at: new for at, item in enumerate(value) if type(item) not in _PLAIN and (new := saved(item)) is not item
        }
        return [placed.get(at, item) for at, item in enumerate(value)] if placed else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if value is UNDEFINED else value


def deep_equal(left: Json, right: Json) -> bool:
    """Whether two values are the same all the way down; NaN is the same as NaN, 1 is not true."""
    if left is right:
        return True
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(deep_equal(item, right[name]) for name, item in left.items())
        )
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(deep_equal, left, right))
    if is_number(left):
        return is_number(right) and bool(left == right or (math.isnan(left) and math.isnan(right)))
    return type(left) is type(right) and bool(left == right)


def measure(value: Json) -> Measure:
    """Walk the value level by level, however deep it is."""
    size = nodes = depth = 0
    level = [value]
    while level:
        depth += 1
        following: list[Json] = []
        for item in level:
            nodes += 1
            if isinstance(item, str):
                size += 2 + _bytes(item)
            else:
                size += _FEW_BYTES
                if isinstance(item, Mapping):
                    size += sum(4 + _bytes(name) for name in item)
                    following += item.values()
                elif isinstance(item, list):
                    following += item
        level = following
    return Measure(size, depth, nodes)


def forbidden_in(value: Json) -> str:
    """The first forbidden name among the keys of a value, empty if there is none."""
    level = [value]
    while level:
        following: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                if found := FORBIDDEN & item.keys():
                    return min(found)
                following += item.values()
            elif isinstance(item, list):
                following += item
        level = following
    return ""


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
