"""What a format has no place for, under our own name in `extensions` (spec formats §4, point 3).

A book that is written in another format is read again at once, and every field that does not come back as it was is
put beside the entry, with the value that the format shows in its place. Converting the book once more takes it from
there, unless somebody has changed the field since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from lorewright.core.model import ABSENT, EMPTY, Book, Entry
from lorewright.formats.alike import VARYING, group_alike, varies
from lorewright.formats.character_book import EXTENSIONS
from lorewright.formats.fields import is_exact
from lorewright.formats.foreign import ENTRIES, NAMESPACE
from lorewright.formats.native.table import ENTRY_FIELDS
from lorewright.formats.native.write import plain_value
from lorewright.formats.world_info_entry import COLUMNS

__all__ = ["OF_CARDS", "put_stash", "split_stash", "stash_entry", "stash_extra", "take_stash", "with_stash"]

_EXTENSIONS: Final = "extensions"
_BOOK: Final = "book"
_STASH: Final = "kept"
"""The name of all this under our name."""
_FIELDS: Final = tuple(field.name for field in fields(Entry) if field.name not in {"uid", "extra", "layout"})
_ABSENT: Final = {"absent": True}
"""Stands for a field that is not there; no field of an entry has a value like it but for a filter, which has names."""

_SHOWN: Final[Mapping[str, object]] = {
    **{COLUMNS[name].field: default for name, _, default in EXTENSIONS if name in COLUMNS},
    "enabled": True,
    "constant": False,
    "selective": False,
    "position": 1,
    "secondary": (),
    "title": "",
    "case_sensitive": None,
    "triggers": (),
}
"""What a card shows where an entry says nothing. It is most of the fields, so that their names are enough to keep."""
OF_CARDS: Final = frozenset(
    {"position", "case_sensitive", "triggers", "character_filter", *(other for _, other, _ in EXTENSIONS)}
)
"""Names that a card's entry has in `extensions` for fields of the model."""


def with_stash(whole: dict[str, Any], book: Book, read: Callable[[dict[str, Any]], Book]) -> dict[str, Any]:
    """The JSON value of a freshly written book, with everything that `read` does not find in it kept beside."""
    written = whole[ENTRIES]
    raws = list(written.values() if isinstance(written, dict) else written)
    names = list(written) if isinstance(written, dict) else None
    groups = group_alike(book.entries)
    tried = [places[0] for places in groups]
    again = read(
        {**whole, ENTRIES: {names[at]: raws[at] for at in tried} if names is not None else [raws[at] for at in tried]}
    )
    by_id = {str(entry.uid): entry for entry in again.entries}
    for places in groups:
        first = book.entries[places[0]]
        stash = _entry_stash(first, by_id.get(str(first.uid)))
        _extend(raws[places[0]], stash)
        if _fits_all(stash):
            for at in places[1:]:
                _extend(raws[at], stash)
        elif len(places) > 1:
            rest = {
                **whole,
                ENTRIES: {names[at]: raws[at] for at in places} if names is not None else [raws[at] for at in places],
            }
            seen = {str(entry.uid): entry for entry in read(rest).entries}
            for at in places[1:]:
                _extend(raws[at], _entry_stash(book.entries[at], seen.get(str(book.entries[at].uid))))
    entries = dict(zip(names, raws, strict=True)) if names is not None else raws
    stash = stash_extra(book.extra, {name: kept for name, kept in again.extra.items() if name != ENTRIES})
    return put_stash({**whole, ENTRIES: entries}, {_BOOK: stash} if stash else {})


def _fits_all(stash: Mapping[str, Any]) -> bool:
    """Whether it holds nothing in which entries of one kind may differ."""
    kept = (stash.get("extra"), stash.get(_EXTENSIONS))
    return VARYING.isdisjoint(stash.get("fields", ())) and not any(one and varies(one) for one in kept)


def stash_entry(raw: dict[str, Any], entry: Entry, again: Entry | None) -> dict[str, Any]:
    """The foreign entry with everything of `entry` that is not found in what was read of it again."""
    return put_stash(raw, _entry_stash(entry, again))


def _entry_stash(entry: Entry, again: Entry | None) -> dict[str, Any]:
    seen = again or Entry(uid=entry.uid)
    kept: dict[str, Any] = {}
    absent: list[str] = []
    for name in _FIELDS:
        value, shown = getattr(entry, name), getattr(seen, name)
        if value is shown or _is_same(value, shown):
            continue
        if value is ABSENT and name in _SHOWN and _is_same(shown, _SHOWN[name]):
            absent.append(name)
        else:
            kept[name] = {"was": _plain(value), "shown": _plain(shown)}
    stash: dict[str, Any] = {"fields": kept} if kept else {}
    if absent:
        stash["absent"] = " ".join(absent)
    return stash | stash_extra(entry.extra, seen.extra)


