"""What is different in two books: entries added, removed, changed, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.formats.dialect import EXTENSIONS_NAME, FILTER, NAMESPACE
from lorewright.formats.fields import is_exact
from lorewright.formats.native.write import plain_value
from lorewright.formats.stash import take_stash
from lorewright.formats.world_info_entry import COLUMNS

__all__ = ["BookDifference", "Change", "compare_books"]

_FIELDS: Final = tuple(one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"})


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs. A side that does not have it holds `ABSENT`."""

    field: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class BookDifference:
    """The entries that only one book has, those of both that differ (as they are in the first), and other fields."""

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    changed: tuple[tuple[Entry, tuple[Change, ...]], ...]
    book: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.book)


def compare_books(before: Book, after: Book) -> BookDifference:
    """Compare two books. Entries belong together by their uid, or else if nothing but their uid differs.

    The names of the books and traces of their files do not count, nor does what Lorewright noted under its own name in
    `extensions` when it wrote the file: a field that is noted there counts as what it was. A `name` that only one file
    says is compared with the name of the other book.
    """
    before, after = _without_notes(before), _without_notes(after)
    left = {str(entry.uid): entry for entry in before.entries}
    right = {str(entry.uid): entry for entry in after.entries}
    removed = [entry for uid, entry in left.items() if uid not in right]
    added = [entry for uid, entry in right.items() if uid not in left]
    for entry in tuple(removed):
        twin = next((one for one in added if not any(_changes(entry, one))), None)
        if twin is not None:
            removed.remove(entry)
            added.remove(twin)
    changed = tuple(
        (entry, changes)
        for uid, entry in left.items()
        if uid in right and (changes := tuple(_changes(entry, right[uid])))
    )
    return BookDifference(tuple(added), tuple(removed), changed, tuple(_of_book(before, after)))


def _without_notes(book: Book) -> Book:
    """As the book was before Lorewright wrote it in another format."""
    book = take_stash(book)
    if not any(EXTENSIONS_NAME in entry.extra for entry in book.entries):
        return book
    return replace(book, entries=tuple(map(_without_own_homes, book.entries)))


def _without_own_homes(entry: Entry) -> Entry:
    """Without the fields that are kept under our name for want of another place; they were read into the model."""
    extensions = entry.extra.get(EXTENSIONS_NAME)
    own = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    if not isinstance(extensions, dict) or not isinstance(own, dict) or own.keys().isdisjoint(_OWN_HOMES):
        return entry
    left = {name: value for name, value in own.items() if name not in _OWN_HOMES}
    rest = {name: value for name, value in extensions.items() if name != NAMESPACE}
    if left:
        rest[NAMESPACE] = left
    extra = {name: value for name, value in entry.extra.items() if name != EXTENSIONS_NAME}
    return replace(entry, extra=extra | ({EXTENSIONS_NAME: rest} if rest else {}))


_OWN_HOMES: Final = frozenset({*COLUMNS, FILTER})


def _of_book(before: Book, after: Book) -> Iterator[Change]:
    for change in _extra(before.extra, after.extra, ""):
        is_title = change.field == "name" and ABSENT in (change.before, change.after)
        if not is_title or (change.before != after.name and change.after != before.name):
            yield change


def _changes(left: Entry, right: Entry) -> Iterator[Change]:
    for name in _FIELDS:
        old, new = getattr(left, name), getattr(right, name)
        if old is not new and (type(old) is not type(new) or old != new):
            yield Change(name, _plain(old), _plain(new))
    yield from _extra(left.extra, right.extra, "extra.")


def _extra(left: Mapping[str, object], right: Mapping[str, object], above: str) -> Iterator[Change]:
    for name in {**left, **right}:
        old, new = left.get(name, ABSENT), right.get(name, ABSENT)
        is_trace = any(type(side).__module__.startswith("lorewright.formats") for side in (old, new))
        if not is_trace and not is_exact(old, new):
            yield Change(above + name, old, new)


def _plain(value: object) -> object:
    return value if value is ABSENT else plain_value(value)
