"""Whole words and folded text: how the `native` profile compares a plain key with a text.

Text is compared in one form (`fold`): composed, and case-folded when case does not matter. A key that stands in that
form is a whole word (`is_whole_word`) when it is not a part of a longer word, for scripts that put spaces between
words; scripts that do not (`_UNSPACED`) have no such boundary, so there every occurrence counts. In no script may a key
begin or end inside of what a reader sees as one character (`core/graphemes.py`).

The tables were made from the Unicode 17 properties of the `regex` package and are compared with it in
`tests/core/test_words.py`; what `unicodedata` knows (categories, decompositions) is not repeated in them.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from string import ascii_letters, digits
from typing import Final, TypeAlias
from unicodedata import category, combining, is_normalized, normalize

from lorewright.core.graphemes import is_grapheme_break
from lorewright.core.ranges import is_in, read_ranges

__all__ = ["Folded", "fold", "is_grapheme_break", "is_whole_word"]

# --- folded text -----------------------------------------------------------------------------------------------------


class Folded:
    """A text in the form in which it is compared, and the way back to the original."""

    __slots__ = ("_case_sensitive", "_original", "_sources", "text")

    def __init__(self, text: str, original: str, case_sensitive: bool, one_to_one: bool) -> None:
        self.text: Final = text
        self._original: Final = original
        self._case_sensitive: Final = case_sensitive
        # Made when first asked for: most texts have no match.
        self._sources: _Sources | None = _ONE_TO_ONE if one_to_one else None

    def __repr__(self) -> str:
        return f"Folded({self.text!r})"

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The smallest range of the original that covers `text[start:end]`, in code points."""
        if self._sources is None:
            self._sources = _sources(self._original, self._case_sensitive)
        if self._sources is _ONE_TO_ONE:
            return start, end
        begins, ends = self._sources
        if start >= end:
            here = begins[start] if start < len(begins) else len(self._original)
            return here, here
        return min(begins[start:end]), max(ends[start:end])


def fold(text: str, case_sensitive: bool) -> Folded:
    """The text composed (NFC) and, if case does not matter, case-folded and composed again."""
    if text.isascii():
        return Folded(text if case_sensitive else text.lower(), text, case_sensitive, True)
    composed = is_normalized("NFC", text)
    folded = text if composed else normalize("NFC", text)
    one_to_one = composed
    if not case_sensitive:
        unfolded, folded = folded, folded.casefold()
        if folded != unfolded:
            # Folding never shortens, so an equal length means one character for each.
            one_to_one = composed and len(folded) == len(text) and is_normalized("NFC", folded)
            folded = normalize("NFC", folded)
    return Folded(folded, text, case_sensitive, one_to_one)


_Sources: TypeAlias = tuple[list[int], list[int]]
_Piece: TypeAlias = tuple[str, int, int]  # a character and the range of the original that it came from
_ONE_TO_ONE: Final[_Sources] = ([], [])


def _sources(original: str, case_sensitive: bool) -> _Sources:
    """For each character of the folded text, where its source begins and where it ends in the original."""
    begins: list[int] = []
    ends: list[int] = []
    cuts = [i for i, char in enumerate(original) if i == 0 or _is_independent(char)]
    for begin, end in pairwise([*cuts, len(original)]):
        for _, source_begin, source_end in _fold_cluster(original[begin:end], begin, case_sensitive):
            begins.append(source_begin)
            ends.append(source_end)
    return begins, ends


def _fold_cluster(cluster: str, offset: int, case_sensitive: bool) -> list[_Piece]:
    pieces = _compose([(char, offset + i, offset + i + 1) for i, char in enumerate(cluster)])
    if case_sensitive:
        return pieces
    return _compose([(folded, begin, end) for char, begin, end in pieces for folded in char.casefold()])


