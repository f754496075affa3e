"""Which entries of a card go into which request: with the story, or with a request of its own for the update (spec
mvu-filter §1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from lorewright.core.model import ActiveBook, Entry
from lorewright.mvu.titles import PLOT, UPDATE, Mark, has_mark

__all__ = ["Request", "UpdateMode", "books_for"]

UpdateMode: TypeAlias = Literal["inline", "separate"]
"""`inline`: the model writes its commands with the story. `separate`: another request asks for them."""

Request: TypeAlias = Literal["story", "update"]

_MARKS: Final[dict[Request, tuple[Mark, Mark]]] = {"story": (PLOT, UPDATE), "update": (UPDATE, PLOT)}
"""Of each request: the mark of its own entries, and that of the other's."""


def books_for(
    books: Iterable[ActiveBook], request: Request = "story", mode: UpdateMode = "inline"
) -> tuple[ActiveBook, ...]:
    """The books without the entries that are for the other request alone. Inline, every entry stays where it is; one
    with both marks in its title is for both."""
    if mode == "inline":
        return tuple(books)
    return tuple(
        replace(
            active,
            book=replace(active.book, entries=tuple(one for one in active.book.entries if _belongs(one, request))),
        )
        for active in books
    )


def _belongs(entry: Entry, request: Request) -> bool:
    own, other = _MARKS[request]
    return has_mark(entry.title, own) or not has_mark(entry.title, other)
