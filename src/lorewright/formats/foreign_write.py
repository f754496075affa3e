"""`Book` -> books of other programs: the parsed file with what has changed, or a new one (spec formats §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.formats.dialect import ENTRIES, FACTORY, FILTER, NAMESPACE, Dialect, Home, Originals, follow
from lorewright.formats.entry_filter import write_filter
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.marks import ENTRY_MARKS, has_marks, put_marks
from lorewright.formats.native.table import BOOK_MARKS
from lorewright.formats.shelf import Place
from lorewright.formats.world_info_entry import COLUMNS

__all__ = ["write_foreign"]

_JSON: Final = (str, int, float, list, dict, type(None))
"""What is something else in `extra` is a memory of another format."""

_NEUTRAL: Final[Mapping[str, object]] = {**FACTORY, "role": 0, "groupWeight": 100, "scanDepth": None}
"""Values that need no place in a format that has none for them. So do false, null and what is empty."""


_FIELDS: Final = tuple(one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout", *ENTRY_MARKS})
_NAMES: Final = {column.field: name for name, column in COLUMNS.items()} | {"filter": FILTER}


def write_foreign(
    book: Book,
    dialect: Dialect,
    envelope: Callable[[list[dict[str, Any]], Mapping[str, object]], Any],
    notes: Notes | None = None,
) -> Any:
    """The JSON value of the file. `envelope` makes a new file of entries and fields of a book, for a book of elsewhere.

    Entries that were removed are left out, entries that were added stand at the end. `notes` takes reports
    (`loss_on_export`) of fields for which the format has no place.
    """
    writer = _Writer(dialect)
    originals = book.extra.get(ENTRIES)
    if isinstance(originals, Originals) and originals.format == dialect.format:
        value = _write_over(originals, book, writer)
    else:
        extra = {name: kept for name, kept in book.extra.items() if name != ENTRIES and isinstance(kept, _JSON)}
        own = {name: kept for name, kept in extra.items() if dialect.is_book_field(name)}
        has_place = dialect.extends and dialect.is_book_field("extensions")
        value = envelope([writer.fresh(entry) for entry in book.entries], put_marks(own, book) if has_place else own)
        writer.left_out = [name for name in extra if name not in own and name != "name"]
        if not has_place:
            writer.left_out += [name for name in BOOK_MARKS if getattr(book, name) is not ABSENT]
    if notes is not None:
        writer.report(notes)
    return value


def _write_over(originals: Originals, book: Book, writer: _Writer) -> Any:
    container = follow(originals.whole, originals.path)
    by_id = {entry.uid: entry for entry in book.entries}
    written: dict[Place, object] = {}
    for place, raw in container.items() if isinstance(container, dict) else enumerate(_list(container)):
        if place not in originals.uids:
            written[place] = raw
        elif (entry := by_id.pop(originals.uids[place], None)) is not None:
            written[place] = writer.over(raw, originals.entries[entry.uid], entry)
    for entry in by_id.values():
        place = str(entry.uid)
        while place in written:
            place += "#"
        written[place] = writer.fresh(entry)
    if not isinstance(container, (dict, list)) and not written:
        entries: Any = container
    else:
        entries = written if isinstance(container, dict) else list(written.values())
    return entries if not originals.path else _write_fields(originals, book, entries)


def _write_fields(originals: Originals, book: Book, entries: Any) -> Any:
    """The file with these entries and with what has changed in the other fields of the book."""
    whole = dict(originals.whole)
    if entries is not ABSENT:
        Home(originals.path).put(whole, entries)
    extra = put_marks({name: value for name, value in book.extra.items() if name != ENTRIES}, book)
    for name in originals.extra:
        if name not in extra:
            Home((*originals.path[:-1], name)).drop(whole)
    for name, value in extra.items():
        if name not in originals.extra or not is_exact(value, originals.extra[name]):
            Home((*originals.path[:-1], name)).put(whole, value)
    return whole


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


class _Writer:
    """Writes the entries of one book, and remembers what had no place."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._lost: Counter[str] = Counter()
        self._unclear: Counter[str] = Counter()
        self.left_out: list[str] = []

    def over(self, raw: dict[str, Any], before: Entry, after: Entry) -> dict[str, Any]:
        """The foreign entry with what changed since it was read."""
        if after is before:
            return raw
        written = dict(raw)
        self._put_extra(written, before.extra, after.extra)
        changed = self._changed(before, after)
        for name in filter(changed, _FIELDS):
            self._put(written, name, getattr(after, name))
        return self._with_marks(written, after)

    def fresh(self, entry: Entry) -> dict[str, Any]:
        """A foreign entry for one that comes from elsewhere."""
        written: dict[str, Any] = {self.dialect.id_name: entry.uid} if self.dialect.id_name else {}
        written.update(self.dialect.blank)
        written.update(self.dialect.begin(entry) if self.dialect.begin else {})
        heads = {place.path[0]: len(place.path) for places in self.dialect.homes.values() for place in places}
        for name, depth in heads.items():
            if depth > 1 and isinstance(kept := entry.extra.get(name), dict):
                written[name] = kept
        for name in _FIELDS:
            self._put(written, name, getattr(entry, name), is_new=True)
        for name, kept in entry.extra.items():
            if name in heads and isinstance(kept, _JSON):
                written.setdefault(name, kept)
            elif name not in COLUMNS and name != FILTER and isinstance(kept, _JSON):
                written[name] = kept
        return self._with_marks(written, entry)

    def report(self, notes: Notes) -> None:
        for name in self.left_out:
            notes.add(
                "loss_on_export", f"`{name}` of the book has no place in this format and is left out.", field=name
            )
        for name, number in self._lost.items():
            message = f"`{name}` of {number} entries has no place in this format and is left out."
            notes.add("loss_on_export", message, field=name)
        for name, number in self._unclear.items():
            message = f"`{name}` of {number} entries holds commas, which separate the keys of this format."
            notes.add("loss_on_export", message, field=name)

    def _with_marks(self, written: dict[str, Any], entry: Entry) -> dict[str, Any]:
        """With the fields that only we have, if there is a place for them."""
        if self.dialect.extends or has_marks(written):
            return put_marks(written, entry)
        self._lost.update(name for name in ENTRY_MARKS if getattr(entry, name) not in (ABSENT, None))
        return written

    @staticmethod
    def _changed(before: Entry, after: Entry) -> Callable[[str], bool]:
        def changed(name: str) -> bool:
            left, right = getattr(before, name), getattr(after, name)
            return left is not right and (type(left) is not type(right) or left != right)

        return changed

    @staticmethod
    def _put_extra(written: dict[str, Any], before: Mapping[str, object], after: Mapping[str, object]) -> None:
        for name in before:
            if name not in after:
                written.pop(name, None)
        written |= {
            name: value for name, value in after.items() if name not in before or not is_exact(value, before[name])
        }

    def _put(self, written: dict[str, Any], name: str, value: Any, *, is_new: bool = False) -> None:
        """Write a field to every place that it has in this entry, or else to its first."""
        column = _NAMES[name]
        table = self.dialect.homes_of(written)
        places = table.get(column, ())
        used = _used(written, places, only_alike=name == "title") or list(places[:1])
        if value is ABSENT:
            for place in used:
                place.drop(written)
            return
        plain = write_filter(value, (column,))[column] if name == "filter" else COLUMNS[column].write(value)
        neutral = plain == _NEUTRAL[column] if column in _NEUTRAL else not truthy(plain) or plain == []
        implied = is_new and column in table
        if not used and not neutral and not implied:
            self._lost[name] += 1
        if used and not any(_holds(place, plain) for place in used):
            exact = next((place for place in places if _holds(place, plain)), None)
            used += [exact] if exact else []
            self._unclear[name] += exact is None and not isinstance(value, Odd)
        for place in used:
            ours = place.path[:2] == ("extensions", NAMESPACE)
            if not (neutral and ours and place.get(written) is ABSENT):
                place.put(written, place.back(plain))


def _used(raw: Mapping[str, Any], places: tuple[Home, ...], *, only_alike: bool) -> list[Home]:
    """The places that an entry has; `only_alike` leaves out those that say something else than the chosen one."""
    there = [(place, place.into(value)) for place in places if (value := place.get(raw)) is not ABSENT]
    if not only_alike or not there:
        return [place for place, _ in there]
    chosen = next((value for _, value in there if value not in (None, "", [])), there[0][1])
    return [place for place, value in there if value == chosen]


def _holds(place: Home, value: object) -> bool:
    """Whether a value can stand in this place and be read again as what it is."""
    return is_exact(place.into(place.back(value)), value)
