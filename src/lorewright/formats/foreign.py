"""Books of other programs <-> `Book`, by a table for each format (spec formats §3, §4).

A `Dialect` says where a format keeps what a SillyTavern entry calls `key`, `content` and so on. An entry is read by way
of such an entry, and a field without a place in the model stays in `extra` under its own name. The parsed file is
kept, as `Originals`, in the place of the entries in `Book.extra`; writing puts changed fields into it, and nothing
else: a book that was not edited comes back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.formats.dialect import (
    ENTRIES,
    EXTENSIONS_NAME,
    NAMESPACE,
    Dialect,
    Effects,
    Home,
    Homes,
    Originals,
    as_it_is,
    follow,
    homes,
    own_homes,
)
from lorewright.formats.fields import is_exact
from lorewright.formats.foreign_write import write_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.marks import read_book_marks
from lorewright.formats.shelf import Shelf, by_key, check_number
from lorewright.formats.v3_decorators import note_decorators
from lorewright.formats.wording import describe
from lorewright.formats.world_info_entry import COLUMNS, EntryReader

__all__ = [
    "ENTRIES",
    "NAMESPACE",
    "Dialect",
    "Home",
    "Homes",
    "Originals",
    "homes",
    "own_homes",
    "read_foreign",
    "title_of",
    "write_foreign",
]


def title_of(name: str | None, value: object) -> str:
    """The name of a book: as the caller says, else as the file says, else "book"."""
    own = value.get("name") if isinstance(value, dict) else None
    return name if name is not None else own if isinstance(own, str) and own else "book"


def read_foreign(
    whole: Any,
    dialect: Dialect,
    *,
    path: tuple[str, ...],
    name: str | None,
    origin: str,
    notes: Notes | None,
    effects: Effects | None = None,
) -> Imported[Book]:
    """Read the book whose entries stand at `path` of a parsed file.

    Raises:
        FormatError: too many entries.
    """
    parent = follow(whole, path[:-1])
    title = title_of(name, parent)
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    found = follow(whole, path)
    if not isinstance(found, (list, dict)):
        what = "no entries" if found is ABSENT else f"{describe(found)} in the place of its entries"
        noted.add("book_without_entries", f"The book has {what}; it is read as an empty book.")
    entries: list[Any] | dict[str, Any] = found if isinstance(found, (list, dict)) else []
    check_number(len(entries), noted)
    reader = _Reader(dialect, noted, effects)
    ordered = by_key(entries) if isinstance(entries, dict) else dialect.ordered(entries)
    shelved = Shelf(noted).fill(ordered, dialect.id_name, reader.read)
    reader.report()
    extra: dict[str, object] = {}
    if path and isinstance(parent, dict):
        extra = {key: kept for key, kept in parent.items() if key != path[-1] and dialect.is_book_field(key)}
    by_id = {entry.uid: entry for entry in shelved.entries}
    originals = Originals(dialect.format, whole, path, shelved.uids, by_id, dict(extra))
    book = Book(title, shelved.entries, extra | {ENTRIES: originals}, origin, **read_book_marks(extra))
    return Imported(book, shelved.found, len(by_id), len(shelved.refused), noted.reports(), dialect.format)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to read from entries with these names, and these names in `extensions`. Most entries of a book share it.

    `direct` and `extended` are fields with one place that is read as it stands, `others` those with more to decide,
    `rest` the names to be kept, `known` the names that are not worth a report.
    """

    direct: tuple[tuple[str, str], ...]
    extended: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, tuple[Home, ...]], ...]
    rest: tuple[str, ...]
    known: frozenset[str]


def _make_plan(table: Homes, names: tuple[str, ...], inside: tuple[str, ...]) -> _Plan:
    direct: list[tuple[str, str]] = []
    extended: list[tuple[str, str]] = []
    others: list[tuple[str, tuple[Home, ...]]] = []
    for name, places in table.items():
        there = tuple(place for place in places if _may_be(place.path, names, inside))
        if len(there) == 1 and there[0].into is as_it_is and len(there[0].path) == 1:
            direct.append((name, there[0].path[0]))
        elif len(there) == 1 and there[0].into is as_it_is and there[0].path == (EXTENSIONS_NAME, there[0].path[1]):
            extended.append((name, there[0].path[1]))
        elif there:
            others.append((name, there))
    taken = {key for _, key in direct}
    known = frozenset({place.path[0] for places in table.values() for place in places} | {EXTENSIONS_NAME, "id", "uid"})
    rest = tuple(name for name in names if name not in taken)
    return _Plan(tuple(direct), tuple(extended), tuple(others), rest, known)


