"""`Book` -> books of other programs: the parsed file with what has changed, or a new one (spec formats §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, EMPTY, Book, Entry
from lorewright.formats.dialect import (
    ENTRIES,
    FACTORY,
    FILTER,
    NAMESPACE,
    Dialect,
    Home,
    Homes,
    Originals,
    as_it_is,
    follow,
)
from lorewright.formats.entry_filter import write_filter
from lorewright.formats.fields import is_exact
from lorewright.formats.marks import ENTRY_MARKS, has_marks, put_marks
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
) -> Any:
    """The JSON value of the file. `envelope` makes a new file of entries and fields of a book, for a book of elsewhere.

    Entries that were removed are left out, entries that were added stand at the end. A field for which the format has
    no place is left out.
    """
    writer = _Writer(dialect)
    originals = book.extra.get(ENTRIES)
    if isinstance(originals, Originals) and originals.format == dialect.format:
        return _write_over(originals, book, writer)
    own = {
        name: kept
        for name, kept in book.extra.items()
        if name != ENTRIES and isinstance(kept, _JSON) and dialect.is_book_field(name)
    }
    has_place = dialect.extends and dialect.is_book_field("extensions")
    return envelope([writer.fresh(entry) for entry in book.entries], put_marks(own, book) if has_place else own)


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


_VARYING: Final = ("title", "content", "keys", "secondary", "order", "group", "outlet")
_VALUES: Final = attrgetter(*_VARYING)
_STEADY: Final = attrgetter(*(name for name in _FIELDS if name not in _VARYING))
"""Most entries of a book have the same values in all fields but a few; then one of them is the template of the others."""

_NEEDED: Final = frozenset({"keys", "content"})
"""An entry without these is not known as one by any program; a new one has them, be they empty."""
_SAID: Final = frozenset({"enabled"})
"""A new entry that says nothing here says what that means: SillyTavern switches an entry of a card off that does not say
whether it is enabled (spec formats §1)."""

_Puts = tuple[tuple[tuple[str, ...], object], ...]
"""What to set where."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """The places of a field in entries with these names: all, those to be written, and of these those not yet there.

    `only` is where a text or a list goes as it stands, if that is one place.
    """

    name: str
    places: tuple[Home, ...]
    used: tuple[Home, ...]
    empty: frozenset[tuple[str, ...]]
    only: tuple[str, ...] | None
    known: dict[tuple[type, object], _Puts] = field(default_factory=dict)
    """What was found for empty values and whole numbers, which occur again and again."""

    def puts(self, value: Any) -> _Puts:
        """A value goes to every place that the field has in the entry, or else to its first; and to the first that can
        hold it, if none of them can."""
        if not self.used:
            return ()
        if type(value) not in {str, tuple, int} or (value and type(value) is not int):
            return self._puts(value)
        known = self.known.get((type(value), value))
        if known is None:
            known = self.known[type(value), value] = self._puts(value)
        return known

    def _puts(self, value: Any) -> _Puts:
        column = _NAMES[self.name]
        plain = write_filter(value, (column,))[column] if self.name == "filter" else COLUMNS[column].write(value)
        neutral = plain == _NEUTRAL[column] if column in _NEUTRAL else not truthy(plain) or plain == []
        used = self.used
        if not any(_holds(place, plain) for place in used):
            used = (*used, *[place for place in self.places if _holds(place, plain)][:1])
        return tuple(
            (place.path, place.back(plain))
            for place in used
            if not (neutral and place.path in self.empty and place.path[:2] == ("extensions", NAMESPACE))
        )


def _slot(table: Homes, written: Mapping[str, Any], name: str) -> _Slot:
    places = table.get(_NAMES[name], ())
    used = tuple(_used(written, places, only_alike=name == "title")) or places[:1]
    empty = frozenset(place.path for place in used if place.get(written) is ABSENT)
    only = used[0].path if len(used) == 1 and used[0].back is as_it_is else None
    return _Slot(name, places, used, empty, only)


class _Writer:
    """Writes the entries of one book."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        paths = [place.path for places in dialect.homes.values() for place in places]
        self._heads = {path[0] for path in paths}
        self._deep = {path[0] for path in paths if len(path) > 1}
        blank: dict[str, Any] = dict(dialect.blank)
        table = dialect.homes_of(blank)
        self._varying = [_slot(table, blank, name) for name in _VARYING]
        self._templates: dict[tuple[object, ...], dict[str, Any]] = {}

    def over(self, raw: dict[str, Any], before: Entry, after: Entry) -> dict[str, Any]:
        """The foreign entry with what changed since it was read."""
        if after is before:
            return raw
        written = dict(raw)
        self._put_extra(written, before.extra, after.extra)
        for name in filter(self._changed(before, after), _FIELDS):
            slot = _slot(self.dialect.homes_of(written), written, name)
            value = getattr(after, name)
            if value is ABSENT:
                for place in slot.used:
                    place.drop(written)
            else:
                for path, plain in slot.puts(value):
                    Home(path).put(written, plain)
        return self._with_marks(written, after)

    def fresh(self, entry: Entry) -> dict[str, Any]:
        """A foreign entry for one that comes from elsewhere."""
        begun = self.dialect.begin(entry) if self.dialect.begin else {}
        kept = {name: inner for name in self._deep if isinstance(inner := entry.extra.get(name), dict)}
        written = self._filled(entry, begun, kept) if begun or kept else self._by_template(entry)
        for name, value in entry.extra.items():
            if name in self._heads and isinstance(value, _JSON):
                written.setdefault(name, value)
            elif name not in COLUMNS and name != FILTER and isinstance(value, _JSON):
                written[name] = value
        return self._with_marks(written, entry)

    def _filled(self, entry: Entry, begun: Mapping[str, object], kept: Mapping[str, object]) -> dict[str, Any]:
        written: dict[str, Any] = {self.dialect.id_name: entry.uid} if self.dialect.id_name else {}
        written |= {**self.dialect.blank, **begun, **kept}
        self._own(written)
        table = self.dialect.homes_of(written)
        for name in _FIELDS:
            slot = _slot(table, written, name)
            value = getattr(entry, name)
            if name in _SAID and (value is ABSENT or value is None):
                continue
            if value is not ABSENT:
                _set(written, slot.puts(value))
            elif name not in _NEEDED:
                for place in slot.used:
                    place.drop(written)
        return written

    def _by_template(self, entry: Entry) -> dict[str, Any]:
        """As `_filled`, with what varies set in a copy of an entry that has the same values and places otherwise."""
        changes: list[tuple[tuple[str, ...], object]] = []
        shape: list[object] = [tuple(map(id, _STEADY(entry)))]
        for slot, value in zip(self._varying, _VALUES(entry), strict=True):
            kind = type(value)
            if value and slot.only and (kind is str or kind is tuple):
                changes.append((slot.only, value if kind is str else list(value)))
                shape.append(True)
            elif value is ABSENT:
                shape.append(None)
            else:
                puts = slot.puts(value)
                changes += puts
                shape.append(tuple([path for path, _ in puts]))
        form = tuple(shape)
        template = self._templates.get(form)
        if template is None:
            template = self._templates[form] = self._filled(entry, EMPTY, EMPTY)
        written = dict(template)
        if self.dialect.id_name:
            written[self.dialect.id_name] = entry.uid
        self._own(written)
        _set(written, changes)
        return written

    def _own(self, written: dict[str, Any]) -> None:
        """Give an entry objects of its own, so that values can be set in them."""
        for name in self._deep:
            if isinstance(inner := written.get(name), dict):
                written[name] = inner = dict(inner)
                if isinstance(ours := inner.get(NAMESPACE), dict):
                    inner[NAMESPACE] = dict(ours)

    def _with_marks(self, written: dict[str, Any], entry: Entry) -> dict[str, Any]:
        """With the fields that only we have, if there is a place for them."""
        if self.dialect.extends or has_marks(written):
            return put_marks(written, entry)
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


def _set(written: dict[str, Any], puts: Iterable[tuple[tuple[str, ...], object]]) -> None:
    """Set values in an entry whose objects are its own."""
    for path, value in puts:
        if len(path) == 1:
            written[path[0]] = value
            continue
        inner = written
        for name in path[:-1]:
            found = inner.get(name)
            if type(found) is not dict:
                found = inner[name] = {}
            inner = found
        inner[path[-1]] = value


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
