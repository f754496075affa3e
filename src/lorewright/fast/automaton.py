"""All occurrences of many strings in a text, in one pass.

`Automaton` runs on `ahocorasick_rs`, `PythonAutomaton` on nothing; both give the same occurrences. They compare
exactly: folding case is the caller's work.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Protocol

__all__ = ["Automaton", "Occurrences", "PythonAutomaton", "default_automaton"]


class Occurrences(Protocol):
    """What both automata do."""

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """Every occurrence of every pattern, overlapping ones too, as (place of the pattern, start, end).

        Positions are in code points. The order is not specified and differs between the implementations. A pattern
        that was given twice is found twice. A lone surrogate in the text is no part of any occurrence.
        """


# Measured with 1,000 texts of 238 characters, half of the patterns Chinese: up to 3,000 patterns a DFA takes less than
# 25 ms and 7 MiB to build and searches 1.1 to 1.6 times as fast as what `ahocorasick_rs` chooses itself (which is a
# DFA, too, up to 100). With 10,000 it takes 87 ms instead of 17 and is no faster on mixed text, with 100,000 1.7 s
# instead of 0.5 and 185 MiB, and half as fast: it no longer fits the processor's caches.
_MOST_PATTERNS_OF_A_DFA: Final = 3000

# Patterns `k0` … `k99999` take `ahocorasick_rs` 1.0.3 16 s to build, their mirror images 0.07 s: its time grows with the
# square of the patterns that begin alike. `0k` … `99999k` take 0.04 s.
_MANY_ALIKE: Final = 3000

_WINDOW: Final = 200_000
"""Characters that are searched at once. The search keeps the interpreter's lock; 10 million would take 70 ms."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REFUSED: Final = re.compile("[\ud800-\udfff\ufffd]")


class Automaton:
    """Over `ahocorasick_rs`: Aho-Corasick, in time proportional to the text and to what is found.

    Raises:
        ValueError: a pattern is empty or holds a lone surrogate or U+FFFD.
        ImportError: `ahocorasick_rs` is not installed.
    """

    __slots__ = ("_automaton", "_backwards", "_longest")

    def __init__(self, patterns: Sequence[str]) -> None:
        _check(patterns)
        rust = _ahocorasick()
        dense = rust.Implementation.DFA if len(patterns) <= _MOST_PATTERNS_OF_A_DFA else None
        self._backwards = _begin_more_alike_than_they_end(patterns)
        if self._backwards:
            patterns = [pattern[::-1] for pattern in patterns]
        self._longest = max(map(len, patterns), default=0)
        self._automaton = rust.AhoCorasick(patterns, implementation=dense, store_patterns=False)

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """See `Occurrences.find`."""
        if self._backwards:
            size = len(text)
            return [(place, size - end, size - start) for place, start, end in self._look_through(text[::-1])]
        return self._look_through(text)

    def _look_through(self, text: str) -> list[tuple[int, int, int]]:
        """Search window by window; each begins so far in front that it holds all of what ends in it."""
        if len(text) <= _WINDOW:
            return self._search(text)
        found: list[tuple[int, int, int]] = []
        step, before = max(_WINDOW, self._longest), max(0, self._longest - 1)
        for at in range(0, len(text), step):
            begin = max(0, at - before)
            inside = self._search(text[begin : at + step])
            found += [(place, start + begin, end + begin) for place, start, end in inside if end + begin > at]
        return found

    def _search(self, text: str) -> list[tuple[int, int, int]]:
        try:
            found: list[tuple[int, int, int]] = self._automaton.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:  # a text with lone surrogates is no UTF-8; U+FFFD is in no pattern
            whole = _LONE_SURROGATE.sub("\ufffd", text)
            found = self._automaton.find_matches_as_indexes(whole, overlapping=True)
        return found


class PythonAutomaton:
    """In Python alone: at each place the next two characters say which lengths of patterns to look up.

    Raises:
        ValueError: a pattern is empty or holds a lone surrogate or U+FFFD.
    """

    __slots__ = ("_lengths", "_places")

    def __init__(self, patterns: Sequence[str]) -> None:
        _check(patterns)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, pattern in enumerate(patterns):
            places[pattern].append(place)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for pattern in places:
            lengths[pattern[:2]].add(len(pattern))
        self._places: Final = dict(places)
        self._lengths: Final = {head: sorted(some) for head, some in lengths.items()}

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """See `Occurrences.find`."""
        found = []
        for start, char in enumerate(text):
            # A pattern of one character has itself for its head; at the end of the text both heads are the same.
            if char in self._lengths:
                found += [(place, start, start + 1) for place in self._places[char]]
            head = text[start : start + 2]
            if len(head) == 2 and head in self._lengths:
                for length in self._lengths[head]:
                    if start + length > len(text):
                        break
                    places = self._places.get(text[start : start + length], ())
                    found += [(place, start, start + length) for place in places]
        return found


def default_automaton(patterns: Sequence[str]) -> Occurrences:
    """The fastest automaton that is installed."""
    try:
        return Automaton(patterns)
    except ImportError:
        return PythonAutomaton(patterns)


def _begin_more_alike_than_they_end(patterns: Sequence[str]) -> bool:
    if len(patterns) <= _MANY_ALIKE:
        return False
    first = max(Counter(pattern[0] for pattern in patterns).values())
    last = max(Counter(pattern[-1] for pattern in patterns).values())
    return first > _MANY_ALIKE and first > last


def _check(patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if not pattern:
            raise ValueError("An automaton cannot find the empty string: it would be everywhere.")
        if not pattern.isascii() and _REFUSED.search(pattern):
            raise ValueError(f"An automaton cannot find {pattern!r}: it holds a lone surrogate or U+FFFD.")


@cache
def _ahocorasick() -> Any:
    import ahocorasick_rs

    return ahocorasick_rs
