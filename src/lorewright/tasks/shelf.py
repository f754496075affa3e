"""Where the task reader's books come from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from lorewright.core.gates import Knowledge, gates_before, is_open
from lorewright.core.javascript import trim
from lorewright.core.model import Book, Entry
from lorewright.tasks.entry import TaskEntry, task_entry

__all__ = ["BookShelf", "Shelf", "name_books"]


class Shelf(Protocol):
    """Books by name. `state` changes whenever one of them does: it is part of a cache's key."""

    @property
    def state(self) -> Hashable: ...

    def read(self, name: str) -> Sequence[TaskEntry]:
        """All entries of a book, none for a name that is unknown.

        Raises:
            InputError: the book is there and cannot be read.
        """


class BookShelf:
    """Books that are read already. What a closed gate withholds is not on it."""

    def __init__(self, books: Iterable[Book], known: Knowledge | None = None) -> None:
        self._books = {trim(book.name): book for book in books}
        self._known = known or Knowledge()

    @property
    def state(self) -> Hashable:
        """The books themselves: a changed book is another one."""
        return tuple(self._books.values())

    def withheld(self, name: str) -> list[int | str]:
        """The ids of the entries of a book that a gate keeps back."""
        book = self._books.get(name)
        return [entry.uid for entry in book.entries if not self._is_open(entry, book)] if book else []

    def read(self, name: str) -> Sequence[TaskEntry]:
        """See `Shelf.read`."""
        book = self._books.get(name)
        if book is None:
            return ()
        return [
            task_entry(entry, name, place) for place, entry in enumerate(book.entries) if self._is_open(entry, book)
        ]

    def _is_open(self, entry: Entry, book: Book) -> bool:
        return all(is_open(gate, self._known) for gate in gates_before(entry, book))


def name_books(*names: str) -> tuple[str, ...]:
    """The names of the books to read, in this order: the character's own, its others, the persona's, the chat's. Each
    once."""
    return tuple(dict.fromkeys(filter(None, map(trim, names))))
