"""RisuAI's stable numbers: the same counter and word always give the same one (README of the recorded cases)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["SEEDS", "stable_value"]

_LOW: Final = 0xFFFFFFFF
_START: Final = 5515
_SKIPS: Final = 1000
SEEDS: Final = 4
"""So often every letter of a word is gone through."""


def stable_value(counter: int, word: str) -> float:
    """A number in [0, 1) that depends on a count and a word only: four hashes of the word start the sfc32 generator,
    whose first numbers are skipped."""
    return _value(counter % _SKIPS, word)


@lru_cache(maxsize=1024)
def _value(skips: int, word: str) -> float:
    a, b, c, d = _seeds(word)
    mixed = 0
    for _ in range(skips + 1):
        mixed = (a + b + d) & _LOW
        d = (d + 1) & _LOW
        a = b ^ b >> 9
        b = (c + (c << 3)) & _LOW
        c = ((c << 21 | c >> 11) + mixed) & _LOW
    return mixed / 2**32


@lru_cache(maxsize=64)
def _seeds(word: str) -> tuple[int, ...]:
    units = tuple(memoryview(word.encode("utf-16-le", "surrogatepass")).cast("H"))
    held = _START
    seeds = []
    for _ in range(SEEDS):
        for unit in units:
            held += _signed(held << 5) + unit
        seeds.append(held & _LOW)
    return tuple(seeds)


def _signed(value: int) -> int:
    value &= _LOW
    return value - 2**32 if value >= 2**31 else value
