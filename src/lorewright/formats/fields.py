"""JSON values to fields of the model and back, without loss.

A reader of a field gives the value when it has the right type, None for null, and `Odd` for anything else. Lists of
texts are the exception: their items become texts as JavaScript would print them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lorewright.core.javascript import truthy, value_as_text
from lorewright.core.model import Odd

__all__ = [
    "NAMESPACE",
    "READY",
    "FieldReader",
    "FieldWriter",
    "is_exact",
    "read_flag",
    "read_integer",
    "read_keys",
    "read_level",
    "read_number",
    "read_opposite",
    "read_text",
    "read_texts",
    "write_opposite",
    "write_plain",
    "write_texts",
]

FieldReader = Callable[[object], Any]
FieldWriter = Callable[[object], object]

NAMESPACE: Final = "lorewright"
"""Our name in the `extensions` of other formats."""

_DOUBLE_BITS = 1023


def read_flag(value: object) -> Any:
    return value if value is True or value is False or value is None else Odd(value)


def read_opposite(value: object) -> Any:
    """A flag that says the opposite of the model's: `disable` for `enabled`."""
    if value is True or value is False:
        return not value
    return None if value is None else Odd(value)


def read_text(value: object) -> Any:
    return value if type(value) is str or value is None else Odd(value)


def read_number(value: object) -> Any:
    """An int or a float as it stands. An integer beyond the range of a double is odd: nothing can be computed with it."""
    if type(value) is int:
        return value if value.bit_length() <= _DOUBLE_BITS else Odd(value)
    return value if type(value) is float or value is None else Odd(value)


def read_integer(value: object) -> Any:
    if type(value) is int and value.bit_length() <= _DOUBLE_BITS:
        return value
    return None if value is None else Odd(value)


def read_level(value: object) -> Any:
    """A number, or true or false in its place."""
    return value if value is True or value is False else read_number(value)


def read_texts(value: object) -> Any:
    """A list of texts; other items as texts (`1` as "1", null as "null")."""
    if type(value) is not list:
        return None if value is None else Odd(value)
    return tuple(item if type(item) is str else value_as_text(item) for item in value)


def read_keys(value: object) -> Any:
    """A list of keys: as `read_texts`, but null, false and 0 are keys that never match, so they become empty texts
    (spec world-info §4.1)."""
    if type(value) is not list:
        return None if value is None else Odd(value)
    for item in value:
        if type(item) is not str:
            return tuple(value_as_text(item) if truthy(item) else "" for item in value)
    return tuple(value)


_NULL: Final = type(None)
READY: Final[Mapping[FieldReader, frozenset[type]]] = {
    read_flag: frozenset({bool, _NULL}),
    read_text: frozenset({str, _NULL}),
    read_number: frozenset({float, _NULL}),
    read_integer: frozenset({_NULL}),
    read_level: frozenset({bool, float, _NULL}),
}
"""Types of values that a reader gives back as they stand; a reader of many entries need not call it for them."""


def write_plain(field: object) -> object:
    return field.value if isinstance(field, Odd) else field


def write_opposite(field: object) -> object:
    return not field if isinstance(field, bool) else write_plain(field)


def write_texts(field: object) -> object:
    return list(field) if isinstance(field, tuple) else write_plain(field)


def is_exact(left: object, right: object) -> bool:
    """Whether two JSON values are the same to the last detail: types of numbers and the order of names too."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(is_exact(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_exact, left, right))
    return left == right
