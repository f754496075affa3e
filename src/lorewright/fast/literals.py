"""What can be said of a JavaScript regular expression without running it.

`required_literals` lets one pass of an automaton rule out most regular expressions; `is_local` lets the answer for a
piece of text be kept while other pieces change. Both are cautious: of a construct that they do not know they say
"don't know" (None, False), which costs time and never a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple, TypeAlias
from unicodedata import category

from lorewright.fast.letters import same_letters_of
from lorewright.fast.syntax import parse
from lorewright.fast.tree import (
    Alternatives,
    Assertion,
    Backreference,
    Char,
    CharSet,
    Dot,
    Escape,
    Group,
    Look,
    Node,
    PatternError,
    Property,
    Repeat,
    Sequence,
)

__all__ = ["is_local", "required_literals"]

_MOST_LITERALS: Final = 32
_MOST_MEMBERS: Final = 8
_LONGEST: Final = 64

_Strings: TypeAlias = frozenset[str]
_EMPTY: Final[_Strings] = frozenset({""})


def required_literals(pattern: str, flags: str) -> frozenset[str] | None:
    """Strings of which at least one is in `text.lower()` for every text in which the regular expression matches.

    None: no such strings are known that are worth a search. They hold neither a newline nor U+0001, so if a text is
    made of pieces joined by these, one of them is in one piece.
    """
    try:
        tree = parse(pattern, flags)
        found = _look(tree.root, _Case("i" in flags, tree.unicode))
    except (PatternError, _UnknownError):
        return None
    return _best(found.candidates())


@lru_cache(maxsize=4096)
def is_local(pattern: str, flags: str) -> bool:
    """Whether a search may be done piece by piece.

    True: in a text of pieces that are joined by a newline and U+0001, with one more U+0001 at the front, the regular
    expression matches if and only if it matches in one of the pieces taken with the U+0001 before it and the newline
    and U+0001 after it. Then no match reaches over a newline and a U+0001, and what a match sees to its left and
    right does not depend on other pieces.
    """
    try:
        tree = parse(pattern, flags)
        reach = _Reach("s" in flags)
        reach.visit(tree.root)
    except (PatternError, _UnknownError):
        return False
    # `\B` holds between U+0001 and the end of a piece's text, where the whole text may go on with a letter.
    crosses = reach.takes_newline and reach.takes_mark
    return "y" not in flags and not crosses and not (reach.takes_mark and reach.asks_no_boundary)


class _UnknownError(Exception):
    """Something in the tree about which nothing can be said."""


# --- literals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """What is known of the text that a node matches, lower-cased."""

    exact: _Strings | None
    """It is one of these."""
    required: _Strings | None = None
    """If it is not known exactly: it holds one of these."""
    head: _Strings = frozenset({""})
    """If it is not known exactly: it begins with one of these."""
    tail: _Strings = frozenset({""})
    """If it is not known exactly: it ends in one of these."""

    def candidates(self) -> list[_Strings]:
        return [strings for strings in (self.exact, self.required) if strings is not None]


class _Case(NamedTuple):
    """The flags that decide which letters are the same."""

    ignore_case: bool
    unicode: bool


_ANYTHING: Final = _Found(None)
_NOTHING: Final = _Found(_EMPTY)


def _look(node: Node, case: _Case) -> _Found:
    match node:
        case Char(code):
            return _Found(_lowered(code, *case))
        case CharSet(ranges, classes, negated):
            return _look_at_set(ranges, case) if not (classes or negated) else _ANYTHING
        case Assertion() | Look():
            return _NOTHING  # takes no text, so what stands on both sides of it is adjacent
        case Dot() | Backreference():
            return _ANYTHING
        case Group(body):
            return _look(body, case)
        case Sequence(items):
            return _join(_look(item, case) for item in items)
        case Alternatives(options):
            return _any_of([_look(option, case) for option in options])
        case Repeat(body, least, most):
            return _repeat(_look(body, case), least, most)
    raise _UnknownError


def _look_at_set(ranges: Iterable[tuple[int, int]], case: _Case) -> _Found:
    members: set[int] = set()
    for low, high in ranges:
        if high - low >= _MOST_MEMBERS:
            return _ANYTHING
        members.update(range(low, high + 1))
    strings: set[str] = set()
    for member in members:
        lowered = _lowered(member, *case)
        if lowered is None:
            return _ANYTHING
        strings |= lowered
    return _Found(frozenset(strings)) if 0 < len(strings) <= _MOST_MEMBERS else _ANYTHING


def _any_of(options: list[_Found]) -> _Found:
    if all(option.exact is not None for option in options):
        exact = frozenset().union(*(option.exact or () for option in options))
        if len(exact) <= _MOST_LITERALS:
            return _Found(exact)
    required: set[str] = set()
    for option in options:
        best = _best(option.candidates())
        if best is None:
            return _ANYTHING
        required |= best
    return _Found(None, frozenset(required)) if len(required) <= _MOST_LITERALS else _ANYTHING


def _join(items: Iterable[_Found]) -> _Found:
    """One after the other. Runs of known text grow until something unknown ends them."""
    run = _EMPTY
    ended: list[_Strings] = []
    head: _Strings | None = None
    for item in items:
        grown = _concatenate(run, item.head if item.exact is None else item.exact)
        if item.exact is not None and grown is not None:
            run = grown
            continue
        ended += [run if grown is None else grown, *([item.required] if item.required is not None else [])]
        head = head or ended[0]
        run = item.tail if item.exact is None else item.exact
    return _Found(run) if head is None else _Found(None, _best([*ended, run]), head, run)


def _repeat(body: _Found, least: int, most: int | None) -> _Found:
    if least == 0:
        if most == 1 and body.exact is not None and len(body.exact) < _MOST_LITERALS:
            return _Found(body.exact | _EMPTY)
        return _NOTHING if most == 0 else _ANYTHING
    if body.exact is None:
        return body  # it begins with the first of several and ends in the last
    once: _Strings | None = body.exact
    for _ in range(min(least, _LONGEST) - 1):
        once = _concatenate(once, body.exact) if once is not None else None
    if once is not None and least == most and least <= _LONGEST:
        return _Found(once)
    known = once or body.exact
    return _Found(None, _best([known, body.exact]), known, known)


def _concatenate(left: _Strings, right: _Strings) -> _Strings | None:
    if len(left) * len(right) > _MOST_LITERALS:
        return None
    if len(left) == len(right) == 1:
        (a,), (b,) = left, right
        return frozenset((a + b,)) if len(a) + len(b) <= _LONGEST else None
    joined = frozenset(a + b for a, b in product(left, right))
    return joined if max(map(len, joined), default=0) <= _LONGEST else None


def _best(candidates: list[_Strings]) -> _Strings | None:
    """The set that fewest texts will hold, without members that hold another."""
    sets = [_minimal(strings) for strings in candidates if strings and min(map(_weight, strings)) >= 2]
    return max(
        sets, key=lambda strings: (min(8, *map(_weight, strings)) * 4 - len(strings), -len(strings)), default=None
    )


def _minimal(strings: _Strings) -> _Strings:
    return frozenset(a for a in strings if not any(b in a and b != a for b in strings))


def _weight(literal: str) -> int:
    # One Chinese character says as much as two letters.
    return sum(2 if char >= "\u2e80" else 1 for char in literal)


# --- letters ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _lowered(code: int, ignore_case: bool, unicode: bool) -> _Strings | None:
    """The lower-case forms under which a character of a pattern can appear in `text.lower()`; None: not known, or no
    literal may hold it.

    `str.lower` looks at the neighbours of a capital sigma, and makes two characters of a dotted capital I. The
    halves of an astral character are no characters of a Python text; a newline and U+0001 can lie between pieces.
    """
    if code in {0x01, 0x0A, 0x130, 0x3A3} or 0xD800 <= code < 0xE000 or code > 0xFFFF:
        return None
    char = chr(code)
    if not ignore_case or (code < 0x80 and not char.isalpha()):
        return frozenset({char.lower()})
    if code >= 0x80 and not _is_settled(code):
        return frozenset({char}) if _is_caseless(char) else None
    same = same_letters_of(char, unicode)
    if not all(ord(other) < 0x80 or _is_settled(ord(other)) or other in _KNOWN_OUTLIERS for other in same):
        return None
    return frozenset(other.lower() for other in same) if not same & {"\u0130", "\u03a3"} else None


# Letters elsewhere that have always shared their case with one of those.
_KNOWN_OUTLIERS: Final = frozenset(
    "\u00b5\u0345\u1fbe\u212a\u212b\u2126\u1c80\u1c81\u1c82\u1c83\u1c84\u1c85\u1c86\u1c87\u1e9e"
)


def _is_settled(code: int) -> bool:
    """Latin, Greek and Cyrillic blocks to whose letters no Unicode version after 14 has added another case. (An
    engine may know newer versions than `str` does.)"""
    return 0xC0 <= code < 0x180 or 0x370 <= code < 0x530


def _is_caseless(char: str) -> bool:
    return category(char) in {"Lo", "Nd", "No", "Po", "Ps", "Pe", "Pd", "Pi", "Pf", "Sc", "Sm", "Zs"} and (
        char.lower() == char.upper() == char.casefold() == char
    )


# --- locality --------------------------------------------------------------------------------------------------------

_NEWLINE: Final = 0x0A
_MARK: Final = 0x01

_PRINTABLE_PROPERTIES: Final = frozenset(
    "L Letter Lu Uppercase_Letter Ll Lowercase_Letter Lt Lm Lo M Mark Mn Mc Me N Number Nd Nl No P Punctuation "
    "S Symbol Zs Alphabetic Uppercase Lowercase Ideographic Emoji Emoji_Presentation Extended_Pictographic "
    "Script=Latin Script=Greek Script=Cyrillic Script=Han Script=Hiragana Script=Katakana Script=Hangul Script=Thai "
    "Script=Arabic Script=Hebrew Script=Devanagari".split()
)


class _Reach:
    """Whether something in a tree can take a newline, and something a U+0001."""

    def __init__(self, dot_takes_all: bool) -> None:
        self.dot_takes_all: Final = dot_takes_all
        self.takes_newline = False
        self.takes_mark = False
        self.asks_no_boundary = False

    def visit(self, node: Node) -> None:
        match node:
            case Char(code):
                self.take(code == _NEWLINE, code == _MARK)
            case Dot():
                self.take(self.dot_takes_all, True)
            case CharSet():
                self.take(_may_take(node, _NEWLINE), _may_take(node, _MARK))
            case Assertion("b"):
                pass
            case Assertion("B"):
                self.asks_no_boundary = True
            case Group(body) | Repeat(body):
                self.visit(body)
            case Sequence(nodes) | Alternatives(nodes):
                for item in nodes:
                    self.visit(item)
            case _:
                raise _UnknownError

    def take(self, newline: bool, mark: bool) -> None:
        self.takes_newline |= newline
        self.takes_mark |= mark


def _may_take(chars: CharSet, code: int) -> bool:
    answers = [any(low <= code <= high for low, high in chars.ranges), *_class_answers(chars, code)]
    if None in answers:
        return True
    return any(answers) != chars.negated


def _class_answers(chars: CharSet, code: int) -> Iterator[bool | None]:
    """Of each class in it whether it takes the newline or mark; None if that is not known."""
    for item in chars.classes:
        match item:
            case Escape("s"):
                yield code == _NEWLINE
            case Escape("S"):
                yield code != _NEWLINE
            case Escape(letter):
                yield letter.isupper()
            case Property(name, negated):
                yield negated if name in _PRINTABLE_PROPERTIES else None
