"""An edited `Book` -> the object of a `character_book` that it was read from (spec formats §4, points 2 and 4).

Only changed paths change. A field that stands in several places is written to each of them. What a card has no place
for, or would show in another way, is kept under our name in `extensions`, as in a card that is written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from lorewright.core.model import ABSENT, EMPTY, Book, Entry
from lorewright.formats.character_book import (
    id_name_of,
    is_free,
    is_native,
    lift_entry,
    places_of,
    read_character_book,
    read_entry,
)
from lorewright.formats.dialect import ENTRIES, EXTENSIONS_NAME, FILTER, Home, homes
from lorewright.formats.entry_filter import write_filter
from lorewright.formats.entry_objects import homes_in_card
from lorewright.formats.fields import is_exact
from lorewright.formats.marks import ENTRY_MARKS, put_marks
from lorewright.formats.merge import FIELDS, changed_fields, match_entries, merge_books, put_changes
from lorewright.formats.risu_import import decorate
from lorewright.formats.shelf import Place
from lorewright.formats.stash import put_stash, split_stash, stash_entry, stash_extra, take_stash
from lorewright.formats.world_info_entry import COLUMNS

__all__ = ["write_book_over"]

_BOOK: Final = "book"
_JSON: Final = (str, int, float, list, dict, type(None))
_NAMES: Final = {column.field: name for name, column in COLUMNS.items()} | {"filter": FILTER}
_BESIDE: Final[Mapping[str, tuple[Home, ...]]] = {
    "automationId": homes("extensions.automation_id"),
    "vectorized": homes("extensions.vectorized"),
}
"""Fields of `Entry.extra` that a card has a place for."""
_REQUIRED: Final[Mapping[str, object]] = {"key": [], "content": "", "disable": False, "order": 100}
"""What a card has to say of every entry. SillyTavern switches an entry off that says nothing of `enabled`."""
_BLANK: Final = MappingProxyType(
    {"keys": [], "content": "", EXTENSIONS_NAME: {}, "enabled": True, "insertion_order": 100, "use_regex": False}
)
_READ: Final[Mapping[str, frozenset[tuple[str, ...]]]] = {
    "comment": frozenset({("comment",), ("name",)}),
    "position": frozenset({(EXTENSIONS_NAME, "position"), ("position",)}),
    "caseSensitive": frozenset({(EXTENSIONS_NAME, "case_sensitive"), ("case_sensitive",)}),
}
"""Which places count when a card is read, where it is not the first alone."""


def write_book_over(raw: object, before: Book, after: Book) -> dict[str, Any]:
    """The object of the book with what has changed from `before` (what was read of it, its stash taken) to `after`.

    Entries of both books are the same where their uids are. Removed ones are left out, added ones stand at the end. What
    is no object (a card without a book) becomes a new book.
    """
    if not isinstance(raw, dict):
        raw = {"name": after.extra.get("name", after.name), EXTENSIONS_NAME: {}, ENTRIES: []}
    stash, bare = split_stash(raw)
    written = dict(_put_extra(bare, before.extra, after.extra, stash.get(_BOOK)))
    written[ENTRIES] = _write_entries(raw.get(ENTRIES), before, after)
    if not stash:
        return written
    shown = {name: value for name, value in written.items() if name != ENTRIES}
    kept = stash_extra({name: value for name, value in after.extra.items() if _is_plain(name, value)}, shown)
    return put_stash(written, {_BOOK: kept} if kept else {})


def follow_book(raw: Mapping[str, Any], before: tuple[Entry, ...], after: tuple[Entry, ...]) -> dict[str, Any]:
    """The object of a book that is a second copy of `before`, with the changes from there to `after`."""
    copy = take_stash(read_character_book(raw, name="").value)
    base = Book("", before)
    twins = match_entries(copy.entries, before, is_whole=False)
    return write_book_over(raw, copy, merge_books(copy, base, Book("", after), twins=twins).book)


def _write_entries(container: object, before: Book, after: Book) -> object:
    read = {entry.uid: entry for entry in before.entries}
    left = {entry.uid: entry for entry in after.entries}
    uids = places_of(container)
    items: dict[Place, Any] = (
        container if isinstance(container, dict) else dict(enumerate(container if isinstance(container, list) else ()))
    )
    written: dict[Place, object] = {}
    for place, raw in items.items():
        if place not in uids:
            written[place] = raw
        elif (entry := left.pop(uids[place], None)) is not None:
            old = read[entry.uid]
            written[place] = raw if entry is old else _write_entry(raw, old, entry)
    for entry in left.values():
        place = str(entry.uid)
        while place in written:
            place += "#"
        written[place] = _new_entry(entry, id_name_of(items))
    if not isinstance(container, (list, dict)) and not written:
        return container
    return written if isinstance(container, dict) else list(written.values())


def _new_entry(entry: Entry, id_name: str) -> dict[str, Any]:
    blank = {id_name: entry.uid, **_BLANK}
    shown = read_entry(_put_entry_extra(blank, Entry(uid=entry.uid), entry, {}), entry.uid)
    return _write_entry(blank, replace(shown, extra=EMPTY), entry)


def _names(value: object) -> set[str]:
    """The names in a part of a stash, whatever the file holds there."""
    return {name for name in value if isinstance(name, str)} if isinstance(value, (dict, list)) else set()


def _hidden(stash: object) -> set[str]:
    """Fields of `extra` that the stash holds instead of the file."""
    if not isinstance(stash, dict):
        return set()
    return _names(stash.get("extra")) | ({EXTENSIONS_NAME} & stash.keys())


def _is_plain(name: str, value: object) -> bool:
    return name != ENTRIES and isinstance(value, _JSON)


def _write_entry(raw: Mapping[str, Any], before: Entry, after: Entry) -> dict[str, Any]:
    stash, bare = split_stash(raw)
    written = _put_entry_extra(bare, before, after, stash)
    changed = [name for name in changed_fields(before, after) if name not in ENTRY_MARKS]
    told = {*changed, *_names(stash.get("fields")), *str(stash.get("absent", "")).split()}
    was_lifted, is_lifted = (not is_native(raw) and lift_entry(raw) is not None for raw in (bare, written))
    if was_lifted or is_lifted:
        told |= _DECORATED
    if was_lifted and isinstance(after.content, str) and (changed or not is_lifted):
        _put_decorated(written, after, changed)
    else:
        for name in changed:
            (_put_native if is_native(bare) else _put)(written, _NAMES[name], getattr(after, name))
    if is_native(bare) and not is_native(written):  # without keys nothing else tells the spelling
        written.pop("keys", None)
        written.setdefault("disable", after.enabled is False)
        told.add("enabled")
    again = read_entry(written, after.uid)
    wanted = {name: getattr(after if name in told else again, name) for name in FIELDS}
    expected = replace(again, extra=_expect_extra(before, after, again, stash), **wanted)
    return put_marks(stash_entry(written, expected, again), after)


_DECORATED: Final = frozenset(
    {"content", "whole_words", "delay", "logic", "position", "depth", "role", "probability", "use_probability"}
)
"""What RisuAI's decorators can say, and the text below them."""


