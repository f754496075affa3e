"""The copy of a V1 card that many programs write beside `data` (spec formats §3.3): it follows what was changed there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import value_as_text
from lorewright.core.model import ABSENT
from lorewright.formats.dialect import follow
from lorewright.formats.fields import is_exact
from lorewright.formats.json_changes import follow_changes

__all__ = ["with_mirror"]

_HOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "creatorcomment": ("creator_notes",),
    "talkativeness": ("extensions", "talkativeness"),
    "fav": ("extensions", "fav"),
}
"""Where the fields stand in `data` that have another place there."""
_DATA: Final = "data"


def with_mirror(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The edited card with its copy brought up to date: each field that was there, and that nobody edited there."""
    old, new = before.get(_DATA), after.get(_DATA)
    made = dict(after)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return made
    for name, value in after.items():
        if name == _DATA or not is_exact(value, before.get(name, ABSENT)):
            continue
        home = _HOMES.get(name, (name,))
        was, now = follow(old, home), follow(new, home)
        if now is not ABSENT and not is_exact(was, now):
            made[name] = _like(value, follow_changes(value, was, now))
    return made


def _like(value: object, new: object) -> object:
    """A number or switch as a text, where the copy holds one (`"0.5"`, `"false"`)."""
    if isinstance(value, str) and isinstance(new, (bool, int, float)):
        return value_as_text(new)
    return new
