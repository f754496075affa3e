"""The fast matcher: equals the reference matcher on every input, without looking at entries that cannot match.

What was found in a piece of text is kept with the compiled book, so the next turn of a known chat only scans the new
message; the recursion graph (which keys stand in which entry's content) is kept in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Final
from weakref import WeakKeyDictionary

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.match import REGEX_SECONDS, Haystack, RegexRunner, find_key
from lorewright.core.prepared import PreparedBook
from lorewright.core.protocols import Regexes, Worth
from lorewright.core.scan import MARK, SEPARATOR, Scan, View
from lorewright.fast.compiled import CompiledBook, PieceHits, Stats

__all__ = ["FastMatcher", "FastSearch"]

MAX_REGEX_RESULTS: Final = 50_000
_NEVER_SEEN: Final = 2**31
_NEAR: Final = 16
"""Messages; common words, as secondary keys often are, stand in the newest ones already."""


class FastMatcher:
    """Compiles each book once and keeps what it found in texts. Safe to share between conversations."""

    def __init__(self, regexes: Regexes) -> None:
        self.regexes = regexes
        self._books: WeakKeyDictionary[PreparedBook, CompiledBook] = WeakKeyDictionary()
        self._indexes: WeakKeyDictionary[Lore, _Index] = WeakKeyDictionary()
        self.regex_results: dict[tuple[Key, str, bool], bool] = {}
        """By regex, piece of text and whether it is the last piece: whether it matches. Emptied when it grows too
        large."""

    def open(self, lore: Lore, scan: Scan) -> FastSearch:
        return FastSearch(self, self.compile(lore), lore, scan)

    def compile(self, lore: Lore) -> _Index:
        """Compile what is not compiled yet. Called by `open`; call it early to keep the first turn quick."""
        index = self._indexes.get(lore)
        if index is None:
            index = self._indexes[lore] = _Index(lore, [self._compile(book) for book in lore.books])
        return index

    def stats(self, lore: Lore) -> Stats:
        """How many entries are handled in which way."""
        stats = [book.stats for book in self.compile(lore).books]
        return Stats(*(sum(counts) for counts in zip(*stats, strict=True))) if stats else Stats(0, 0, 0, 0)

    def _compile(self, book: PreparedBook) -> CompiledBook:
        compiled = self._books.get(book)
        if compiled is None:
            compiled = self._books[book] = CompiledBook(book)
        return compiled


class _Index:
    """The compiled books of a lore, and from keys to ranks in it."""

    def __init__(self, lore: Lore, books: list[CompiledBook]) -> None:
        self.books = books
        self.ranks = [[lore.ranks[entry.id] for entry in book.entries] for book in lore.books]
        self.always = [rank for ranks, book in zip(self.ranks, books, strict=True) for rank in _pick(ranks, book)]
        own = [entry.traits.scan_depth for entry in lore.entries if entry.traits.scan_depth is not None]
        self.own_depth = max((int(depth) for depth in own if depth >= 1), default=0)
        """The largest scan depth that an entry has of its own."""
        self._users: dict[Key, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.kinds = books[0].kinds if len(books) == 1 else {k: v for book in books for k, v in book.kinds.items()}

    def users(self, key: Key) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Ranks of the entries that have this primary key: the simple ones, and the others."""
        found = self._users.get(key)
        if found is None:
            simple: list[int] = []
            others: list[int] = []
            for ranks, book in zip(self.ranks, self.books, strict=True):
                for place in book.users.get(key, ()):
                    (simple if book.entries[place].simple else others).append(ranks[place])
            found = self._users[key] = (tuple(simple), tuple(others))
        return found


def _pick(ranks: list[int], book: CompiledBook) -> list[int]:
    return [ranks[place] for place in book.always]


class _Sightings:
    """Where keys stand in the scan text, as far as it has been read.

    messages: by key the newest message (0 is the newest) that has it; extras: a bit per extra source; injects: the
    keys in injected prompts; chunks: by key the first recursion chunk. For regex keys `places` lists every message in
    which one of its literals stands.
    """

    def __init__(self) -> None:
        self.messages: dict[Key, int] = {}
        self.extras: dict[Key, int] = {}
        self.injects: set[Key] = set()
        self.chunks: dict[Key, int] = {}

    def all(self) -> set[Key]:
        """Every key that was seen anywhere."""
        return {*self.messages, *self.extras, *self.injects, *self.chunks}

    def shows(self, key: Key, view: View) -> bool:
        """Whether the key is in the view."""
        return (
            self.messages.get(key, _NEVER_SEEN) < view.messages
            or (view.extras and self.extras.get(key, 0) & view.extras != 0)
            or key in self.injects
            or self.chunks.get(key, _NEVER_SEEN) < view.chunks
        )