def _put_decorated(written: dict[str, Any], after: Entry, changed: Iterable[str]) -> None:
    """Write the fields of an entry whose decorators were read as fields: it gets its decorators anew. What they cannot
    say goes to its own place; so do all of them if they would not be read again."""
    for name in changed:
        if name not in _DECORATED:
            _put(written, _NAMES[name], getattr(after, name))
    written["content"] = decorate(after, str(after.content))
    again = read_entry(written, after.uid)
    if again.content != after.content:
        written["content"] = after.content
        again = read_entry(written, after.uid)
    for name in changed_fields(again, after):
        if name in _DECORATED and name != "content":
            _put(written, _NAMES[name], getattr(after, name))


def _put_extra(
    raw: Mapping[str, Any], before: Mapping[str, object], after: Mapping[str, object], stash: object
) -> Mapping[str, Any]:
    """The object with what has changed in its other fields, but for those that are in the stash."""
    hidden = {ENTRIES, *_hidden(stash)}
    old, new = (
        {name: value for name, value in side.items() if name not in hidden and isinstance(value, _JSON)}
        for side in (before, after)
    )
    return put_changes(raw, old, new)


def _put_entry_extra(raw: Mapping[str, Any], before: Entry, after: Entry, stash: Mapping[str, Any]) -> dict[str, Any]:
    reserved = _RESERVED_NATIVE if is_native(raw) else _RESERVED
    free = {name for name in (*before.extra, *after.extra) if name not in reserved and is_free(name)}
    if is_native(raw):
        free |= {*_BESIDE} & {*before.extra, *after.extra}
    old, new = ({name: value for name, value in side.extra.items() if name in free} for side in (before, after))
    written = dict(_put_extra(raw, old, new, stash))
    for name, places in _BESIDE.items():
        value = after.extra.get(name, ABSENT)
        if is_native(raw) or value is ABSENT or is_exact(value, before.extra.get(name, ABSENT)):
            continue
        for place in places:
            place.put(written, value)
    return written


