"""How a value is written: `repr`, also of what Python will not write."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["written"]

_DIGIT_BITS = 10_000
"""Integers up to here (3,011 digits) are written in decimal: Python refuses those of more than 4,300 digits."""


def written(value: object) -> str:
    """`repr(value)`; if an integer in it has more digits than Python writes, large integers are written in base 16.

    Two values of JSON that differ are written differently. What holds such an integer and is of another type is told by
    its identity only.
    """
    try:
        return repr(value)
    except ValueError:
        return _written(value)


def _written(value: object) -> str:
    if isinstance(value, int):
        return hex(value) if value.bit_length() > _DIGIT_BITS else repr(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{written(name)}: {written(item)}' for name, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))},)"
    return object.__repr__(value)
