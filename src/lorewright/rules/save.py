"""A changed rules file into its old text: what did not change stays as it was written, comments included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native.comments import collect_comments
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.patch import CannotPatch, Patch, move_comments
from lorewright.formats.native.read import is_json, parse_native
from lorewright.formats.native.tree import parse_tree, to_value
from lorewright.formats.native.write import as_json
from lorewright.rules.fields import COMPUTED

__all__ = ["edit_rules", "without_computed"]


def without_computed(value: Mapping[str, Any], filled: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The value of a file without what the program has added for show: computed fields, and ids in `filled`."""
    entries = value.get("entries")
    if not isinstance(entries, list):
        return dict(value)
    kept = [
        {
            name: item
            for name, item in entry.items()
            if name not in COMPUTED and not (name == "id" and isinstance(item, str) and item in filled)
        }
        if isinstance(entry, dict)
        else entry
        for entry in entries
    ]
    return {**value, "entries": kept}


def edit_rules(text: str, value: Mapping[str, Any]) -> str:
    """The text of a file with what is different in `value`; entries are known by their id.

    Names stay in the order of the text. What is written reads as exactly this value.

    Raises:
        FormatError: the text cannot be read.
    """
    if is_json(text):
        old = parse_native(text, Notes())
        target = _in_order_of(old, value)
        return text if is_exact(old, target) else as_json(target)
    tree = parse_tree(text)
    old = to_value(tree, Notes())
    target = _in_order_of(old, value)
    if is_exact(old, target):
        return text
    try:
        patched = Patch(text, _identity(target)).apply(tree, old, target)
        if _reads_as(patched, target):
            return patched
    except CannotPatch:
        pass
    laid_out = emit_yaml(target, move_comments(collect_comments(tree, text), _ids(old), _ids(target)))
    return laid_out if _reads_as(laid_out, target) else emit_yaml(target)


def _reads_as(text: str, target: object) -> bool:
    try:
        return is_exact(_in_order_of(target, parse_native(text, Notes())), target)
    except FormatError:
        return False


def _identity(value: Mapping[str, Any]) -> str:
    """By what the entries are known, in a rules file and in a lorebook of ours."""
    return "uid" if "lorewright" in value else "id"


def _ids(value: Any) -> list[str]:
    """The id of every entry; one without an id is known by its place."""
    entries = value.get("entries") if isinstance(value, Mapping) else None
    found = entries if isinstance(entries, list) else []
    name = _identity(value) if isinstance(value, Mapping) else ""
    return [
        str(entry[name]) if isinstance(entry, Mapping) and name in entry else f"#{place}"
        for place, entry in enumerate(found)
    ]


def _in_order_of(old: Any, new: Any) -> Any:
    """The new value with names in the order in which the old one has them; new names come last."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        names = [*(name for name in old if name in new), *(name for name in new if name not in old)]
        return {
            name: _entries_in_order(old, new) if name == "entries" else _in_order_of(old.get(name), new[name])
            for name in names
        }
    if isinstance(new, (list, tuple)):
        before = old if isinstance(old, list) and len(old) == len(new) else [None] * len(new)
        return [_in_order_of(*pair) for pair in zip(before, new, strict=True)]
    return dict(new) if isinstance(new, Mapping) else new


def _entries_in_order(old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
    entries = new["entries"]
    if not isinstance(entries, list):
        return entries
    known = old.get("entries")
    by_id = dict(zip(_ids(old), known if isinstance(known, list) else (), strict=False))
    return [_in_order_of(by_id.get(identity), entry) for identity, entry in zip(_ids(new), entries, strict=True)]