class FastSearch:
    """One evaluation's search."""

    def __init__(self, matcher: FastMatcher, index: _Index, lore: Lore, scan: Scan) -> None:
        self.matcher = matcher
        self.index = index
        self.lore = lore
        self.scan = scan
        self.runner = _TimedRunner(matcher.regexes)
        self._plain = _Sightings()
        self._regex = _Sightings()
        self._regex_messages: dict[Key, list[int]] = {}
        self._read_messages = 0
        self._read_chunks = 0
        self._haystacks: dict[View, Haystack] = {}
        self._read_fixed()

    @property
    def timed_out(self) -> Mapping[Key, float]:
        return self.runner.timed_out

    def worth_checking(self, usual: View) -> Worth:
        """`sure`: simple entries with a plain key in the usual view. `maybe`: all others with a key, or a literal of
        a regex key, anywhere in what was read, and those that need no key."""
        self._read(max(usual.messages, self.index.own_depth), usual.chunks)
        sure: set[int] = set()
        maybe = set(self.index.always)
        users, plain = self.index.users, self._plain
        depth = -1 if usual.blank else usual.messages
        for key, newest in plain.messages.items():
            simple, others = users(key)
            (sure if newest < depth else maybe).update(simple)
            if others:
                maybe.update(others)
        for keys, certain in (
            (plain.injects, not usual.blank),
            (plain.extras, False),
            ([key for key, chunk in plain.chunks.items() if chunk < usual.chunks], not usual.blank),
            (self._regex.all(), False),
        ):
            for key in keys:
                simple, others = users(key)
                (sure if certain else maybe).update(simple)
                maybe.update(others)
        return Worth(sure, maybe - sure)

    def matches(self, key: Key, view: View) -> bool:
        """Whether the key matches in the view; equals the reference search."""
        if view.messages > self._read_messages or view.chunks > self._read_chunks:
            self._read(view.messages, view.chunks)
        kind = self.index.kinds.get(key, "slow")
        if kind == "slow" or view.blank:
            return self._search(key, view)
        if kind == "plain":
            return self._plain.shows(key, view)
        if not self._regex.shows(key, view):
            return False
        return self._search_pieces(key, view) if kind == "local regex" else self._search(key, view)

    # -- reading the scan text --------------------------------------------------------------------------------------

    def _hits(self, text: str) -> list[PieceHits]:
        return [book.hits(text) for book in self.index.books]

    def _read_fixed(self) -> None:
        for bit, text in enumerate(self.scan.extras):
            for hits in self._hits(text) if text else ():
                for sightings, keys in ((self._plain, hits.keys), (self._regex, hits.regexes)):
                    for key in keys:
                        sightings.extras[key] = sightings.extras.get(key, 0) | 1 << bit
        for inject in self.scan.injects:
            for hits in self._hits(inject.text):
                self._plain.injects.update(hits.keys)
                self._regex.injects.update(hits.regexes)

    def _read(self, messages: int, chunks: int) -> None:
        """Read on until so many messages and recursion chunks are known."""
        if messages > self._read_messages:
            self._read_more_messages(min(messages, len(self.scan.messages)))
            self._read_messages = messages
        for number in range(self._read_chunks, chunks):
            for text in self.scan.chunks[number].texts:
                for hits in self._hits(text):
                    for sightings, keys in ((self._plain, hits.keys), (self._regex, hits.regexes)):
                        for key in keys:
                            sightings.chunks.setdefault(key, number)
        self._read_chunks = max(chunks, self._read_chunks)

    def _read_more_messages(self, end: int) -> None:
        messages = self.scan.messages
        plain, regex, places = self._plain.messages, self._regex.messages, self._regex_messages
        for book in self.index.books:
            known, hits_of = book.pieces, book.hits
            for number in range(self._read_messages, end):
                text = messages[number]
                keys, regexes = known.get(text) or hits_of(text)
                for key in keys:
                    if key not in plain:
                        plain[key] = number
                for key in regexes:
                    regex.setdefault(key, number)
                    places.setdefault(key, []).append(number)

    # -- the slower ways --------------------------------------------------------------------------------------------

    def _search(self, key: Key, view: View) -> bool:
        """As the reference does, on the whole text of the view; a plain key is first looked for where it begins."""
        if key.kind == "plain" and view.messages > _NEAR and self._find(key, View(_NEAR)):
            return True
        return self._find(key, view)

    def _find(self, key: Key, view: View) -> bool:
        haystack = self._haystacks.get(view)
        if haystack is None:
            haystack = self._haystacks[view] = Haystack(self.scan.text(view))
        return find_key(key, haystack, self.lore.policy, self.runner) is not None

    def _search_pieces(self, key: Key, view: View) -> bool:
        """A local regex matches in the view if it matches in one of its pieces."""
        scan = self.scan
        others = [text for bit, text in enumerate(scan.extras) if text and view.extras >> bit & 1]
        others += [inject.text for inject in scan.injects]
        others += [chunk.text for chunk in scan.chunks[: view.chunks]]
        shown = min(view.messages, len(scan.messages))
        for number in self._regex_messages.get(key, ()):
            if number >= shown:
                break
            if self._try(key, scan.messages[number], last=number == shown - 1 and not others):
                return True
        return any(self._try(key, text, last=place == len(others) - 1) for place, text in enumerate(others))

    def _try(self, key: Key, piece: str, *, last: bool) -> bool:
        results = self.matcher.regex_results
        identity = (key, piece, last)
        known = results.get(identity)
        if known is None:
            text = MARK + piece if last else MARK + piece + SEPARATOR
            known = self.runner.search(key, text) is not None
            if key not in self.runner.timed_out:
                if len(results) >= MAX_REGEX_RESULTS:
                    results.clear()
                results[identity] = known
        return known


class _TimedRunner(RegexRunner):
    """Gives each key its time once per evaluation, however many pieces it is tried on."""

    def __init__(self, regexes: Regexes) -> None:
        super().__init__(regexes)
        self._spent: dict[Key, float] = {}

    def search(self, key: Key, text: str) -> tuple[int, int] | None:
        began = perf_counter()
        found = super().search(key, text)
        spent = self._spent[key] = self._spent.get(key, 0.0) + perf_counter() - began
        if found is None and spent > REGEX_SECONDS:
            self.timed_out.setdefault(key, REGEX_SECONDS)
        return found
