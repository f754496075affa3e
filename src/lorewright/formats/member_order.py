"""The order of members in the objects of a JSON file, kept apart from the values and given back to them.

JSON says that it means nothing, and a person who compares two files sees nothing else. Objects with the same members
mostly have them in the same order, so each order is kept once; an object that differs is named by its JSON pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lorewright.formats.pointer import pointer

__all__ = ["find_orders", "read_names", "restore_orders", "write_names"]

Names = list[str] | str
_ORDERS: Final = "orders"
_PLACES: Final = "places"
_Place = tuple[str | int, ...]


def find_orders(raw: object, made: object) -> dict[str, Any]:
    """What `restore_orders` needs to give the objects of `made`, an equal value, the order that they have in `raw`."""
    orders: dict[frozenset[str], tuple[str, ...]] = {}
    for _, theirs, ours in _pairs(raw, made, ()):
        if list(theirs) != list(ours):
            orders.setdefault(frozenset(theirs), tuple(theirs))
    kept: dict[str, Any] = {_ORDERS: [write_names(names) for names in orders.values()]} if orders else {}
    places = {
        pointer(place): write_names(tuple(theirs))
        for place, theirs, ours in _pairs(raw, restore_orders(made, kept), ())
        if list(theirs) != list(ours)
    }
    return kept | ({_PLACES: places} if places else {})


def restore_orders(value: Any, kept: Mapping[str, Any]) -> Any:
    """The value with the orders that were kept; whatever else is in `kept` says nothing."""
    orders, places = kept.get(_ORDERS), kept.get(_PLACES)
    read = [names for one in (orders if isinstance(orders, list) else ()) if (names := read_names(one)) is not None]
    by_set = {frozenset(names): names for names in reversed(read)}
    by_place = {place: read_names(one) for place, one in places.items()} if isinstance(places, dict) else {}
    return _restored(value, (), by_set, by_place) if by_set or by_place else value


def _restored(
    value: Any,
    place: _Place,
    by_set: Mapping[frozenset[str], tuple[str, ...]],
    by_place: Mapping[str, tuple[str, ...] | None],
) -> Any:
    if isinstance(value, list):
        return [_restored(item, (*place, at), by_set, by_place) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    names = by_place.get(pointer(place)) if by_place else None
    if names is None or set(names) != value.keys():
        names = by_set.get(frozenset(value), tuple(value))
    return {name: _restored(value[name], (*place, name), by_set, by_place) for name in names}


def _pairs(raw: object, made: object, place: _Place) -> Iterator[tuple[_Place, dict[str, Any], dict[str, Any]]]:
    if isinstance(raw, dict) and isinstance(made, dict):
        yield place, raw, made
        for name in raw:
            yield from _pairs(raw[name], made[name], (*place, name))
    elif isinstance(raw, list) and isinstance(made, list):
        for at, (theirs, ours) in enumerate(zip(raw, made, strict=True)):
            yield from _pairs(theirs, ours, (*place, at))


def write_names(names: Sequence[str]) -> Names:
    """Names as one text; as a list if one of them has a space in it."""
    is_plain = all(name and not any(letter.isspace() for letter in name) for name in names)
    return " ".join(names) if is_plain else list(names)


def read_names(kept: object) -> tuple[str, ...] | None:
    """The names again; None if it is something else, or a name stands twice."""
    names = kept.split(" ") if isinstance(kept, str) else kept
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return tuple(names) if len(set(names)) == len(names) else None
