"""Reading the books of a task through the filter (spec mvu-filter §3, §4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lorewright.core.javascript import trim
from lorewright.errors import InputError
from lorewright.mvu.sanitize import Blocked
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.runway import Removal, Runway
from lorewright.tasks.shelf import Shelf

__all__ = ["Collected", "Memory", "Sieve", "collect"]


@dataclass(slots=True)
class Memory:
    """What is remembered of filtered entries; it grows while code makes more books be read.

    blocked: their texts, in the order in which they came, repeats included. lookup: them by book and title.
    """

    blocked: list[str] = field(default_factory=list)
    lookup: dict[tuple[str, str], Removal] = field(default_factory=dict)
    _prepared: tuple[int, Blocked] = field(default=(0, Blocked()), init=False, repr=False, compare=False)

    def copy(self) -> Memory:
        """Another memory of the same things."""
        return Memory(list(self.blocked), dict(self.lookup))

    def find(self, book: str, title: str) -> Removal | None:
        """A filtered entry by its title; with the empty name of a book, in any book."""
        if book or not title:
            return self.lookup.get((book, title))
        return next((removal for (_, name), removal in self.lookup.items() if name == title), None)

    def blocked_texts(self) -> Blocked:
        """The texts as the sanitizer takes them."""
        count, prepared = self._prepared
        if count != len(self.blocked):
            prepared = Blocked.of(self.blocked)
            self._prepared = (len(self.blocked), prepared)
        return prepared


@dataclass(frozen=True, slots=True)
class Collected:
    """The entries a task may read, those it may not, and the books. failed: books that could not be read, and why."""

    requested: tuple[str, ...] = ()
    entries: tuple[TaskEntry, ...] = ()
    removed: tuple[Removal, ...] = ()
    memory: Memory = field(default_factory=Memory)
    failed: tuple[tuple[str, str], ...] = ()

    def copy(self) -> Collected:
        """The same with a memory of its own."""
        return replace(self, memory=self.memory.copy())


class Sieve:
    """Lets entries through or remembers why not."""

    def __init__(self, runway: Runway, memory: Memory | None = None, *, lazy: bool = False) -> None:
        self.memory = memory or Memory()
        self.removed: list[Removal] = []
        self._runway = runway
        self._lazy = lazy
        self._seen: set[str] = set()

    def sift(self, entries: Iterable[TaskEntry]) -> list[TaskEntry]:
        """The entries that pass."""
        kept: list[TaskEntry] = []
        for entry in entries:
            removal = self._runway.filter(entry)
            if removal is None:
                kept.append(entry)
            else:
                self._take(replace(removal, lazy=self._lazy))
        return kept

    def _take(self, removal: Removal) -> None:
        entry = removal.entry
        if self._runway.remembers:
            for title in filter(None, (entry.name, entry.comment)):
                self.memory.lookup[entry.book, title] = removal
            identity = f"{entry.identity}:{removal.reason}"
            if identity in self._seen:
                return
            self._seen.add(identity)
            if text := trim(entry.text):
                self.memory.blocked.append(text)
        self.removed.append(removal)


def collect(names: tuple[str, ...], shelf: Shelf, runway: Runway) -> Collected:
    """The entries of the books in their order. A book that cannot be read is passed over and told."""
    sieve = Sieve(runway)
    entries: list[TaskEntry] = []
    failed: list[tuple[str, str]] = []
    for name in names:
        try:
            entries += sieve.sift(shelf.read(name))
        except InputError as error:
            failed.append((name, error.message))
    return Collected(names, tuple(entries), tuple(sieve.removed), sieve.memory, tuple(failed))
