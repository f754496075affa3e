"""What was changed in one JSON value, into another copy of it: every other difference of the copy stays."""

from __future__ import annotations

from typing import Any

from lorewright.core.model import ABSENT
from lorewright.formats.fields import is_exact

__all__ = ["follow_changes"]


def follow_changes(target: Any, base: Any, new: Any) -> Any:
    """The target with the changes from `base` to `new`.

    Objects are followed name by name, lists by the `id` of their items if all have one, else item by item if nothing was
    added or removed. What has no counterpart in the target is taken over as it is.
    """
    if is_exact(base, new):
        return target
    if isinstance(target, dict) and isinstance(base, dict) and isinstance(new, dict):
        return _follow_object(target, base, new)
    if isinstance(target, list) and isinstance(base, list) and isinstance(new, list):
        return _follow_list(target, base, new)
    return new


def _follow_object(target: dict[str, Any], base: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    made = dict(target)
    for name in {**base, **new}:
        old, value = base.get(name, ABSENT), new.get(name, ABSENT)
        if is_exact(old, value):
            continue
        if value is ABSENT:
            made.pop(name, None)
        else:
            made[name] = value if old is ABSENT or name not in made else follow_changes(made[name], old, value)
    return made


def _follow_list(target: list[Any], base: list[Any], new: list[Any]) -> list[Any]:
    ids = [_ids(items) for items in (target, base, new)]
    if None in ids:
        if len(target) == len(base) == len(new):
            return [follow_changes(*items) for items in zip(target, base, new, strict=True)]
        return new
    mine, before, after = (
        dict(zip(one or (), items, strict=True)) for one, items in zip(ids, (target, base, new), strict=True)
    )
    kept = {own: item for own, item in mine.items() if own not in before or own in after}
    made = {own: follow_changes(item, before[own], after[own]) if own in before else item for own, item in kept.items()}
    return [*made.values(), *(item for own, item in after.items() if own not in before and own not in made)]


def _ids(items: list[Any]) -> list[tuple[type, object]] | None:
    """The ids of all items, or None if one has none or two have the same."""
    found = [item.get("id") if isinstance(item, dict) else None for item in items]
    ids = [(type(one), one) for one in found if type(one) in {int, str}]
    return ids if len(ids) == len(items) == len(set(ids)) else None
