"""The entries that code can ask for: those of its own book and of others that are trusted, never one that is closed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lorewright.core.javascript import value_as_text
from lorewright.core.model import Book, Entry
from lorewright.core.protocols import Regexes
from lorewright.templates.context import Json
from lorewright.templates.ejs.patterns import PatternSearch
from lorewright.templates.ejs.scene import Pattern

__all__ = ["Found", "Library", "Wanted", "listed", "read_wanted"]

Identifier = str | int | float | Pattern


class Found(NamedTuple):
    """An entry and the name of its book."""

    book: str
    entry: Entry

    @property
    def id(self) -> str:
        return f"{self.book}.{self.entry.uid}"

    @property
    def content(self) -> str:
        return self.entry.content if isinstance(self.entry.content, str) else ""

    @property
    def title(self) -> str:
        return self.entry.title if isinstance(self.entry.title, str) else ""


class Wanted(NamedTuple):
    """What a call names: a book (None: any, its own first) and an entry (None: nothing that can name one)."""

    book: Identifier | None
    entry: Identifier | None


def read_wanted(arguments: Sequence[Any]) -> Wanted:
    """The arguments of `getwi` and `activewi`: a book and an entry, or an entry alone."""
    first, second = (*arguments, None, None)[:2]
    if _is_identifier(second):
        return Wanted(first if _is_identifier(first) and first != "" else None, second)
    return Wanted(None, first if _is_identifier(first) else None)


class Library:
    """The books of a turn. `books` are without what is closed."""

    def __init__(self, books: Sequence[Book], trusted: Sequence[str], regexes: Regexes) -> None:
        self._books = {book.name: book for book in books if book.name in trusted}
        self._closed_off = frozenset(book.name for book in books) - set(self._books)
        self._patterns = PatternSearch(regexes)
        self._indexes: dict[str, dict[str, Found]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the books that code may read."""
        return tuple(self._books)

    def is_closed_off(self, book: Identifier | None) -> bool:
        """Whether a call names a book that takes part, but may not be read."""
        return isinstance(book, str) and book in self._closed_off

    def entries(self, current: str, book: Identifier | None = None) -> Iterator[Found]:
        """The entries of the named books, else of all, those of the current one first."""
        chosen = self._chosen(current, book)
        return (Found(name, entry) for name in chosen for entry in self._books[name].entries)

    def find(self, wanted: Wanted, current: str) -> Found | None:
        """The entry with this title or uid; else the first one whose title contains the text."""
        entry = wanted.entry
        if entry is None or entry == "":
            return None
        if isinstance(entry, Pattern):
            return next((one for one in self.entries(current, wanted.book) if self._is_named(one.title, entry)), None)
        name = value_as_text(entry).strip()
        for book in self._chosen(current, wanted.book):
            if found := self._index(book).get(name):
                return found
        if not isinstance(entry, str):
            return None
        return next((one for one in self.entries(current, wanted.book) if name in one.title), None)

    def _index(self, book: str) -> dict[str, Found]:
        """A book's entries by title, then by uid; of equals the first."""
        if book not in self._indexes:
            found = [Found(book, entry) for entry in self._books[book].entries]
            index = {value_as_text(one.entry.uid): one for one in reversed(found)}
            self._indexes[book] = index | {one.title.strip(): one for one in reversed(found) if one.title.strip()}
        return self._indexes[book]

    def _chosen(self, current: str, book: Identifier | None) -> list[str]:
        if book is None:
            return sorted(self._books, key=lambda name: name != current)
        return [name for name in self._books if self._is_named(name, book)]

    def _is_named(self, name: str, identifier: Identifier) -> bool:
        if not isinstance(identifier, Pattern):
            return name.strip() == value_as_text(identifier).strip()
        return self._patterns.is_in(name, identifier)


def listed(found: Found) -> dict[str, Json]:
    """An entry as lists have it, in SillyTavern's words."""
    entry = found.entry
    return {
        "uid": entry.uid,
        "comment": found.title,
        "content": found.content,
        "world": found.book,
        "key": list(entry.keys) if isinstance(entry.keys, tuple) else [],
        "keysecondary": list(entry.secondary) if isinstance(entry.secondary, tuple) else [],
        "constant": entry.constant is True,
        "disable": entry.enabled is False,
        "order": entry.order if isinstance(entry.order, int | float) else 100,
        "position": entry.position if isinstance(entry.position, int) else 0,
        "depth": entry.depth if isinstance(entry.depth, int | float) else 4,
    }


def _is_identifier(value: Any) -> bool:
    return isinstance(value, str | int | float | Pattern) and not isinstance(value, bool)