def stash_extra(extra: Mapping[str, object], seen: Mapping[str, object]) -> dict[str, Any]:
    """What is not seen of the extra fields, and what is seen besides them."""
    stash: dict[str, Any] = {}
    lost = {
        name: value
        for name, value in extra.items()
        if name != _EXTENSIONS and not is_exact(seen.get(name, ABSENT), value)
    }
    if lost:
        stash["extra"] = lost
    if added := [name for name in seen if name not in extra and name != _EXTENSIONS]:
        stash["added"] = added
    before, after = extra.get(_EXTENSIONS, ABSENT), seen.get(_EXTENSIONS, ABSENT)
    if not is_exact(before, after):
        shown = [name for name in after if name not in OF_CARDS] if isinstance(after, dict) else []
        stash[_EXTENSIONS] = {"shown": shown} | ({} if before is ABSENT else {"was": before})
    return stash


def put_stash(raw: dict[str, Any], stash: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(raw)
    _extend(made, stash)
    return made


def _extend(raw: dict[str, Any], stash: Mapping[str, Any]) -> None:
    """Put it into an object that is nobody else's."""
    if not stash:
        return
    extensions = raw.get(_EXTENSIONS)
    inner = dict(extensions) if isinstance(extensions, dict) else {}
    own = inner.get(NAMESPACE)
    was_empty = {"empty": True} if extensions == {} else {}
    inner[NAMESPACE] = {**(own if isinstance(own, dict) else {}), _STASH: {**stash, **was_empty}}
    raw[_EXTENSIONS] = inner


def take_stash(book: Book) -> Book:
    """The book as it was before it was written with `with_stash`; a book without a stash is given back as it is."""
    entries = tuple(map(_restored, book.entries))
    stash, rest = split_stash(book.extra)
    own = stash.get(_BOOK)
    if not isinstance(own, dict):
        if all(new is old for new, old in zip(entries, book.entries, strict=True)):
            return book
        return replace(book, entries=entries)
    title = rest.get("name") if "name" in _list(own.get("added")) else None
    name = title if isinstance(title, str) and title else book.name
    return replace(book, name=name, entries=entries, extra=_restored_extra(rest, own))


def _restored(entry: Entry) -> Entry:
    if _EXTENSIONS not in entry.extra:
        return entry
    stash, rest = split_stash(entry.extra)
    if not stash:
        return entry
    values: dict[str, Any] = {}
    for name, both in _mapping(stash.get("fields")).items():
        is_whole = name in _FIELDS and isinstance(both, dict) and both.keys() >= {"was", "shown"}
        if is_whole and is_exact(_plain(getattr(entry, name)), both["shown"]):
            values[name] = ABSENT if both["was"] == _ABSENT else ENTRY_FIELDS[name].read(both["was"])
    for name in str(stash.get("absent", "")).split():
        if name in _SHOWN and _is_same(getattr(entry, name), _SHOWN[name]):
            values[name] = ABSENT
    return replace(entry, extra=_restored_extra(rest, stash) or EMPTY, layout=(), **values)


def _restored_extra(rest: dict[str, object], stash: Mapping[str, Any]) -> dict[str, object]:
    for name in _list(stash.get("added")):
        rest.pop(str(name), None)
    rest.update(_mapping(stash.get("extra")))
    if isinstance(stash.get(_EXTENSIONS), dict):
        shown, was = _list(stash[_EXTENSIONS].get("shown")), stash[_EXTENSIONS].get("was", ABSENT)
        written = {*OF_CARDS, *shown}
        since = {name: kept for name, kept in _mapping(rest.pop(_EXTENSIONS, None)).items() if name not in written}
        if since or was is not ABSENT:
            rest[_EXTENSIONS] = {**_mapping(was), **since} if since else was
    return rest


def split_stash(extra: Mapping[str, object]) -> tuple[Mapping[str, Any], dict[str, object]]:
    """What is ours in the extensions, and everything else."""
    rest = dict(extra)
    extensions = _mapping(rest.get(_EXTENSIONS))
    own = _mapping(extensions.get(NAMESPACE))
    if not isinstance(own.get(_STASH), dict):
        return {}, rest
    others = {name: value for name, value in extensions.items() if name != NAMESPACE}
    if left := {name: value for name, value in own.items() if name != _STASH}:
        others[NAMESPACE] = left
    if others or own[_STASH].get("empty"):
        rest[_EXTENSIONS] = others
    else:
        del rest[_EXTENSIONS]
    return own[_STASH], rest


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


def _plain(value: object) -> Any:
    return dict(_ABSENT) if value is ABSENT else plain_value(value)