def _may_be(path: tuple[str, ...], names: tuple[str, ...], inside: tuple[str, ...]) -> bool:
    return path[0] in names and (len(path) == 1 or path[0] != EXTENSIONS_NAME or path[1] in inside)


class _Reader:
    """Reads the entries of one book."""

    def __init__(self, dialect: Dialect, notes: Notes, effects: Effects | None) -> None:
        self.dialect = dialect
        self.notes = notes
        self.effects = effects
        self._entries = EntryReader(notes)
        self._unused: Counter[str] = Counter()
        self._plans: dict[tuple[int, tuple[str, ...], tuple[str, ...]], _Plan] = {}

    def read(self, raw: Mapping[str, Any], uid: int | str) -> Entry:
        plan = self._plan(raw)
        made: dict[str, Any] = {"uid": uid}
        for name, key in plan.direct:
            made[name] = raw[key]
        if plan.extended:
            extensions = raw[EXTENSIONS_NAME]
            for name, key in plan.extended:
                made[name] = extensions[key]
        rest = {key: raw[key] for key in plan.rest}
        for name, places in plan.others:
            self._choose(raw, name, places, made, rest, uid)
        for name, value in self.dialect.defaults.items():
            if made.get(name) is None:
                made[name] = value
        if rest.get(self.dialect.id_name, ABSENT) is not ABSENT and is_exact(rest[self.dialect.id_name], uid):
            del rest[self.dialect.id_name]
        self._unused.update(name for name in rest if name not in plan.known)
        if self.effects:
            self.effects(raw, made, uid, self.notes)
        entry = self._entries.read(made, uid, rest)
        self._note_silent(entry)
        note_decorators(entry.content, self.notes, uid)
        return entry

    def _plan(self, raw: Mapping[str, Any]) -> _Plan:
        table = self.dialect.homes_of(raw)
        extensions = raw.get(EXTENSIONS_NAME)
        inside = tuple(extensions) if isinstance(extensions, dict) else ()
        layout = (id(table), tuple(raw), inside)
        plan = self._plans.get(layout)
        if plan is None:
            plan = self._plans[layout] = _make_plan(table, layout[1], inside)
        return plan

    def report(self) -> None:
        if self._unused:
            names = ", ".join(f"`{name}` ({number})" for name, number in list(self._unused.items())[:20])
            more = f" and {len(self._unused) - 20} more" if len(self._unused) > 20 else ""
            message = f"Fields that are kept but change nothing here (number of entries): {names}{more}."
            self.notes.add("unknown_field", message, "info")

    def _choose(
        self,
        raw: Mapping[str, Any],
        name: str,
        places: tuple[Home, ...],
        made: dict[str, Any],
        rest: dict[str, Any],
        uid: int | str,
    ) -> None:
        """Take the first place that is filled, else the first that is there. What differs from it is kept besides."""
        there = [(place, place.into(value)) for place in places if (value := place.get(raw)) is not ABSENT]
        if not there:
            return
        chosen, value = next((one for one in there if one[1] not in (None, "", [])), there[0])
        made[name] = value
        for place, other in there:
            said = place.get(raw)
            if is_exact(place.back(value), said):
                if len(place.path) == 1:
                    rest.pop(place.path[0], None)
            elif other != value and other not in (None, "", []) and name != "comment":
                self.notes.add(
                    "field_conflict",
                    f"`{'.'.join(chosen.path)}` and `{'.'.join(place.path)}` contradict each other; "
                    f"`{'.'.join(chosen.path)}` is used.",
                    entry=uid,
                    field=COLUMNS[name].field if name in COLUMNS else "filter",
                )

    def _note_silent(self, entry: Entry) -> None:
        keys = entry.keys if isinstance(entry.keys, tuple) else () if not isinstance(entry.keys, Odd) else ("?",)
        decorated = isinstance(entry.content, str) and entry.content.startswith("@@")
        if not any(keys) and entry.constant is not True and not decorated:
            message = f"Entry {entry.uid} has no key and is not constant, so nothing can activate it. It is kept."
            self.notes.add("entry_never_activates", message, entry=entry.uid, field="keys")
