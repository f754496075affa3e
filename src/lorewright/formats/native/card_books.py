"""The lorebook in a card of ours: a book like any other of ours, beside it what its card needs to have it back.

Nearly everything in a `character_book` stands in the book itself. What is left is kept as `shapes`: which members an
entry had, in their order, once for all entries that are alike; and by the entry's uid what differs from the first shape
or cannot be had from the book. A book that does not come back in this way (entries that are no objects, or a mapping)
is kept whole as `raw`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.formats.character_book import read_character_book
from lorewright.formats.character_book_write import write_book_over
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Imported
from lorewright.formats.marks import put_marks
from lorewright.formats.native.read import read_native
from lorewright.formats.native.table import VERSION
from lorewright.formats.native.write import as_native, native_value, plain_value
from lorewright.formats.stash import take_stash

__all__ = ["IMPORTED", "book_value", "read_book_value", "write_card_book"]

_ENTRIES: Final = "entries"
_NAME: Final = "name"
_FIELDS: Final = {
    "id": "uid",
    "uid": "uid",
    "keys": "keys",
    "secondary_keys": "secondary",
    "comment": "title",
    "content": "content",
    "enabled": "enabled",
    "constant": "constant",
    "selective": "selective",
    "insertion_order": "order",
    "case_sensitive": "case_sensitive",
}
"""Members of an entry that stand in a field of the model; all others stand in its `extra`."""
IMPORTED: Final = "user_import"
"""The source of a book that says nothing of one, once it is imported; it is no part of the card."""


def book_value(raw: Mapping[str, Any], book: Book) -> tuple[dict[str, Any], dict[str, Any]]:
    """The value of a card's book in our file, and what `write_card_book` needs to give back `raw`, of which it was read."""
    plain = as_native(take_stash(book))[0]
    own = plain.extra.get(_NAME)
    is_named = isinstance(own, str) and own == plain.name
    if is_named:
        plain = replace(plain, extra={name: kept for name, kept in plain.extra.items() if name != _NAME})
    value = native_value(plain)
    value.pop("lorewright")
    if not is_named and isinstance(value[_NAME], str):
        value.pop(_NAME)  # it is called after the file
    read = read_book_value(value, book.name).value
    kept = _account(raw, read)
    return value, kept if is_exact(write_card_book(read, kept), raw) else {"raw": raw}


def read_book_value(value: Mapping[str, Any], name: str) -> Imported[Book]:
    """The book in a card's file of ours. It is called `name` if it has none; a name that it has is the card's to keep.

    Raises:
        FormatError: its entries are no list, or too many.
    """
    read = read_native({**value, "lorewright": VERSION}, name=name or None)
    own = value.get(_NAME)
    if not isinstance(own, str) or not own or _NAME in read.value.extra:
        return read
    return replace(read, value=replace(read.value, extra={**read.value.extra, _NAME: own}))


def write_card_book(book: Book, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The `character_book` with what has changed since in the book. Fields that a card has no place for are kept under
    our name in `extensions`, as in a card that is written anew."""
    raw = kept.get("raw")
    if not isinstance(raw, dict):
        raw = _rebuilt(book, kept)
    before = take_stash(read_character_book(raw, name=book.name).value)
    old = {entry.uid: entry for entry in before.entries}
    source = ABSENT if book.source == IMPORTED else book.source
    entries = tuple(_same(old.get(entry.uid), entry) for entry in book.entries)
    written = write_book_over(raw, before, replace(book, entries=entries))
    return put_marks(written, replace(book, source=source))


def _same(before: Entry | None, entry: Entry) -> Entry:
    """The entry as it was read, if the one of our file says the same."""
    return before if before is not None and replace(before, layout=()) == entry else entry


def _account(raw: Mapping[str, Any], book: Book) -> dict[str, Any]:
    items = raw.get(_ENTRIES)
    if (
        not isinstance(items, list)
        or len(items) != len(book.entries)
        or not all(isinstance(one, dict) for one in items)
    ):
        return {}
    shapes = [" ".join(item) for item in items]
    ranked = [shape for shape, _ in Counter(shapes).most_common()]
    entries: dict[str, Any] = {}
    for item, shape, entry in zip(items, shapes, book.entries, strict=True):
        odd = {name: value for name, value in item.items() if not is_exact(_member(entry, name), value)}
        place = ranked.index(shape)
        if place or odd:
            entries[str(entry.uid)] = ({"shape": place} if place else {}) | ({"members": odd} if odd else {})
    odd = {
        name: value
        for name, value in raw.items()
        if name != _ENTRIES and not is_exact(book.extra.get(name, ABSENT), value)
    }
    made = {"shape": " ".join(raw), "members": odd, "shapes": ranked, _ENTRIES: entries}
    return {name: value for name, value in made.items() if value}


def _member(entry: Entry, name: str) -> object:
    """What the book says for a member of an entry."""
    if name == "position":
        return "before_char" if entry.position == 0 else "after_char"
    field = _FIELDS.get(name)
    return entry.extra.get(name, ABSENT) if field is None else plain_value(getattr(entry, field))


def _rebuilt(book: Book, kept: Mapping[str, Any]) -> dict[str, Any]:
    """The `character_book` as it was before our file was edited, as far as that can be told."""
    shapes = [shape.split(" ") for shape in _list(kept.get("shapes")) if isinstance(shape, str)]
    apart = _mapping(kept.get(_ENTRIES))
    made = {
        name: _mapping(kept.get("members")).get(name, book.extra.get(name, ABSENT))
        for name in (str(kept.get("shape", "")).split(" ") if kept.get("shape") else [*book.extra, _ENTRIES])
    }
    made[_ENTRIES] = [_rebuilt_entry(entry, _mapping(apart.get(str(entry.uid))), shapes) for entry in book.entries]
    return {name: value for name, value in made.items() if value is not ABSENT}


def _rebuilt_entry(entry: Entry, kept: Mapping[str, Any], shapes: list[list[str]]) -> dict[str, Any]:
    place, odd = kept.get("shape", 0), _mapping(kept.get("members"))
    names = shapes[place] if isinstance(place, int) and 0 <= place < len(shapes) else _NEW
    values = {name: odd.get(name, _member(entry, name)) for name in names}
    return {name: value for name, value in values.items() if value is not ABSENT}


_NEW: Final = ["id", "keys", "content", "extensions", "enabled", "insertion_order"]
"""What an entry of a new card has."""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
