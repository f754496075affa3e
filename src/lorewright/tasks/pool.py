"""The entries that code may ask for, by book and identifier (spec mvu-filter §7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from lorewright.core.javascript import number_text, trim
from lorewright.core.protocols import Regexes
from lorewright.errors import InputError
from lorewright.tasks.entry import TaskEntry
from lorewright.templates.ejs import Pattern
from lorewright.templates.ejs.patterns import PatternSearch

__all__ = ["Identifier", "Pool", "is_identifier", "shown"]

Identifier: TypeAlias = str | int | float | Pattern
"""A title, a uid, or a regular expression over titles."""


def is_identifier(value: object) -> bool:
    """Whether an argument names an entry or a book."""
    return isinstance(value, (str, int, float, Pattern)) and not isinstance(value, bool)


def shown(identifier: Identifier) -> str:
    """The identifier as warnings show it."""
    if isinstance(identifier, Pattern):
        return f"/{identifier.source}/{identifier.flags}"
    return trim(identifier) if isinstance(identifier, str) else number_text(identifier)


class Pool:
    """Entries by name, comment and uid, in all books and in each; of two with one name the first is found.

    `load` gives the entries of a book that is not there yet; each book is asked for once. `loaded` are the books that
    came so, `failed` those that could not be read.
    """

    def __init__(
        self, entries: Iterable[TaskEntry], load: Callable[[str], Iterable[TaskEntry]], regexes: Regexes
    ) -> None:
        self.entries = list(entries)
        self.loaded: list[str] = []
        self.failed: list[str] = []
        self._load = load
        self._patterns = PatternSearch(regexes)
        self._all: dict[str, TaskEntry] = {}
        self._books: dict[str, dict[str, TaskEntry]] = {}
        self._asked: set[str] = set()
        self._listed = 0

    def find(self, book: Identifier | None, identifier: Identifier, current: str) -> TaskEntry | None:
        """An entry: from the named book, else from the current one, else from any.

        A named book that is not there is loaded, and then everything is tried again.
        """
        self._list()
        found = self._search(book, identifier, current)
        if found is None and isinstance(book, str) and self._fetch(trim(book)):
            found = self._search(book, identifier, current)
        return found

    def _list(self) -> None:
        """Put the entries that are new under their names; nothing is, before somebody asks."""
        for entry in self.entries[self._listed :]:
            here = self._books.setdefault(entry.book, {})
            for name in filter(None, (entry.name, entry.comment, entry.uid_text)):
                self._all.setdefault(name, entry)
                here.setdefault(name, entry)
        self._listed = len(self.entries)

    def _fetch(self, book: str) -> bool:
        """Whether entries of the book have come."""
        if not book or book in self._books or book in self._asked:
            return False
        self._asked.add(book)
        try:
            self.entries += self._load(book)
        except InputError:
            self.failed.append(book)
        self._list()
        if book not in self._books:
            return False
        self.loaded.append(book)
        return True

    def _search(self, book: Identifier | None, identifier: Identifier, current: str) -> TaskEntry | None:
        for names in self._where(book, current):
            if not isinstance(identifier, Pattern):
                if found := names.get(shown(identifier)):
                    return found
            elif found := next((entry for entry in names.values() if self._matches(identifier, entry)), None):
                return found
        return None

    def _where(self, book: Identifier | None, current: str) -> Iterator[dict[str, TaskEntry]]:
        if isinstance(book, str):
            yield self._books.get(trim(book), {})
        elif isinstance(book, Pattern):
            yield from (names for name, names in self._books.items() if self._patterns.is_in(name, book))
        yield self._books.get(current, {})
        yield self._all

    def _matches(self, pattern: Pattern, entry: TaskEntry) -> bool:
        return self._patterns.is_in(entry.comment, pattern) or self._patterns.is_in(entry.name, pattern)
