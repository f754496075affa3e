"""Any book as the rows that RisuAI would have, for the profile that plays rows (spec risu §8.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from lorewright.core.authority import tier_of
from lorewright.core.javascript import trim
from lorewright.core.model import ABSENT, Book, Entry
from lorewright.core.rows import ROW
from lorewright.formats.risu_import import decorate
from lorewright.formats.risu_lorebook import FRAME, frame_of, rows_of

__all__ = ["as_rows"]

_made: WeakKeyDictionary[Book, Book] = WeakKeyDictionary()


def as_rows(book: Book) -> Book:
    """The book with an entry for each row in its order, folders too, and the text of each with its decorators.

    A book that was made so is returned as it is; the same book gives the same object.
    """
    if book.entries and all(ROW in entry.extra for entry in book.entries):
        return book
    if book not in _made:
        extra = {name: value for name, value in book.extra.items() if name != FRAME}
        _made[book] = replace(book, entries=tuple(_entries(book)), extra=extra)
    return _made[book]


def _entries(book: Book) -> Iterator[Entry]:
    has_frame = frame_of(book) is not None
    for place, (entry, row) in enumerate(rows_of(book)):
        if isinstance(row, dict):
            content = row.get("content")
            if entry is not None and not has_frame and isinstance(content, str) and not _is_verbatim(entry, book):
                row = {**row, "content": decorate(_without_chance(entry), content)}  # noqa: PLW2901
            yield _as_row(entry or Entry(uid=f"folder:{place}"), row)


def _is_verbatim(entry: Entry, book: Book) -> bool:
    """Whether no line of the content is a decorator, so that none can be put before it."""
    if isinstance(entry.verbatim, bool):
        return entry.verbatim
    mark = book.authority if entry.authority is ABSENT else entry.authority
    return tier_of(mark, entry.source) == "proposal"


def _without_chance(entry: Entry) -> Entry:
    """A row that was RisuAI's has its decorators back; its percentage never was one of them."""
    return replace(entry, use_probability=False) if "mode" in entry.extra else entry


def _as_row(entry: Entry, row: Mapping[str, Any]) -> Entry:
    key, secondary, own_id = row.get("key"), row.get("secondkey"), row.get("id")
    facts = {
        "key": key if isinstance(key, str) else None,
        "secondary": secondary if isinstance(secondary, str) else None,
        "by_regex": row.get("useRegex") is True,
        "is_child": row.get("mode") == "child",
        "id": own_id if isinstance(own_id, str) else None,
    }
    content, title = row.get("content"), row.get("comment")
    return replace(
        entry,
        keys=_keys(key) if isinstance(key, str) else entry.keys,
        secondary=_keys(secondary) if isinstance(secondary, str) else entry.secondary,
        content=content if isinstance(content, str) else entry.content,
        title=title if isinstance(title, str) else entry.title,
        constant=row.get("alwaysActive") is True,
        selective=row.get("selective") is True,
        order=row.get("insertorder", 100) if entry.order is ABSENT else entry.order,
        extra={**entry.extra, ROW: facts},
    )


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key for part in text.split(",") if (key := trim(part)))
