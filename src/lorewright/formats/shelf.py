"""Entries into a book: their order, unique uids, and the ledger of those that could not be used.

Inside a book SillyTavern walks entries as JavaScript walks an object: names like integers first, ascending, then the
others as they stand (spec world-info §2). Entries of a list have no such names; they go by their uids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lorewright.core.javascript import is_integer_like, number_text
from lorewright.core.model import Entry
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.wording import describe, some_entries

__all__ = ["Place", "Shelf", "Shelved", "by_key", "by_name", "by_uid", "check_number", "own_uid"]

Place = str | int
"""Where an entry stands in its file: its name in an object, or its index in a list."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """The entries in the book's order; which uid stands at which place of the file; what was refused."""

    entries: tuple[Entry, ...]
    uids: Mapping[Place, int | str]
    refused: Mapping[Place, object]

    @property
    def found(self) -> int:
        return len(self.entries) + len(self.refused)


@dataclass(slots=True)
class Shelf:
    """Gives out uids that are unique in one book. `5` and "5" are the same uid: ids are texts to the engine."""

    notes: Notes
    _taken: dict[str, int] = field(default_factory=dict)
    _without: int = 0

    def fill(
        self, ordered: Iterable[tuple[Place, Any]], id_name: str, read: Callable[[Mapping[str, Any], int | str], Entry]
    ) -> Shelved:
        """Read every object; `id_name` is the field of its id."""
        entries: list[Entry] = []
        uids: dict[Place, int | str] = {}
        refused: dict[Place, object] = {}
        for place, raw in ordered:
            if isinstance(raw, dict):
                uid = self.claim(raw, id_name, place)
                entries.append(read(raw, uid))
                uids[place] = uid
            else:
                refused[place] = raw
                message = f"The entry `{place}` is {describe(raw)}, not an object; it cannot be used."
                self.notes.add("entry_not_object", message, "error", entry=place)
        self._report_missing(len(entries), id_name)
        return Shelved(tuple(entries), uids, refused)

    def claim(self, raw: Mapping[str, Any], id_name: str, place: Place) -> int | str:
        """A uid for an entry: its own if it has one and it is free."""
        own = own_uid(raw.get(id_name))
        if own is None:
            self._without += 1
            own = int(place) if isinstance(place, str) and is_integer_like(place) else place
        name = str(own)
        if name not in self._taken:
            self._taken[name] = 1
            return own
        free = name
        while free in self._taken:
            self._taken[name] += 1
            free = f"{name}#{self._taken[name]}"
        self._taken[free] = 1
        message = f"The {id_name} {name} is used more than once; this entry is called {free} here."
        self.notes.add("uid_duplicate", message, entry=free)
        return free

    def _report_missing(self, number: int, id_name: str) -> None:
        if self._without:
            message = f"{some_entries(self._without, number, 'has', 'have')} no usable `{id_name}`; the place in the file is used."
            self.notes.add("uid_missing", message, "info")


def own_uid(value: object) -> int | str | None:
    """An id from a file, or None if it is none: an int, a text, or a float as JavaScript would print it."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else number_text(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else number_text(value)
    return None


def by_key(entries: Mapping[str, Any]) -> list[tuple[Place, Any]]:
    """The items of an object in the order of JavaScript."""
    integers = sorted((name for name in entries if is_integer_like(name)), key=int)
    others = (name for name in entries if not is_integer_like(name))
    return [(name, entries[name]) for name in (*integers, *others)]


def by_uid(entries: list[Any], id_name: str) -> list[tuple[Place, Any]]:
    """The items of a list by ascending uid if all have an integer one, else as they stand."""
    places: list[tuple[Place, Any]] = list(enumerate(entries))
    ids = [raw.get(id_name) if isinstance(raw, dict) else None for raw in entries]
    if all(type(one) is int for one in ids):
        places.sort(key=lambda placed: placed[1][id_name])
    return places


def by_name(entries: list[Any], id_name: str) -> list[tuple[Place, Any]]:
    """The items of a list in the order in which an object would hold them under their ids (or else their index)."""

    def rank(placed: tuple[Place, Any]) -> tuple[int, int]:
        place, raw = placed
        own = own_uid(raw.get(id_name)) if isinstance(raw, dict) else None
        name = str(place if own is None else own)
        return (0, int(name)) if is_integer_like(name) else (1, 0)

    places: list[tuple[Place, Any]] = list(enumerate(entries))
    return sorted(places, key=rank)


def check_number(number: int, notes: Notes) -> None:
    """Report a book of unusual size.

    Raises:
        FormatError: over the hard limit (`limit`, `value`).
    """
    if number > limits.BOOK_ENTRIES_REFUSED:
        raise FormatError(
            f"The book has {number:,} entries; the limit is {limits.BOOK_ENTRIES_REFUSED:,}. Split it.",
            limit=limits.BOOK_ENTRIES_REFUSED,
            value=number,
        )
    if number > limits.BOOK_ENTRIES:
        notes.add("book_large", f"The book has {number:,} entries; more than {limits.BOOK_ENTRIES:,} is unusual.")
