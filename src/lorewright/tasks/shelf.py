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
    """Books that are read already; two of one name are one. What a closed gate withholds is not on it.

    Keep it from task to task: what is made of an entry is made once.
    """

    def __init__(self, books: Iterable[Book], known: Knowledge | None = None) -> None:
        self._books: dict[str, list[Book]] = {}
        for book in books:
            self._books.setdefault(trim(book.name), []).append(book)
        self._known = known or Knowledge()
        self._read: dict[str, list[TaskEntry]] = {}

    @property
    def state(self) -> Hashable:
        """The books themselves: a changed book is another one."""
        return tuple(book for books in self._books.values() for book in books)

    def withheld(self, name: str) -> list[int | str]:
        """The ids of the entries of a book that a gate keeps back."""
        books = self._books.get(name, ())
        return [entry.uid for book in books for entry in book.entries if not self._is_open(entry, book)]

    def read(self, name: str) -> Sequence[TaskEntry]:
        """See `Shelf.read`."""
        if name not in self._read:
            books = self._books.get(name, ())
            open_ones = (entry for book in books for entry in book.entries if self._is_open(entry, book))
            self._read[name] = [task_entry(entry, name, place) for place, entry in enumerate(open_ones)]
        return self._read[name]

    def _is_open(self, entry: Entry, book: Book) -> bool:
        return all(is_open(gate, self._known) for gate in gates_before(entry, book))


def name_books(*names: str) -> tuple[str, ...]:
    """The names of the books to read, in this order: the character's own, its others, the persona's, the chat's. Each
    once."""
    return tuple(dict.fromkeys(filter(None, map(trim, names))))