def _compose(pieces: list[_Piece]) -> list[_Piece]:
    """NFC that remembers sources: decompose, put marks in their order, compose."""
    if len(pieces) == 1 and is_normalized("NFC", pieces[0][0]):
        return pieces
    parts = [(part, begin, end) for char, begin, end in pieces for part in normalize("NFD", char)]
    at = 0
    while at < len(parts):
        stop = at + 1
        if combining(parts[at][0]):
            while stop < len(parts) and combining(parts[stop][0]):
                stop += 1
            parts[at:stop] = sorted(parts[at:stop], key=lambda part: combining(part[0]))
        at = stop
    result: list[_Piece] = []
    starter = -1
    for char, begin, end in parts:
        rank = combining(char)
        if starter >= 0 and (starter == len(result) - 1 or combining(result[-1][0]) < rank):
            base, base_begin, base_end = result[starter]
            both = normalize("NFC", base + char)
            if len(both) == 1:
                result[starter] = (both, min(base_begin, begin), max(base_end, end))
                continue
        if rank == 0:
            starter = len(result)
        result.append((char, begin, end))
    return result


@lru_cache(maxsize=4096)
def _is_independent(char: str) -> bool:
    """Whether folding what stands before this character and what starts with it gives the same as folding both
    together. May say no too often."""
    return char < "\u0300" or not any(_can_join(normalize("NFD", form)[0]) for form in (char, char.casefold()))


def _can_join(char: str) -> bool:
    # Besides marks, only Hangul vowels and finals and the Kirat Rai vowel signs compose with what precedes them.
    return category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or "\U00016d63" <= char <= "\U00016d6a"


# --- whole words -----------------------------------------------------------------------------------------------------

_ASCII_WORD: Final = frozenset(ascii_letters + digits + "_")


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` of a folded text is not a part of a longer word or character.

    A side needs a boundary only if the outermost character there is a letter, a mark, a digit or a connector of a
    script written with spaces; the boundary is missing if the neighbour is such a character too. An empty range has
    no sides.
    """
    if start >= end:
        return is_grapheme_break(text, start)
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    first, last = text[start], text[end - 1]
    if before < "\x80" and after < "\x80" and first < "\x80" and last < "\x80":
        return not (
            (before in _ASCII_WORD and first in _ASCII_WORD)
            or (after in _ASCII_WORD and last in _ASCII_WORD)
            or (before == "\r" and first == "\n")
            or (last == "\r" and after == "\n")
        )
    if not (is_grapheme_break(text, start) and is_grapheme_break(text, end)):
        return False
    if before and _is_spaced(text, start) and _is_spaced(text, start - 1):
        return False
    return not (after and _is_spaced(text, end - 1) and _is_spaced(text, end))


def _is_spaced(text: str, at: int) -> bool:
    """Whether a word character of a script written with spaces stands there."""
    kind = _kind(text[at])
    while kind is _Kind.INHERITED and at > 0:
        at -= 1
        kind = _kind(text[at])
    return kind is _Kind.SPACED or kind is _Kind.INHERITED


class _Kind(IntEnum):
    OTHER = 0
    SPACED = 1
    INHERITED = 2  # a mark that belongs to the script of what it stands on


@lru_cache(maxsize=4096)
def _kind(char: str) -> _Kind:
    general = category(char)
    if general[0] not in "LM" and general not in {"Nd", "Nl", "Pc"}:
        return _Kind.OTHER
    if general[0] == "M" and is_in(_INHERITED, char):
        return _Kind.INHERITED
    return _Kind.OTHER if is_in(_UNSPACED, char) else _Kind.SPACED


# Letters, marks and digits of Han, Kana, Bopomofo, Hangul, Thai, Lao, Khmer, Myanmar and Tibetan, and those that are
# common to some of these alone (script extensions), as the long vowel mark. Holes hold no letter, mark or digit.
_UNSPACED: Final = read_ranges(
    """
    E01-109D 1100-11FF 1780-17E9 3005-9FFF A960-A97C A9E0-A9FE AA60-AA7F AC00-FAD9 FF66-FFDC 116D0-116E3 16FE3
    16FF0-16FF6 1AFF0-1B168 20000-33479
    """
)
# Marks whose script is "inherited". Holes hold no mark.
_INHERITED: Final = read_ranges(
    """
    300-36F 485-486 64B-655 670 951-954 1AB0-1AF0 1CD0-1CE0 1CE2-1CF4 1CF8-20F0 302A-302D 3099-309A FE00-FE2D
    101FD-102E0 1133B 1CF00-1D128 1D167-1D169 1D17B-1D1AD 1D25B-1D25C E0100-E01EF
    """
)
