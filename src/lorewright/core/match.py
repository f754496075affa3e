"""Looking for keys: the reference matcher, slow, obvious and right, and the searching that every matcher shares.

Plain keys of the `sillytavern` profile are compared as JavaScript compares them (spec world-info §4.2), those of
`native` by `core/words.py`. Regular expressions run in a backend with a time limit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Final

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.policy import Policy
from lorewright.core.protocols import Regexes, Worth
from lorewright.core.row_text import find_in_row
from lorewright.core.scan import Scan, View
from lorewright.core.words import Folded, fold, is_whole_word
from lorewright.errors import RegexError, RegexTimeout

__all__ = ["Haystack", "ReferenceMatcher", "ReferenceSearch", "RegexRunner", "find_key", "is_ascii_bounded"]

REGEX_SECONDS: Final = 0.02
"""How long one key may take in one evaluation; a key that needs longer does not match and is reported."""
SLOW_REGEXES: Final = 10
"""After so many keys over the limit, the others only get `HURRIED_SECONDS`."""
HURRIED_SECONDS: Final = 0.002
HOPELESS_REGEXES: Final = 100
"""After so many keys over the limit, no other regex key is run in this evaluation."""

_ASCII_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_LONE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Haystack:
    """A text and the forms of it in which keys are looked for, each made when first needed."""

    __slots__ = ("_folded", "_lower", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lower: str | None = None
        self._folded: dict[bool, Folded] = {}

    @property
    def lower(self) -> str:
        if self._lower is None:
            self._lower = self.text.lower()
        return self._lower

    def folded(self, case_sensitive: bool) -> Folded:
        if case_sensitive not in self._folded:
            self._folded[case_sensitive] = fold(self.text, case_sensitive)
        return self._folded[case_sensitive]


class RegexRunner:
    """Runs regular expressions for one evaluation and keeps account of those that take too long."""

    def __init__(self, regexes: Regexes) -> None:
        self.regexes = regexes
        self.timed_out: dict[Key, float] = {}
        """Keys that were given up, with the limit in seconds that they reached."""

    def limit_seconds(self) -> float:
        """How long the next search may take; 0: it is not run at all."""
        if len(self.timed_out) < SLOW_REGEXES:
            return REGEX_SECONDS
        return HURRIED_SECONDS if len(self.timed_out) < HOPELESS_REGEXES else 0

    def search(self, key: Key, text: str) -> tuple[int, int] | None:
        """The first match in code points; None also when the key is given up."""
        if key in self.timed_out:
            return None
        limit = self.limit_seconds()
        if not limit:
            self.timed_out[key] = limit
            return None
        try:
            return self.regexes.compile(key.text, key.flags).search(text, limit)
        except RegexTimeout:
            self.timed_out[key] = limit
            return None
        except RegexError:
            return None


def find_key(key: Key, haystack: Haystack, policy: Policy, runner: RegexRunner) -> tuple[int, int] | None:
    """The first place of the key in the haystack's text, in code points of that text; None if it does not match."""
    if key.kind == "plain":
        if policy.rows is not None:
            return find_in_row(key.needle, haystack.text, whole_words=key.whole_words)
        if policy.switches.ascii_words:
            return _find_as_javascript(key, haystack)
        return _find_folded(key, haystack)
    if key.kind == "regex":
        return runner.search(key, haystack.text)
    return (0, 0) if key.kind == "always" else None


def _find_as_javascript(key: Key, haystack: Haystack) -> tuple[int, int] | None:
    text = haystack.text if key.case_sensitive else haystack.lower
    if not key.needle.isascii() and _LONE.search(key.needle):
        return _find_code_units(key, text)
    found = _find_plain(key.needle, text, whole_words=key.whole_words)
    if found is None or key.case_sensitive or len(text) == len(haystack.text):
        return found
    return _unlower(haystack.text, found)


def _find_plain(needle: str, text: str, *, whole_words: bool) -> tuple[int, int] | None:
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not whole_words or is_ascii_bounded(text, start, end):
            return start, end
        start = text.find(needle, start + 1)
    return None


def is_ascii_bounded(text: str, start: int, end: int) -> bool:
    """Whether neither neighbour is a letter, digit or underscore of ASCII."""
    return (start == 0 or text[start - 1] not in _ASCII_WORD) and (end == len(text) or text[end] not in _ASCII_WORD)


def _find_code_units(key: Key, text: str) -> tuple[int, int] | None:
    """A key with a lone surrogate can match half a character (case weird-inputs-024)."""
    found = _find_plain(_code_units(key.needle), _code_units(text), whole_words=key.whole_words)
    if found is None:
        return None
    ends = list(accumulate((2 if ord(c) > 0xFFFF else 1) for c in text))
    start = sum(end <= found[0] for end in ends)
    return start, max(start, sum(end < found[1] for end in ends)) + 1


def _code_units(text: str) -> str:
    """The text as UTF-16 code units, one a character."""

    def split(found: re.Match[str]) -> str:
        rest = ord(found[0]) - 0x10000
        return chr(0xD800 + (rest >> 10)) + chr(0xDC00 + (rest & 0x3FF))

    return _ASTRAL.sub(split, text)


def _unlower(text: str, found: tuple[int, int]) -> tuple[int, int]:
    """Map a range of `text.lower()` back to `text` when lower-casing changed lengths (U+0130 becomes two)."""
    ends = list(accumulate(len(c.lower()) for c in text))
    start = sum(end <= found[0] for end in ends)
    return start, max(start, sum(end < found[1] for end in ends)) + 1


def _find_folded(key: Key, haystack: Haystack) -> tuple[int, int] | None:
    folded = haystack.folded(key.case_sensitive)
    start = folded.text.find(key.needle)
    while start >= 0:
        end = start + len(key.needle)
        if not key.whole_words or is_whole_word(folded.text, start, end):
            return folded.span(start, end)
        start = folded.text.find(key.needle, start + 1)
    return None


class ReferenceSearch:
    """Looks at every entry in every loop and builds the scan text it sees."""

    def __init__(self, lore: Lore, scan: Scan, regexes: Regexes) -> None:
        self.lore = lore
        self.scan = scan
        self.runner = RegexRunner(regexes)
        self._haystacks: dict[View, Haystack] = {}

    @property
    def timed_out(self) -> Mapping[Key, float]:
        return self.runner.timed_out

    def worth_checking(self, usual: View) -> Worth:
        """Every entry."""
        del usual
        return Worth((), range(len(self.lore.entries)))

    def find(self, key: Key, view: View) -> tuple[int, int] | None:
        """The first place of the key in `scan.text(view)`."""
        haystack = self._haystacks.get(view)
        if haystack is None:
            haystack = self._haystacks[view] = Haystack(self.scan.text(view))
        return find_key(key, haystack, self.lore.policy, self.runner)

    def matches(self, key: Key, view: View) -> bool:
        return self.find(key, view) is not None


class ReferenceMatcher:
    """The matcher that the others are compared with."""

    def __init__(self, regexes: Regexes) -> None:
        self.regexes = regexes

    def open(self, lore: Lore, scan: Scan) -> ReferenceSearch:
        return ReferenceSearch(lore, scan, self.regexes)
