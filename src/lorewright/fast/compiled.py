"""A prepared book in the form in which it is searched quickly: automata over its keys, made once per version.

Keys fall into three kinds:

* *local* plain keys cannot touch the separators of the scan text, so each piece of it can be searched by itself and
  the result kept for as long as the piece lives;
* *regex* keys with literals that every match must contain are only run where such a literal stands;
* all others are *slow*: their entries are looked at in every loop and the reference search answers for them.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from lorewright.core.keys import Key
from lorewright.core.match import is_ascii_bounded
from lorewright.core.prepared import Prepared, PreparedBook
from lorewright.core.words import fold, is_whole_word
from lorewright.fast.automaton import Occurrences, default_automaton
from lorewright.fast.literals import is_local, required_literals

__all__ = ["CompiledBook", "KeyKind", "PieceHits", "Stats"]

MAX_PIECES: Final = 20_000
MAX_LETTERS: Final = 4_000_000
"""Pieces of text whose hits are kept per book, and letters in them; the older half is dropped when there are more."""

LONGEST_NEEDLE: Final = 500
"""Code points; a longer key is looked for by itself, since automata take a time that grows with its square."""

KeyKind = Literal["plain", "local regex", "regex", "slow"]
_STATS: Final = (("slow", {"slow"}), ("regex", {"regex", "local regex"}), ("plain", {"plain"}))

_UNFIT = re.compile("[\\n\\x01\ufffd\ud800-\udfff]")


class PieceHits(NamedTuple):
    """What stands in one piece of text: plain keys that match, and regex keys of which a needed literal is there."""

    keys: tuple[Key, ...]
    regexes: tuple[Key, ...]


_NOTHING: Final = PieceHits((), ())


class Stats(NamedTuple):
    """How many entries of a book are handled in which way. An entry with keys of several kinds counts as the slowest
    of them: plain < regex < slow; `keyless` entries have no keys or are switched off."""

    plain: int
    regex: int
    slow: int
    keyless: int


class _Needles:
    """The patterns of one automaton, and by pattern what it stands for: keys that match anywhere, keys that need a
    whole word, and regex keys that need it as a literal."""

    def __init__(self) -> None:
        self.anywhere: dict[str, tuple[Key, ...]] = {}
        self.words: dict[str, tuple[Key, ...]] = {}
        self.regexes: dict[str, tuple[Key, ...]] = {}
        self.patterns: list[str] = []
        self.automaton: Occurrences | None = None

    def build(self) -> None:
        self.patterns = list({**self.anywhere, **self.words, **self.regexes})
        self.automaton = default_automaton(self.patterns) if self.patterns else None


def _add(shelf: dict[str, tuple[Key, ...]], text: str, key: Key) -> None:
    shelf[text] = (*shelf.get(text, ()), key)


class CompiledBook:
    """The automata of one book, and the hits of the texts they have seen."""

    def __init__(self, book: PreparedBook) -> None:
        self.ascii_words = book.policy.switches.ascii_words
        self.entries = book.entries
        self.users: dict[Key, tuple[int, ...]] = {}
        """By key: places in `book.entries` of the entries that have it as primary key."""
        self.always: list[int] = []
        """Places of entries that must be looked at in every loop."""
        self.kinds: dict[Key, KeyKind] = {}
        """By primary key: how it is searched."""
        self._needles = {False: _Needles(), True: _Needles()}
        """By case sensitivity."""
        counts = {"plain": 0, "regex": 0, "slow": 0, "keyless": 0}
        for place, entry in enumerate(book.entries):
            counts[self._add(place, entry)] += 1
        self.stats = Stats(**counts)
        self._literals = _Needles()
        """Literals of regexes by themselves, for texts whose folded form is not their lower-cased one."""
        if not self.ascii_words:
            self._literals.regexes = self._needles[False].regexes
        for needles in (*self._needles.values(), self._literals):
            needles.build()
        self.pieces: dict[str, PieceHits] = {}
        """By text: its hits, as far as they are known."""
        self._letters = 0
        """In these texts, about."""

    def hits(self, text: str) -> PieceHits:
        """The keys in one piece of scan text. Kept, so that a known piece costs one look-up."""
        found = self.pieces.get(text)
        if found is None:
            if len(self.pieces) >= MAX_PIECES or self._letters > MAX_LETTERS:
                self._make_room()
            found = self.pieces[text] = self._scan(text)
            self._letters += len(text)
        return found

    def _make_room(self) -> None:
        for old in list(self.pieces)[: (len(self.pieces) + 1) // 2]:
            del self.pieces[old]
        self._letters = sum(map(len, self.pieces))

    # -- compiling ------------------------------------------------------------------------------------------------

    def _add(self, place: int, entry: Prepared) -> str:
        if entry.traits.disabled:
            return "keyless"
        keys = entry.keys if len(entry.keys) < 2 else tuple(dict.fromkeys(entry.keys))
        kinds = {self._register(key) for key in keys}
        for key in keys:
            self.users[key] = (*self.users.get(key, ()), place)
        if "slow" in kinds or entry.traits.constant or entry.activate:
            self.always.append(place)
        return next((name for name, found in _STATS if not kinds.isdisjoint(found)), "keyless")

    def _register(self, key: Key) -> KeyKind:
        known = self.kinds.get(key)
        if known is None:
            known = self.kinds[key] = self._register_plain(key) if key.kind == "plain" else self._register_regex(key)
        return known

    def _register_plain(self, key: Key) -> KeyKind:
        if len(key.needle) > LONGEST_NEEDLE or _UNFIT.search(key.needle):
            return "slow"
        needles = self._needles[key.case_sensitive]
        _add(needles.words if key.whole_words else needles.anywhere, key.needle, key)
        return "plain"

    def _register_regex(self, key: Key) -> KeyKind:
        if key.kind == "never":
            return "plain"  # in no automaton, so it is never found
        literals = required_literals(key.text, key.flags) if key.kind == "regex" else None
        if literals is None or any(_UNFIT.search(literal) for literal in literals):
            return "slow"
        for literal in literals:
            _add(self._needles[False].regexes, literal, key)
        return "local regex" if is_local(key.text, key.flags) else "regex"

    # -- searching ------------------------------------------------------------------------------------------------

    def _scan(self, text: str) -> PieceHits:
        keys: dict[Key, None] = {}
        regexes: dict[Key, None] = {}
        for sensitive, needles in self._needles.items():
            if needles.automaton is not None:
                form = self._form(text, sensitive)
                self._sort_hits(form, needles, keys, regexes)
        if self._literals.automaton is not None and not text.isascii():
            regexes.clear()
            self._sort_hits(text.lower(), self._literals, {}, regexes)
        return PieceHits(tuple(keys), tuple(regexes)) if keys or regexes else _NOTHING

    def _form(self, text: str, case_sensitive: bool) -> str:
        """The form of a text in which plain keys are looked for; the reference search uses the same."""
        if self.ascii_words:
            return text if case_sensitive else text.lower()
        return fold(text, case_sensitive).text

    def _sort_hits(self, form: str, needles: _Needles, keys: dict[Key, None], regexes: dict[Key, None]) -> None:
        bounded = is_ascii_bounded if self.ascii_words else is_whole_word
        for place, start, end in needles.automaton.find(form) if needles.automaton else ():
            pattern = needles.patterns[place]
            for key in needles.anywhere.get(pattern, ()):
                keys[key] = None
            if pattern in needles.words and bounded(form, start, end):
                for key in needles.words[pattern]:
                    keys[key] = None
            for key in needles.regexes.get(pattern, ()):
                regexes[key] = None
