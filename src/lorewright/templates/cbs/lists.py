"""Macros for lists and objects, which are JSON texts (spec risu §2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import is_integer_like
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import (
    Thrown,
    TooMuch,
    joined,
    list_text,
    parse_json,
    property_of,
    read_list,
    read_object,
    truthy,
    units,
)
from lorewright.templates.context import Json
from lorewright.templates.variables import json_text

__all__ = ["LISTS"]


def split(given: Given) -> str:
    text, separator = given.need(0), given.get(1)
    if separator is None:
        return list_text([text])
    return list_text(text.split(separator) if separator else list(units(text)))


def join(given: Given) -> str:
    separator = given.get(1)
    most = given.run.context.limits.output_chars
    return joined(read_list(given.need(0)), "," if separator is None else separator, most)


def spread(given: Given) -> str:
    return joined(read_list(given.need(0)), "::", given.run.context.limits.output_chars)


def length(given: Given) -> str:
    return str(len(read_list(given.need(0))))


def _index(place: float) -> float:
    """A number as a list takes it for a place: NaN is 0, fractions are cut."""
    return 0.0 if math.isnan(place) else float(math.trunc(place)) if math.isfinite(place) else place


def item(given: Given) -> Json:
    items, place = read_list(given.need(0)), _index(given.number(1))
    if place < 0:
        place += len(items)
    found = items[int(place)] if 0 <= place < len(items) else None
    return "null" if found is None else found


def member(given: Given) -> Json:
    found = property_of(read_object(given.get(0)), given.text(1))
    return "null" if found is None else found


def element(given: Given) -> Json:
    """An item of an item: each step takes the text found before as JSON."""
    current: Json = given.get(0)
    for name in given.arguments[1:]:
        try:
            held = parse_json(current) if isinstance(current, str) else None
        except Thrown:
            held = None
        current = property_of(held, name) if isinstance(held, (list, dict)) else None
        if not truthy(current):
            return "null"
    return current


def _changed(change: Callable[[list[Json], Given], None]) -> Callable[[Given], str]:
    def write(given: Given) -> str:
        items = read_list(given.need(0))
        change(items, given)
        return list_text(items)

    return write


def _shift(items: list[Json], given: Given) -> None:  # noqa: ARG001
    del items[:1]


def _pop(items: list[Json], given: Given) -> None:  # noqa: ARG001
    del items[-1:]


def _push(items: list[Json], given: Given) -> None:
    items.append(given.get(1))


def _splice(items: list[Json], given: Given) -> None:
    start, count = _index(given.number(1)), _index(given.number(2))
    begin = int(max(len(items) + start, 0) if start < 0 else min(start, len(items)))
    items[begin : begin + int(max(0, min(count, len(items) - begin)))] = [given.get(3)]


def _assert_item(items: list[Json], given: Given) -> None:
    place = given.number(1)
    if math.isnan(place) or place < len(items) or place != math.floor(place):
        return
    most = given.run.context.limits.items
    if place >= most:
        raise TooMuch(f"makes a list with `arrayassert` of more than {most:,} items")
    items.extend([None] * (int(place) - len(items)))
    items.append(given.get(2))


def make_list(given: Given) -> str:
    return list_text(given.arguments)


def make_object(given: Given) -> str:
    pairs = (argument.partition("=") for argument in given.arguments)
    return json_text({name: value for name, equals, value in pairs if equals and name != "__proto__"})


def assert_member(given: Given) -> str:
    """The object with a property it has not, or has empty.

    Raises:
        Thrown: it is no object but null, a text, a number or a truth value.
    """
    held, name, value = read_object(given.get(0)), given.text(1), given.get(2)
    if not truthy(property_of(held, name)):
        if isinstance(held, dict):
            if value is not None:
                held[name] = value
            else:
                held.pop(name, None)
        elif not isinstance(held, list):
            raise Thrown
        elif is_integer_like(name):
            _put(held, int(name), value, given.run.context.limits.items)
    return json_text(held)


def _put(items: list[Json], place: int, value: Json, most: int) -> None:
    if place >= max(most, len(items)):
        raise TooMuch(f"makes a list with `objectassert` of more than {most:,} items")
    items.extend([None] * (place + 1 - len(items)))
    items[place] = value


def keep(given: Given) -> str:
    """The items that are not empty and not there before; `unique` and `nonempty` ask one of both."""
    items, how = read_list(given.need(0)), given.get(1)
    if how != "unique":
        items = [item for item in items if not isinstance(item, str) or item]
    if how != "nonempty":
        items = _first_ones(items)
    return list_text(items)


def _first_ones(items: list[Json]) -> list[Json]:
    """Items that are not equal to an earlier one; two lists or objects are never equal."""
    seen: set[tuple[str, Json]] = set()
    found = []
    for each in items:
        if isinstance(each, (list, dict)):
            found.append(each)
            continue
        mark = ("" if isinstance(each, (int, float)) and not isinstance(each, bool) else type(each).__name__, each)
        if mark not in seen:
            seen.add(mark)
            found.append(each)
    return found


LISTS: Final = (
    Macro("split", "text::separator", "constant", split),
    Macro("join", "list::separator", "constant", join),
    Macro("spread", "list", "constant", spread),
    Macro("arraylength", "list", "constant", length),
    Macro("arrayelement", "list::index", "constant", item),
    Macro("dictelement", "object::key", "constant", member, ("objectelement",)),
    Macro("objectassert", "object::key::value", "constant", assert_member, ("dictassert",)),
    Macro("element", "json::key::...", "constant", element, ("ele",)),
    Macro("arrayshift", "list", "constant", _changed(_shift)),
    Macro("arraypop", "list", "constant", _changed(_pop)),
    Macro("arraypush", "list::item", "constant", _changed(_push)),
    Macro("arraysplice", "list::start::count::item", "constant", _changed(_splice)),
    Macro("arrayassert", "list::index::item", "constant", _changed(_assert_item)),
    Macro("makearray", "item::...", "constant", make_list, ("array", "a")),
    Macro("makedict", "key=value::...", "constant", make_object, ("dict", "d", "makeobject", "object", "o")),
    Macro("filter", "list::all|nonempty|unique", "constant", keep),
)
