"""Which letters JavaScript's regular expressions hold for the same when they ignore case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final

__all__ = ["same_letters", "same_letters_of"]


# Unicode 15.1 gave these a simple folding; the interpreter may be older.
_NEW_FOLDINGS: Final = {"\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb05": "\ufb06"}


def same_letters_of(char: str, unicode: bool) -> frozenset[str]:
    """The character and all others up to U+FFFF that are the same to JavaScript, with or without the flag `u`."""
    return same_letters(unicode).get(_canonical(char, unicode)) or frozenset({char})


@cache
def same_letters(unicode: bool) -> Mapping[str, frozenset[str]]:
    """By the character that JavaScript compares instead of them: all characters up to U+FFFF that have companions."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    # Between these ranges, no script has two cases.
    for char in map(chr, chain(range(0x2E80), range(0xA640, 0xAC00), range(0xFB00, 0x10000))):
        canonical = _canonical(char, unicode)
        if canonical != char:
            found[canonical].add(char)
    for canonical, chars in found.items():
        if _canonical(canonical, unicode) == canonical:
            chars.add(canonical)
    return {canonical: frozenset(chars) for canonical, chars in found.items()}


def _canonical(char: str, unicode: bool) -> str:
    """What JavaScript compares instead of a character: without the flag `u` its capital, with it its simple folding."""
    if unicode:
        folded = _NEW_FOLDINGS.get(char) or char.casefold()
        if len(folded) == 1:
            return folded
        # Of those that fold to several characters, some have a simple folding besides, which is their small letter.
        lower = char.lower()
        return lower if len(lower) == 1 else char
    upper = char.upper()
    return char if len(upper) != 1 or (char >= "\x80" and upper < "\x80") else upper
