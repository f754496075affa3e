"""What was changed in a book, into another image of the same book (spec formats §4, points 2 and 8).

`base` is the book as it was before the changes, `after` as it is now, and `target` the book in the frame of the file that
is to be changed. Only what differs between `base` and `after` goes into `target`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from lorewright.core.model import ABSENT, EMPTY, Book, Entry
from lorewright.formats.dialect import EXTENSIONS_NAME
from lorewright.formats.entry_objects import SPELLINGS
from lorewright.formats.fields import is_exact
from lorewright.formats.stash import OF_CARDS

__all__ = ["FIELDS", "Merged", "changed_fields", "match_entries", "merge_books", "put_changes"]

FIELDS: Final = tuple(one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"})
_NAME: Final = "name"
_TITLES: Final = (_NAME, "title")
"""Names that repeat the title only where they say the same."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The book with the changes, and whether they put its entries into another order, which is not followed."""

    book: Book
    is_reordered: bool = False


def merge_books(
    target: Book,
    base: Book,
    after: Book,
    *,
    is_whole: bool = True,
    twins: Mapping[int, int] | None = None,
) -> Merged:
    """The target with the changes from `base` to `after`. An entry without changes is the very object it was.

    `twins` leads from an entry of the target to the same one of the base, by index; by default they stand in one order.
    An entry without a twin stays. Unless `after` is a whole image (`is_whole`), a field that it lacks says nothing.
    """
    pairs = match_entries(base.entries, after.entries, is_whole=is_whole)
    twins = {place: place for place in range(len(target.entries))} if twins is None else twins
    entries = [
        _merge_entry(entry, base.entries[twin], after.entries[pairs[twin]], is_whole=is_whole)
        if (twin := twins.get(place)) is not None
        else entry
        for place, entry in enumerate(target.entries)
        if twins.get(place) is None or twins[place] in pairs
    ]
    taken = {str(entry.uid) for entry in entries}
    known = {*pairs.values()}
    for entry in (one for place, one in enumerate(after.entries) if place not in known):
        uid = entry.uid
        while str(uid) in taken:
            uid = f"{uid}#"
        taken.add(str(uid))
        entries.append(entry if uid is entry.uid else replace(entry, uid=uid))
    order = [pairs[place] for place in sorted(pairs)]
    extra = put_changes(target.extra, base.extra, after.extra, is_whole=is_whole)
    renamed = is_whole and after.name != base.name and bool(extra.get(_NAME)) and isinstance(extra[_NAME], str)
    if renamed and is_exact(base.extra.get(_NAME), after.extra.get(_NAME)):
        extra = {**extra, _NAME: after.name}
    is_same = extra is target.extra and len(entries) == len(target.entries)
    if is_same and all(new is old for new, old in zip(entries, target.entries, strict=True)):
        return Merged(target, order != sorted(order))
    return Merged(replace(target, entries=tuple(entries), extra=extra), order != sorted(order))


def match_entries(left: Sequence[Entry], right: Sequence[Entry], *, is_whole: bool) -> dict[int, int]:
    """Which entry of `left` is which of `right`, by index: by uid, else where title, keys and content are the same.

    Of several with one uid the first is meant. Unless one is a whole image of the other, a uid may be nothing but a place in a list: one of the three must be the
    same too, and without a uid the title or the keys are enough.
    """
    by_uid = {str(right[place].uid): place for place in reversed(range(len(right)))}
    found: dict[int, int] = {}
    for place, entry in enumerate(left):
        other = by_uid.get(str(entry.uid))
        if other is not None and (is_whole or _is_alike(entry, right[other])):
            found[place] = other
    for sign in (_texts,) if is_whole else (_texts, _title, _keys):
        rest = [place for place in range(len(left)) if place not in found]
        taken = {*found.values()}
        others = [place for place in range(len(right)) if place not in taken]
        found |= _match_alone(
            [(place, sign(left[place])) for place in rest], [(place, sign(right[place])) for place in others]
        )
    return found


def _match_alone(left: list[tuple[int, object]], right: list[tuple[int, object]]) -> dict[int, int]:
    """Those that have the same sign, in order, as far as there are as many on both sides."""
    signed: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
    for side, places in zip(signed, (left, right), strict=True):
        for place, sign in places:
            if sign:
                side.setdefault(repr(sign), []).append(place)
    mine, theirs = signed
    return {
        place: other
        for sign, places in mine.items()
        if len(places) == len(theirs.get(sign, ()))
        for place, other in zip(places, theirs[sign], strict=True)
    }


def changed_fields(before: Entry, after: Entry) -> list[str]:
    """The names of the fields of the model that differ."""
    return [name for name in FIELDS if not _is_same(getattr(before, name), getattr(after, name))]


def put_changes(
    target: Mapping[str, Any],
    base: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    is_whole: bool = True,
    passed_over: frozenset[str] = frozenset(),
) -> Mapping[str, Any]:
    """The target with the changes from `base` to `after`; of `extensions` name by name, without those `passed_over`.

    The target itself if there are none.
    """
    changed = dict(target)
    is_changed = False
    for name in {**base, **after}:
        old, new = base.get(name, ABSENT), after.get(name, ABSENT)
        if is_exact(old, new) or (new is ABSENT and not is_whole):
            continue
        own = changed.get(name, ABSENT)
        if name == EXTENSIONS_NAME and isinstance(own, dict) and isinstance(old, dict):
            sides = [_without(side, passed_over) for side in (old, new if isinstance(new, dict) else {})]
            new = put_changes(own, *sides, is_whole=is_whole)
        if is_exact(own, new):
            continue
        is_changed = True
        if new is ABSENT:
            del changed[name]
        else:
            changed[name] = new
    return changed if is_changed else target


def _merge_entry(target: Entry, base: Entry, after: Entry, *, is_whole: bool) -> Entry:
    values: dict[str, Any] = {}
    for name in changed_fields(base, after):
        value = getattr(after, name)
        if (value is not ABSENT or is_whole) and not _is_same(getattr(target, name), value):
            values[name] = value
    given = _without(after.extra, _mirrors(base))
    extra = put_changes(
        target.extra, _without(base.extra, _mirrors(base)), given, is_whole=is_whole, passed_over=OF_CARDS
    )
    if extra is target.extra and not values:
        return target
    return replace(target, extra=extra or EMPTY, **values)


def _mirrors(entry: Entry) -> frozenset[str]:
    """Names in `extra` that repeat a field: what an older copy in another file says of them is not an edit."""
    titles = {name for name in _TITLES if not entry.title or entry.extra.get(name) != entry.title}
    return frozenset(entry.extra.keys() & SPELLINGS - titles)


def _without(value: Mapping[str, Any], names: frozenset[str]) -> Mapping[str, Any]:
    return {name: item for name, item in value.items() if name not in names} if names else value


def _texts(entry: Entry) -> tuple[object, ...]:
    texts = (entry.title, entry.keys, entry.content)
    return texts if any(texts) else ()


def _title(entry: Entry) -> object:
    return entry.title


def _keys(entry: Entry) -> object:
    return entry.keys


def _is_alike(left: Entry, right: Entry) -> bool:
    pairs = ((left.title, right.title), (left.keys, right.keys), (left.content, right.content))
    return any(one and one == other for one, other in pairs) or not any(map(any, pairs))


def _is_same(left: object, right: object) -> bool:
    return left is right or (type(left) is type(right) and left == right)
