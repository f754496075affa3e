"""Objects of a foreign JSON file <-> the same under names of ours, without loss.

A table says which member has which name. A member is shown under our name only if its value comes back exactly from
there; everything else stands under `extra` as it was. So whatever a file holds, `hide_object` of `show_object` is the
same value again, but for the order of members (`formats/member_order.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final, Literal

from lorewright.core.model import ABSENT, EMPTY
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import free_name
from lorewright.formats.pointer import pointer
from lorewright.formats.wording import describe

__all__ = [
    "EXTRA",
    "Member",
    "Path",
    "Sort",
    "Table",
    "hide_object",
    "is_same",
    "member",
    "rows",
    "show_object",
    "under",
]

EXTRA: Final = "extra"
Path = tuple[str, ...]
Sort = Literal["text", "flag", "number", "list", "id", "any"]
_TYPES: Final[Mapping[Sort, tuple[type, ...]]] = {
    "text": (str,),
    "flag": (bool,),
    "number": (int, float),
    "list": (list,),
    "id": (int, str),
    "any": (object,),
}
_SORTS: Final[Mapping[Sort, str]] = {
    "text": "a text",
    "flag": "true or false",
    "number": "a number",
    "list": "a list",
    "id": "a number or a text",
}


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member: where it stands in our mapping and in theirs, and its value here and there.

    words: values of theirs by ours. show, hide: from their value to ours and back. items: the table of the objects in
    a list, and `usual` what their objects say where ours say nothing. sort: what a value of ours should be.
    """

    ours: Path
    theirs: Path
    sort: Sort = "any"
    words: Mapping[Any, Any] | None = None
    show: Callable[[Any], Any] = _as_it_is
    hide: Callable[[Any], Any] = _as_it_is
    items: Table | None = None
    usual: Mapping[str, Any] = field(default_factory=dict)


Table = tuple[Member, ...]


def member(ours: str, theirs: str, sort: Sort = "any", words: Mapping[Any, Any] | None = None) -> Member:
    """A member whose value has other words at most. Dots lead into mappings."""
    back = {} if words is None else {_key(their): our for our, their in words.items()}
    there = {} if words is None else {_key(our): their for our, their in words.items()}
    return Member(
        ours=tuple(ours.split(".")),
        theirs=tuple(theirs.split(".")),
        sort=sort,
        words=words,
        show=lambda value: back.get(_key(value), value),
        hide=lambda value: there.get(_key(value), value),
    )


def rows(ours: str, theirs: str, items: Table, usual: Mapping[str, Any] = EMPTY) -> Member:
    """A list of objects; whatever else is in it stays as it is."""
    return Member(
        ours=tuple(ours.split(".")),
        theirs=tuple(theirs.split(".")),
        sort="list",
        show=lambda value: _each(value, lambda item: show_object(items, item)),
        hide=lambda value: _each(value, lambda item: {**usual, **hide_object(items, item)}),
        items=items,
        usual=usual,
    )


def under(table: Iterable[Member], ours: str, theirs: str = "") -> Table:
    """The table for objects that stand in a mapping of ours, and in one of theirs if it has a name."""
    place = (theirs,) if theirs else ()
    return tuple(replace(one, ours=(ours, *one.ours), theirs=(*place, *one.theirs)) for one in table)


def _key(value: object) -> tuple[type, object]:
    """So that 1, 1.0 and true are three values; what cannot be a key is none of a table's words."""
    return type(value), value if isinstance(value, (str, int, float, type(None))) else None


def _each(value: Any, change: Callable[[Mapping[str, Any]], Any]) -> Any:
    return _each_at(value, lambda _, item: change(item))


def _each_at(value: Any, change: Callable[[int, Mapping[str, Any]], Any]) -> Any:
    if not isinstance(value, list):
        return value
    return [change(at, item) if isinstance(item, dict) else item for at, item in enumerate(value)]


