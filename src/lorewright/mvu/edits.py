"""Changes of a tree that leave the old one as it was: only the containers on the way are copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from lorewright.core.javascript import is_integer_like
from lorewright.mvu.paths import index_of
from lorewright.mvu.values import MISSING, UNDEFINED, Json

__all__ = ["MOST_PLACES", "Lists", "change", "js_keys", "merged", "put", "splice_place", "without", "write"]

Lists: TypeAlias = Literal["by_place", "whole"]
"""How a list meets a list: item by item, or the new one takes its place."""

MOST_PLACES: Final = 10_000
"""A list is not filled up beyond this place."""


def change(holder: Json, steps: Sequence[str], new: Callable[[Json], Json]) -> Json:
    """The value with what is behind the steps, which must exist, put through `new`; `MISSING` from it takes the member
    out of its object or list."""
    if not steps:
        return new(holder)
    step, behind = steps[0], steps[1:]
    if isinstance(holder, dict):
        made = dict(holder)
        if (value := change(holder[step], behind, new)) is MISSING:
            del made[step]
        else:
            made[step] = value
        return made
    items = list(holder)
    place = index_of(step, len(items))
    assert place is not None
    if (value := change(items[place], behind, new)) is MISSING:
        del items[place]
    else:
        items[place] = value
    return items


def put(holder: Json, steps: Sequence[str], value: Json) -> Json:
    """The value with another one behind the steps, which must exist."""
    return change(holder, steps, lambda _: value)


def without(holder: Json, steps: Sequence[str]) -> Json:
    """The value without the member or item behind the steps, which must exist."""
    return change(holder, steps, lambda _: MISSING)


def write(holder: Json, steps: Sequence[str], value: Json) -> Json:
    """The value with another one behind the steps; what is no container on the way is replaced by one: by a list where
    a place comes next, else by an object. A name that is no place is lost on a list, as JSON has no room for it."""
    if not steps:
        return value
    step, behind = steps[0], steps[1:]
    if not isinstance(holder, (dict, list)):
        holder = [] if is_integer_like(step) and int(step) < MOST_PLACES else {}
    if isinstance(holder, dict):
        return {**holder, step: write(holder.get(step), behind, value)}
    if not is_integer_like(step) or int(step) >= max(MOST_PLACES, len(holder)):
        return holder
    place = int(step)
    items = [*holder, *([None] * (place + 1 - len(holder)))]
    items[place] = write(items[place], behind, value)
    return items


def merged(old: Json, new: Json, lists: Lists = "by_place") -> Json:
    """Two values as one, the new one winning wherever both say something; `undefined` says nothing, null does.

    Objects are merged member by member; an object changes the places of a list that it names (§5, §9).
    """
    if isinstance(new, dict):
        if isinstance(old, list):
            return _into_list(old, new, lists)
        made = dict(old) if isinstance(old, dict) else {}
        for name, value in new.items():
            if value is UNDEFINED:
                made.setdefault(name, UNDEFINED)
            else:
                made[name] = merged(made.get(name), value, lists)
        return made
    if isinstance(new, list) and lists == "by_place":
        before = old if isinstance(old, list) else []
        paired = [merged(before[at] if at < len(before) else None, value) for at, value in enumerate(new)]
        return paired + before[len(new) :]
    return old if new is UNDEFINED else new


def _into_list(old: list[Json], new: dict[str, Json], lists: Lists) -> list[Json]:
    items = old
    for name, value in new.items():
        if is_integer_like(name) and int(name) < MOST_PLACES and value is not UNDEFINED:
            before = items[int(name)] if int(name) < len(items) else None
            items = write(items, [name], merged(before, value, lists))
    return items


def splice_place(index: float, size: int) -> int:
    """Where `splice` begins: fractions are cut off, a negative index counts from the end, too large ones are the end."""
    if index != index:  # noqa: PLR0124 - not a number
        return 0
    place = int(max(min(index, size), -size))
    return place if place >= 0 else size + place


def js_keys(value: dict[str, Json]) -> list[str]:
    """The names of an object in the order of JavaScript: those that look like places first."""
    return sorted(filter(is_integer_like, value), key=int) + [name for name in value if not is_integer_like(name)]
