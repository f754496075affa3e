"""Books of other programs <-> `Book`, by a table for each format (spec formats §3, §4).

A `Dialect` says where a format keeps what a SillyTavern entry calls `key`, `content` and so on. An entry is read by way
of such an entry, and a field without a place in the model stays in `extra` under its own name. The parsed file is
kept, as `Originals`, in the place of the entries in `Book.extra`; writing puts changed fields into it, and nothing
else: a book that was not edited comes back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.formats.entry_filter import write_filter
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.shelf import Place, Shelf, by_key, check_number
from lorewright.formats.v3_decorators import note_decorators
from lorewright.formats.wording import describe
from lorewright.formats.world_info_entry import COLUMNS, EntryReader

__all__ = [
    "ENTRIES",
    "FACTORY",
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

ENTRIES: Final = "entries"
NAMESPACE: Final = "lorewright"
_FILTER: Final = "characterFilter"
_EXTENSIONS: Final = "extensions"

FACTORY: Final[Mapping[str, object]] = {
    "keysecondary": [],
    "constant": False,
    "selective": True,
    "selectiveLogic": 0,
    "order": 100,
    "position": 0,
    "disable": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
}
"""What an entry is whose format says nothing about it (spec formats §1). SillyTavern needs these to be set."""

_JSON: Final = (str, int, float, list, dict, type(None))
"""What is something else in `extra` is a memory of another format."""

_NEUTRAL: Final[Mapping[str, object]] = {**FACTORY, "role": 0, "groupWeight": 100, "scanDepth": None}
"""Values that need no place in a format that has none for them. So do false, null and what is empty."""


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Home:
    """A place in a foreign entry (a name, or names inside each other), and the way there and back."""

    path: tuple[str, ...]
    into: Callable[[Any], Any] = _same
    back: Callable[[Any], Any] = _same

    def get(self, raw: Mapping[str, Any]) -> Any:
        value: Any = raw
        for name in self.path:
            if not isinstance(value, dict) or name not in value:
                return ABSENT
            value = value[name]
        return value

    def put(self, raw: dict[str, Any], value: object) -> None:
        """Set the value; objects on the way are copied or made."""
        inner = raw
        for name in self.path[:-1]:
            found = inner.get(name)
            inner[name] = dict(found) if isinstance(found, dict) else {}
            inner = inner[name]
        inner[self.path[-1]] = value

    def drop(self, raw: dict[str, Any]) -> None:
        if self.get(raw) is not ABSENT:
            self.put(raw, None)
            inner: Any = raw
            for name in self.path[:-1]:
                inner = inner[name]
            del inner[self.path[-1]]


Homes = Mapping[str, tuple[Home, ...]]
"""By the name in a SillyTavern entry: where it stands in this format, the most important place first."""


def homes(*paths: str, into: Callable[[Any], Any] = _same, back: Callable[[Any], Any] = _same) -> tuple[Home, ...]:
    """Places by their names: `homes("order", "extensions.weight")`."""
    return tuple(Home(tuple(path.split(".")), into, back) for path in paths)


def own_homes(taken: Homes) -> Homes:
    """Places under our own name in `extensions`, for all that a format has no place for."""
    names = (*COLUMNS, _FILTER)
    return {name: homes(f"extensions.{NAMESPACE}.{name}") for name in names if name not in taken}


@dataclass(frozen=True, slots=True)
class Dialect:
    """A format of books: its id in `KINDS`, the name of an entry's id, the places, and what is when nothing is said.

    `choose` gives other places for some entries; a field there without any is implied by the others. `blank` is an entry
    to begin a new one with, `begin` what else to begin it with; `ordered` is the order
    of the entries of a list; `is_book_field` tells which fields beside the entries are the book's.
    """

    format: str
    id_name: str
    homes: Homes
    defaults: Mapping[str, object] = field(default_factory=lambda: FACTORY)
    blank: Mapping[str, object] = field(default_factory=dict)
    choose: Callable[[Mapping[str, Any]], Homes] | None = None
    begin: Callable[[Entry], Mapping[str, object]] | None = None
    ordered: Callable[[list[Any]], Iterable[tuple[Place, Any]]] = enumerate
    is_book_field: Callable[[str], bool] = lambda _: True

    def homes_of(self, raw: Mapping[str, Any]) -> Homes:
        return self.choose(raw) if self.choose else self.homes


@dataclass(frozen=True, slots=True)
class Originals:
    """The parsed file of a book, and which entry stands where in it.

    `path` leads to the entries. `extra` are the fields of the book as they were read.
    """

    format: str
    whole: Any
    path: tuple[str, ...]
    uids: Mapping[Place, int | str]
    entries: Mapping[int | str, Entry]
    extra: Mapping[str, object]


Effects = Callable[[Mapping[str, Any], dict[str, Any], int | str, Notes], None]
"""What a format does besides: it gets the foreign entry, the SillyTavern entry made of it (to be changed), the uid, and
where to report."""


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
    parent = _follow(whole, path[:-1])
    title = title_of(name, parent)
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    found = _follow(whole, path)
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
    book = Book(title, shelved.entries, extra | {ENTRIES: originals}, origin)
    return Imported(book, shelved.found, len(by_id), len(shelved.refused), noted.reports(), dialect.format)


def _follow(value: Any, path: tuple[str, ...]) -> Any:
    return Home(path).get(value)


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
        if len(there) == 1 and there[0].into is _same and len(there[0].path) == 1:
            direct.append((name, there[0].path[0]))
        elif len(there) == 1 and there[0].into is _same and there[0].path == (_EXTENSIONS, there[0].path[1]):
            extended.append((name, there[0].path[1]))
        elif there:
            others.append((name, there))
    taken = {key for _, key in direct}
    known = frozenset({place.path[0] for places in table.values() for place in places} | {_EXTENSIONS, "id", "uid"})
    rest = tuple(name for name in names if name not in taken)
    return _Plan(tuple(direct), tuple(extended), tuple(others), rest, known)


def _may_be(path: tuple[str, ...], names: tuple[str, ...], inside: tuple[str, ...]) -> bool:
    return path[0] in names and (len(path) == 1 or path[0] != _EXTENSIONS or path[1] in inside)


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
            extensions = raw[_EXTENSIONS]
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
        self._unused.update(rest.keys() - plan.known)
        if self.effects:
            self.effects(raw, made, uid, self.notes)
        entry = self._entries.read(made, uid, rest)
        self._note_silent(entry)
        note_decorators(entry.content, self.notes, uid)
        return entry

    def _plan(self, raw: Mapping[str, Any]) -> _Plan:
        table = self.dialect.homes_of(raw)
        extensions = raw.get(_EXTENSIONS)
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


# --- the way back

_FIELDS: Final = tuple(one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"})
_NAMES: Final = {column.field: name for name, column in COLUMNS.items()} | {"filter": _FILTER}


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
        value = envelope([writer.fresh(entry) for entry in book.entries], own)
        writer.left_out = [name for name in extra if name not in own and name != "name"]
    if notes is not None:
        writer.report(notes)
    return value


def _write_over(originals: Originals, book: Book, writer: _Writer) -> Any:
    container = _follow(originals.whole, originals.path)
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
    extra = {name: value for name, value in book.extra.items() if name != ENTRIES}
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
        return written

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
            elif name not in COLUMNS and name != _FILTER and isinstance(kept, _JSON):
                written[name] = kept
        return written

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
