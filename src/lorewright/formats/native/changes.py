"""Changes to a preset, a card or a persona that is read-only, in a file of ours beside it, so that a new version keeps
them.

The file has only what is different. Fields stand in place of those with their names; prompts, entries and orders are
known by their ids, and one with `remove: true` is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lorewright.core.overlays import lay_over
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.native.kinds import name_document

__all__ = ["lay_changes"]

_HEAD: Final = frozenset({"lorewright", "kind", "name", "origin"})
_REMOVE: Final = "remove"
_Path = tuple[str, ...]


def _id_of(name: str, default: str = "") -> Callable[[Any], str]:
    return lambda item: str(item.get(name, default)) if isinstance(item, dict) else str(item)


_KNOWN_BY: Final[Mapping[_Path, Callable[[Any], str]]] = {
    ("prompts",): _id_of("id"),
    ("orders",): _id_of("owner", "everybody"),
    ("orders", "prompts"): _id_of("id"),
    ("order",): _id_of("id"),
    ("book", "entries"): _id_of("uid"),
}
"""Lists of things with ids; any other list is replaced as a whole."""


def lay_changes(base: Mapping[str, Any], changes: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """The value of a file of ours with the changes of another one of its kind. Its name and its origin stay.

    Raises:
        FormatError: they are of different kinds.
    """
    kind = name_document(base)
    if not kind or name_document(changes) != kind:
        wanted = base.get("kind", "book")
        raise FormatError(f"Changes to a {wanted} stand in a file with `lorewright: 1` and `kind: {wanted}`.")
    return _over(base, {name: value for name, value in changes.items() if name not in _HEAD}, (), notes)


def _over(base: Mapping[str, Any], changes: Mapping[str, Any], path: _Path, notes: Notes) -> dict[str, Any]:
    made = dict(base)
    for name, value in changes.items():
        here = (*path, name)
        old = made.get(name)
        if here in _KNOWN_BY and isinstance(value, list):
            made[name] = _items_over(old if isinstance(old, list) else [], value, here, notes)
        elif isinstance(old, dict) and isinstance(value, dict):
            made[name] = _over(old, value, here, notes)
        else:
            made[name] = value
    return made


def _items_over(base: list[Any], changes: list[Any], path: _Path, notes: Notes) -> list[Any]:
    id_of = _KNOWN_BY[path]
    named = ((id_of(change), None if _is_removed(change) else change) for change in changes)
    made, missing = lay_over(base, named, id_of, lambda old, new: _item_over(old, new, path, notes), in_line=True)
    for name in missing:
        message = f"`{name}` of `{'.'.join(path)}` is to be left out, but is not there (any more)."
        notes.add("overlay_without_entry", message, "info", entry=name, field=path[-1])
    return list(made)


def _is_removed(change: object) -> bool:
    return isinstance(change, dict) and change.get(_REMOVE) is True


def _item_over(old: Any, new: Any, path: _Path, notes: Notes) -> Any:
    """A bare id in an order says that the prompt is on."""
    if isinstance(old, dict) and isinstance(new, dict):
        return _over(old, new, path, notes)
    return new