def show_object(table: Table, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The object under our names, in the order of the table; what has none under `extra`."""
    made: dict[str, Any] = {}
    rest = dict(raw)
    for one in table:
        value = _get(raw, one.theirs)
        if value is ABSENT:
            continue
        shown = one.show(value)
        if is_same(one.hide(shown), value):
            _put(made, one.ours, shown)
            rest = _without(rest, one.theirs)
    if rest:
        made[EXTRA] = rest
    return made


def hide_object(
    table: Table, shown: Mapping[str, Any], notes: Notes | None = None, where: str = "", what: str = "the file"
) -> dict[str, Any]:
    """The foreign object. Unknown names of ours become members of it; they and odd values are noted.

    `where` is the pointer of the mapping in our file, `what` its name for a person.
    """
    rest = dict(shown)
    extra = rest.pop(EXTRA) if isinstance(shown.get(EXTRA), dict) else {}
    raw = dict(extra)
    for one in table:
        value = _get(rest, one.ours)
        if value is ABSENT:
            continue
        rest = _without(rest, one.ours)
        if notes is not None:
            _check(one, value, notes, where)
        if _get(raw, one.theirs) is not ABSENT and notes is not None:
            message = f"`{'.'.join(one.ours)}` stands in {what} and as `{'.'.join(one.theirs)}` in its `extra`; the first is used."
            notes.add("field_conflict", message, field=one.ours[-1], place=where)
        _put(
            raw,
            one.theirs,
            _hide_rows(one, value, notes, where) if one.items and notes is not None else one.hide(value),
        )
    known = sorted({name for one in table for name in one.ours} | {EXTRA})
    for name, value in rest.items():
        if notes is not None:
            _note_unknown(name, known, notes, where, what)
        raw[free_name(name, raw)] = value
    return raw


def tidy_object(table: Table, shown: Mapping[str, Any]) -> dict[str, Any]:
    """The object of ours with its members in the order of the table, unknown ones behind them, `extra` last."""
    known = dict.fromkeys(one.ours[0] for one in table)
    last = [EXTRA] if EXTRA in shown else []
    order = [name for name in known if name in shown] + [name for name in shown if name not in known and name != EXTRA]
    return {name: _tidy(table, name, shown[name]) for name in (*order, *last)}


def _tidy(table: Table, name: str, value: Any) -> Any:
    inner = tuple(replace(one, ours=one.ours[1:]) for one in table if one.ours[0] == name and len(one.ours) > 1)
    items = next((one.items for one in table if one.ours == (name,)), None)
    if inner and isinstance(value, dict):
        return tidy_object(inner, value)
    return _each(value, lambda item: tidy_object(items, item)) if items else value


def _hide_rows(one: Member, value: Any, notes: Notes, where: str) -> Any:
    """As `one.hide`, with notes."""
    place = pointer(one.ours)
    return _each_at(
        value,
        lambda at, item: {**one.usual, **hide_object(one.items or (), item, notes, f"{where}{place}/{at}", "the item")},
    )


def _check(one: Member, value: object, notes: Notes, where: str) -> None:
    name = ".".join(one.ours)
    if value is None or isinstance(value, dict):
        return
    if one.words is not None and one.sort == "any":
        if _key(value) not in map(_key, one.words):
            words = ", ".join(str(word).lower() if isinstance(word, bool) else f"`{word}`" for word in one.words)
            message = f"`{name}` is {describe(value)}; known are {words}. It is kept as it is."
            notes.add("bad_value", message, field=name, place=where)
    elif not isinstance(value, _TYPES[one.sort]) or (one.sort in {"number", "id"} and isinstance(value, bool)):
        message = f"`{name}` holds {describe(value)}, where {_SORTS[one.sort]} is wanted; it is kept as it is."
        notes.add("bad_value", message, field=name, place=where)


def _note_unknown(name: str, known: list[str], notes: Notes, where: str, what: str) -> None:
    shown = ascii(name[:40])[1:-1]
    close = get_close_matches(name[:40].lower(), known, n=1, cutoff=0.6)
    meant = f" Did you mean `{close[0]}`?" if close else ""
    message = f"`{shown}` is no field of {what} that this version knows; it is kept and has no effect.{meant}"
    notes.add("unknown_field", message, field=shown, place=where)


def is_same(left: object, right: object) -> bool:
    """Whether two JSON values are the same, types of numbers included; the order of members does not matter."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left == right


def _get(value: Any, path: Path) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value


def _put(value: dict[str, Any], path: Path, item: Any) -> None:
    """Put it into a mapping of which only the top is ours; mappings on the way are made anew."""
    name, *rest = path
    if rest:
        inner = value.get(name)
        made = dict(inner) if isinstance(inner, dict) else {}
        _put(made, tuple(rest), item)
        item = made
    value[name] = item


def _without(value: dict[str, Any], path: Path) -> dict[str, Any]:
    """The mapping without what stands there, and without mappings that are empty then."""
    name, *rest = path
    if rest and (inner := _without(value[name], tuple(rest))):
        return {**value, name: inner}
    return {key: item for key, item in value.items() if key != name}
