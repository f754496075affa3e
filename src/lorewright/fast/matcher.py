"""The fast matcher: equals the reference matcher on every input, without looking at entries that cannot match.

What was found in a piece of text is kept with the compiled book, so the next turn of a known chat only scans the new
message; the recursion graph (which keys stand in which entry's content) is kept in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import thread_time
from typing import Final
from weakref import WeakKeyDictionary

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.match import HURRIED_SECONDS, REGEX_SECONDS, Haystack, RegexRunner, find_key
from lorewright.core.prepared import PreparedBook
from lorewright.core.protocols import Regexes, Worth
from lorewright.core.scan import MARK, SEPARATOR, Scan, View
from lorewright.fast.compiled import CompiledBook, PieceHits, Stats
from lorewright.fast.index import Index

__all__ = ["FastMatcher", "FastSearch"]

HURRY_AFTER_SECONDS: Final = 0.2
"""When the regex keys of one evaluation have taken so long together, each of the others only gets 2 ms."""
STOP_AFTER_SECONDS: Final = 0.4
"""When they have taken so long, no other is run; those are reported as given up."""
MAX_REGEX_RESULTS: Final = 50_000
_NEVER: Final = -(2**62)
"""A serial that no message has."""
_NEAR: Final = 16
"""Messages; common words, as secondary keys often are, stand in the newest ones already."""


class FastMatcher:
    """Compiles each book once and keeps what it found in texts. Safe to share between conversations."""

    def __init__(self, regexes: Regexes) -> None:
        self.regexes = regexes
        self._books: WeakKeyDictionary[PreparedBook, CompiledBook] = WeakKeyDictionary()
        self._indexes: WeakKeyDictionary[Lore, Index] = WeakKeyDictionary()
        self.regex_results: dict[tuple[Key, str, bool], bool] = {}
        """By regex, piece of text and whether it is the last piece: whether it matches. Emptied when it grows too
        large."""

    def open(self, lore: Lore, scan: Scan) -> FastSearch:
        return FastSearch(self, self.compile(lore), lore, scan)

    def compile(self, lore: Lore) -> Index:
        """Compile what is not compiled yet. Called by `open`; call it early to keep the first turn quick."""
        index = self._indexes.get(lore)
        if index is None:
            index = self._indexes[lore] = Index(lore, [self._compile(book) for book in lore.books])
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


class _Elsewhere:
    """Keys in the parts of the scan text that are no messages.

    extras: a bit per extra source; injects: the keys in injected prompts; chunks: by key the first recursion chunk.
    """

    def __init__(self) -> None:
        self.extras: dict[Key, int] = {}
        self.injects: set[Key] = set()
        self.chunks: dict[Key, int] = {}

    def shows(self, key: Key, view: View) -> bool:
        """Whether the key is in such a part of the view."""
        return (
            key in self.injects
            or self.chunks.get(key, view.chunks) < view.chunks
            or bool(view.extras and self.extras.get(key, 0) & view.extras)
        )

    def in_usual(self, view: View) -> set[Key]:
        """The keys in parts that every entry sees."""
        return self.injects.union(key for key, chunk in self.chunks.items() if chunk < view.chunks)


class FastSearch:
    """One evaluation's search."""

    def __init__(self, matcher: FastMatcher, index: Index, lore: Lore, scan: Scan) -> None:
        self.matcher = matcher
        self.index = index
        self.lore = lore
        self.scan = scan
        self.runner = _TimedRunner(matcher.regexes)
        self._window = index.windows.open(scan.messages, index.own_depth)
        self._plain = _Elsewhere()
        self._regex = _Elsewhere()
        self._read_chunks = 0
        self._haystacks: dict[View, Haystack] = {}
        self._seen: tuple[tuple[int, int], Worth] | None = None
        self._read_fixed()

    @property
    def timed_out(self) -> Mapping[Key, float]:
        return self.runner.timed_out

    def worth_checking(self, usual: View) -> Worth:
        """`sure`: simple entries with a plain key in the usual view. `maybe`: all others with a key, or a literal of
        a regex key, anywhere in what was read, and those that need no key."""
        self._read(usual)
        users = self.index.users
        in_messages = self._in_messages(self._oldest(usual))
        sure, maybe = set(in_messages.sure), set(in_messages.maybe)
        if not usual.blank:
            for key in self._plain.in_usual(usual):
                sure.update(users(key).simple)
        plain, regex = self._plain, self._regex
        for keys in (plain.extras, plain.injects, plain.chunks):
            self._add(maybe, keys)
        for keys in (regex.extras, regex.injects, regex.chunks):
            self._add(maybe, keys)
        return Worth(sure, maybe - sure)

    def matches(self, key: Key, view: View) -> bool:
        """Whether the key matches in the view; equals the reference search."""
        kind = self.index.kinds.get(key, "slow")
        if kind == "slow" or view.blank:
            return self._search(key, view)
        window = self._window
        if view.messages > len(window.texts) or view.chunks > self._read_chunks:
            self._read(view)
        if kind == "plain":
            return window.plain.get(key, _NEVER) > self._oldest(view) or self._plain.shows(key, view)
        newest = window.regexes.get(key, (_NEVER,))[0]
        if newest <= self._oldest(view) and not self._regex.shows(key, view):
            return False
        return self._search_pieces(key, view) if kind == "local regex" else self._search(key, view)

    def _in_messages(self, oldest: int) -> Worth:
        """The same of what was read of the messages. Loops mostly see the same ones."""
        state = (oldest, len(self._window.texts))
        if self._seen is not None and self._seen[0] == state:
            return self._seen[1]
        sure: set[int] = set()
        maybe = set(self.index.always)
        users = self.index.users
        for key, serial in self._window.plain.items():
            simple, others = users(key)
            if serial > oldest:  # what stands further back is nothing to them
                sure.update(simple)
            if others:
                maybe.update(others)
        for key, newest in self._window.regexes.items():
            simple, others = users(key)
            maybe.update(others if newest[0] <= oldest else (*simple, *others))
        found = Worth(sure, maybe)
        self._seen = (state, found)
        return found

    # -- reading the scan text --------------------------------------------------------------------------------------

    def _oldest(self, view: View) -> int:
        """Messages with a higher serial than this are in the view."""
        return self._window.top if view.blank else self._window.top - min(view.messages, len(self.scan.messages))

    def _add(self, ranks: set[int], keys: Iterable[Key]) -> None:
        for key in keys:
            simple, others = self.index.users(key)
            ranks.update(simple, others)

    def _hits(self, text: str) -> list[PieceHits]:
        return [book.hits(text) for book in self.index.books]

    def _read_fixed(self) -> None:
        for bit, text in enumerate(self.scan.extras):
            for hits in self._hits(text) if text else ():
                for seen, keys in ((self._plain, hits.keys), (self._regex, hits.regexes)):
                    for key in keys:
                        seen.extras[key] = seen.extras.get(key, 0) | 1 << bit
        for inject in self.scan.injects:
            for hits in self._hits(inject.text):
                self._plain.injects.update(hits.keys)
                self._regex.injects.update(hits.regexes)

    def _read(self, view: View) -> None:
        """Read on until everything in the view is known."""
        if view.messages > len(self._window.texts):
            end = min(view.messages, len(self.scan.messages))
            if end > len(self._window.texts):
                self._window.read_to(self.scan.messages, end, self.index.books)
        for number in range(self._read_chunks, view.chunks):
            for text in self.scan.chunks[number].texts:
                for hits in self._hits(text):
                    for seen, keys in ((self._plain, hits.keys), (self._regex, hits.regexes)):
                        for key in keys:
                            seen.chunks.setdefault(key, number)
            self._read_chunks = number + 1

    # -- the slower ways --------------------------------------------------------------------------------------------

    def _search(self, key: Key, view: View) -> bool:
        """As the reference does, on the whole text of the view; a plain key is first looked for where it begins."""
        if key.kind == "plain" and view.messages > _NEAR and MARK not in key.text and self._find(key, View(_NEAR)):
            return True
        return self._find(key, view)

    def _find(self, key: Key, view: View) -> bool:
        haystack = self._haystacks.get(view)
        if haystack is None:
            haystack = self._haystacks[view] = Haystack(self.scan.text(view))
        return find_key(key, haystack, self.lore.policy, self.runner) is not None

    def _search_pieces(self, key: Key, view: View) -> bool:
        """A local regex matches in the view if it matches in one of its pieces."""
        scan, window = self.scan, self._window
        others = [text for bit, text in enumerate(scan.extras) if text and view.extras >> bit & 1]
        others += [inject.text for inject in scan.injects]
        others += [chunk.text for chunk in scan.chunks[: view.chunks]]
        oldest = self._oldest(view)
        for serial in window.regexes.get(key, ()):
            if serial <= oldest:
                break
            if self._try(key, scan.messages[window.top - serial], last=serial == oldest + 1 and not others):
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
    """Gives each key its time once per evaluation, however many pieces it is tried on, and all keys together a limit.

    It is CPU time: what a regex finds does not depend on what else the machine does.
    """

    def __init__(self, regexes: Regexes) -> None:
        super().__init__(regexes)
        self._spent: dict[Key, float] = {}
        self._spent_in_all = 0.0

    def limit_seconds(self) -> float:
        """See `RegexRunner.limit_seconds`."""
        limit = super().limit_seconds()
        if self._spent_in_all < HURRY_AFTER_SECONDS:
            return limit
        return min(limit, HURRIED_SECONDS) if self._spent_in_all < STOP_AFTER_SECONDS else 0

    def search(self, key: Key, text: str) -> tuple[int, int] | None:
        began = thread_time()
        found = super().search(key, text)
        took = thread_time() - began
        self._spent_in_all += took
        spent = self._spent[key] = self._spent.get(key, 0.0) + took
        if found is None and spent > REGEX_SECONDS:
            self.timed_out.setdefault(key, REGEX_SECONDS)
        return found
