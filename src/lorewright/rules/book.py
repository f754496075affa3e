"""A lorebook of ours as rules: the fields that both have mean the same.

What would let an entry in less often (a gate, a scene, a group, a delay) does not exist among rules. An entry that has
such a field is not loaded, because without it its text would stand where it shall not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lorewright.core.gates import barriers_before
from lorewright.core.model import ABSENT, Book, Entry, Odd
from lorewright.core.replaces import Replace, write_replaces
from lorewright.rules.fields import LOGICS

__all__ = ["entry_as_rule", "restrictions"]

_SAME: Final = {
    "title": "name",
    "enabled": "enabled",
    "keys": "keys",
    "case_sensitive": "caseSensitive",
    "whole_words": "wholeWords",
    "scan_depth": "scanDepth",
    "seed_salt": "seedSalt",
    "layer": "layer",
    "channel": "channel",
    "content": "content",
    "cache_unsafe": "cacheUnsafe",
}
"""Fields of an entry that a rule has under another name."""
_RESTRICTING: Final = (
    *("restricted_to", "scene", "filter", "triggers", "group", "delay", "cooldown", "delay_until_recursion"),
)
_ABOVE: Final = {"folder": "the gate of its folder", "book": "the gate of the book"}
_WORDS: Final[Mapping[object, str]] = {number: word for word, number in LOGICS.items()}


def restrictions(book: Book, entry: Entry) -> list[str]:
    """The fields that would keep the entry out and that rules do not have."""
    found = [name for name in _RESTRICTING if _bare(getattr(entry, name))]
    barriers = barriers_before(entry, book)
    gated = {barrier.owner for barrier in barriers if barrier.gate is not ABSENT and barrier.gate is not None}
    return [
        *(["gate"] if "entry" in gated else []),
        *found,
        *(name for owner, name in _ABOVE.items() if owner in gated),
    ]


def entry_as_rule(entry: Entry) -> dict[str, Any]:
    """The entry as a rules file has it. Values of a wrong type come along, so that they are refused there."""
    made: dict[str, Any] = {"id": str(entry.uid), "mode": "constant" if _bare(entry.constant) else "selective"}
    for name, called in _SAME.items():
        _put(made, called, getattr(entry, name))
    if entry.selective is not False:
        _put(made, "keySecondary", entry.secondary)
        _put(made, "keyLogic", entry.logic, lambda number: _WORDS.get(number, number))
    if entry.use_probability is not False:
        _put(made, "probability", entry.probability)
    _put(made, "replaces", entry.replaces, lambda found: write_replaces(found) if _are_replaces(found) else found)
    return made


def _are_replaces(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, Replace) for one in value)


def _put(made: dict[str, Any], name: str, value: object, change: Callable[[Any], Any] = lambda value: value) -> None:
    """Put in what the file says; nothing where it says nothing."""
    if (bare := _bare(value)) is not None:
        changed = change(bare)
        made[name] = list(changed) if isinstance(changed, tuple) else changed


def _bare(value: object) -> object:
    return None if value is ABSENT else value.value if isinstance(value, Odd) else value
