"""The two building blocks of SillyTavern's `pick`: a 53-bit text hash and a seeded generator.

Both are known by their published algorithms (cyrb53; ARC4 as the npm package `seedrandom` 3 uses it) and checked
against the recorded vectors in cases/macros/string-hash.json and seedrandom.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

__all__ = ["SeededRandom", "kept_hash", "seeded_number", "text_hash", "utf16_length", "utf16_units"]

_LOW: Final = 0xFFFFFFFF
_ASTRAL: Final = 0x10000
_ROUND: Final = (*range(1, 256), 0)
"""The places that ARC4 visits while its first 256 bytes are dropped."""


def utf16_units(text: str) -> Iterator[int]:
    """The UTF-16 code units of a text, lone surrogates included."""
    data = text.encode("utf-16-le", "surrogatepass")
    return iter(memoryview(data).cast("H"))


def utf16_length(text: str) -> int:
    """The length JavaScript gives a text: characters outside the basic plane count twice."""
    return len(text) if text.isascii() else len(text) + sum(ord(letter) >= _ASTRAL for letter in text)


def text_hash(text: object) -> int:
    """The 53-bit hash (cyrb53, seed 0) of a text's UTF-16 units; 0 for anything that is no text."""
    if not isinstance(text, str):
        return 0
    first, second = 0xDEADBEEF, 0x41C6CE57
    for unit in utf16_units(text):
        first = (first ^ unit) * 2654435761 & _LOW
        second = (second ^ unit) * 1597334677 & _LOW
    first = (first ^ first >> 16) * 2246822507 & _LOW ^ (second ^ second >> 13) * 3266489909 & _LOW
    second = (second ^ second >> 16) * 2246822507 & _LOW ^ (first ^ first >> 13) * 3266489909 & _LOW
    return (second & 0x1FFFFF) << 32 | first


@lru_cache(maxsize=256)
def kept_hash(text: str) -> int:
    """The hash of a text that is rendered again and again: a book's text costs its length once, not in every turn."""
    return text_hash(text)


@lru_cache(maxsize=16_384)
def seeded_number(seed: str, as_number: bool) -> tuple[int, float]:
    """The hash of a seed text, and the first number of the generator that it seeds, as decimal text or as a number.

    Both are kept: a `pick` has the same seed in every turn, and its generator costs as much as thirty macros.
    """
    hashed = text_hash(seed)
    return hashed, SeededRandom(hashed if as_number else str(hashed)).number()


class SeededRandom:
    """The ARC4 generator of `seedrandom(seed)`. A seed that is a number gets a zero character behind its digits.

    `number` gives the next double in [0, 1) with 52 bits or more of randomness.
    """

    def __init__(self, seed: str | int) -> None:
        text = seed if isinstance(seed, str) else f"{seed}\0"
        self._state = _schedule(_mixed(text) or [0])
        self._i, self._j = 0, _drop_first(self._state)

    def number(self) -> float:
        """The next double."""
        number, divisor, low = self._take(6), 1 << 48, 0
        while number < 1 << 52:
            number = (number + low) * 256
            divisor *= 256
            low = self._take(1)
        while number >= 1 << 53:
            number, divisor, low = number >> 1, divisor >> 1, low >> 1
        return (number + low) / divisor

    def _take(self, count: int) -> int:
        """The next `count` bytes as one number."""
        state, i, j, found = self._state, self._i, self._j, 0
        for _ in range(count):
            i = i + 1 & 255
            low = state[i]
            j = j + low & 255
            high = state[i] = state[j]
            state[j] = low
            found = found << 8 | state[low + high & 255]
        self._i, self._j = i, j
        return found


def _mixed(seed: str) -> list[int]:
    """A seed text of any length folded into a key of at most 256 bytes."""
    key: list[int] = []
    smear = 0
    for place, unit in enumerate(utf16_units(seed)):
        slot = place & 255
        if slot < len(key):
            smear ^= key[slot] * 19
            key[slot] = smear + unit & 255
        else:
            key.append(smear + unit & 255)
    return key


def _schedule(key: list[int]) -> list[int]:
    state = list(range(256))
    j = 0
    for i, unit in enumerate((key * (256 // len(key) + 1))[:256]):
        held = state[i]
        j = j + unit + held & 255
        state[i] = state[j]
        state[j] = held
    return state


def _drop_first(state: list[int]) -> int:
    """Go on for 256 bytes, as the first ones of ARC4 are too regular; the second index of the generator."""
    j = 0
    for i in _ROUND:
        held = state[i]
        j = j + held & 255
        state[i] = state[j]
        state[j] = held
    return j
