"""Which books may run code here: those that somebody trusted as they are now."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lorewright.core.consent import trusted_names
from lorewright.core.model import Book, Entry
from lorewright.core.program import read_program
from lorewright.storage.consents import read_consents
from lorewright.storage.data_folder import data_folder

__all__ = ["consents_path", "has_code", "trusted_books"]


def consents_path() -> str:
    """The file with the list of trusted books. It may not be there yet."""
    return str(data_folder() / "trusted-books.json")


def has_code(entry: Entry) -> bool:
    """Whether an entry would run code if its book were trusted."""
    content = entry.content if isinstance(entry.content, str) else ""
    title = entry.title if isinstance(entry.title, str) else ""
    return "<%" in content or read_program(content, title) is not None


def trusted_books(books: Iterable[Book], named: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the books with code whose code may run: they are in the list as they are now, or among `named`.

    Raises:
        InputError: the list cannot be read.
    """
    with_code = [book for book in books if any(map(has_code, book.entries))]
    return trusted_names(with_code, read_consents(consents_path()), named) if with_code else ()
