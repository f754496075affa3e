"""Sets of code points as sorted ranges."""

from __future__ import annotations

from bisect import bisect_right
from typing import TypeAlias

__all__ = ["Ranges", "is_in", "read_ranges"]

Ranges: TypeAlias = tuple[list[int], list[int]]
"""Where the ranges begin, and where they end (the last member)."""


def read_ranges(text: str) -> Ranges:
    """Ranges written in hexadecimal, as in `41-5A 5F`."""
    pairs = [item.partition("-") for item in text.split()]
    return [int(low, 16) for low, _, _ in pairs], [int(high or low, 16) for low, _, high in pairs]


def is_in(ranges: Ranges, char: str) -> bool:
    """Whether a character is in one of the ranges."""
    code = ord(char)
    at = bisect_right(ranges[0], code) - 1
    return at >= 0 and code <= ranges[1][at]
