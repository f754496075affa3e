"""What a person agrees to who trusts a book: exactly these entries."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import fields
from typing import Final

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.core.written import written

__all__ = ["book_digest", "trusted_names"]

_FIELDS: Final = tuple(field.name for field in fields(Entry) if field.name != "layout")


def book_digest(book: Book) -> str:
    """SHA-256 over all that the entries of a book say, in hex. Any edit gives another one; the book's name does not
    count."""
    digest = hashlib.sha256()
    for entry in book.entries:
        stated = ((name, getattr(entry, name)) for name in _FIELDS)
        text = "\x1f".join(f"{name}={written(value)}" for name, value in stated if value is not ABSENT)
        digest.update(text.encode("utf-8", "surrogatepass") + b"\x1e")
    return digest.hexdigest()


def trusted_names(books: Iterable[Book], digests: Collection[str], named: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the books whose code may run: every book of that name is as it was when it was trusted, or the name
    is among `named`."""
    found: dict[str, bool] = {}
    for book in books:
        found[book.name] = found.get(book.name, True) and (book.name in named or book_digest(book) in digests)
    return tuple(sorted(name for name, is_trusted in found.items() if is_trusted))