_RESERVED: Final = frozenset({"id", "keys", "secondary_keys", "insertion_order", "enabled"})
_RESERVED_NATIVE: Final = frozenset({"id", "keys"})
"""Names that mean something in a card, and in `Entry.extra` are another program's."""


def _expect_extra(before: Entry, after: Entry, again: Entry, stash: Mapping[str, Any]) -> Mapping[str, object]:
    """The other fields that the entry shall have when it is read again. What lies in the file now is as it shall be."""
    hidden = _hidden(stash)
    expected: dict[str, object] = {}
    for name, value in after.extra.items():
        is_old = is_exact(value, before.extra.get(name, ABSENT))
        if name not in hidden and name in again.extra and (is_old or name == EXTENSIONS_NAME):
            expected[name] = again.extra[name]
        elif name in hidden or name in again.extra or not is_old or is_free(name):
            expected[name] = value
    added = _names(stash.get("added"))
    expected |= {name: value for name, value in again.extra.items() if name not in after.extra and name not in added}
    return expected or EMPTY


def _put(written: dict[str, Any], column: str, value: Any) -> None:
    """Write a field to every place that it has in this entry, and to one from which it is read again."""
    places = homes_in_card(written)[column]
    there = [place for place in places if place.get(written) is not ABSENT]
    if value is ABSENT:
        for place in there:
            place.drop(written)
        if column in _REQUIRED:
            places[0].put(written, places[0].back(_REQUIRED[column]))
        return
    plain = write_filter(value, (column,))[column] if column == FILTER else COLUMNS[column].write(value)
    if column == "comment":
        said = [place.get(written) for place in there]
        shown = next((one for one in said if one), "")
        there = [place for place, one in zip(there, said, strict=True) if one == shown]
    for place in there:
        place.put(written, place.back(plain))
    read = _READ.get(column, frozenset({places[0].path}))
    if not any(place.path in read and is_exact(place.into(place.back(plain)), plain) for place in there):
        places[0].put(written, places[0].back(plain))


def _put_native(written: dict[str, Any], column: str, value: Any) -> None:
    """The same for an entry in the spelling of world info. Its `keys`, if there are any, are empty and stay so."""
    own = Home((column,))
    places = [place for place in homes_in_card(written)[column] if place.path != ("keys",)]
    there = [place for place in places if place.get(written) is not ABSENT]
    if value is ABSENT:
        for place in there:
            place.drop(written)
        return
    plain = write_filter(value, (column,))[column] if column == FILTER else COLUMNS[column].write(value)
    for place in there:
        place.put(written, place.back(plain))
    own.put(written, plain)
