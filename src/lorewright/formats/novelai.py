"""NovelAI's lorebooks, alone or in a scenario or story <-> `Book` (spec formats §3.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import number_text, truthy
from lorewright.core.model import Book
from lorewright.formats.dialect import ENTRIES, Dialect, Effects, homes
from lorewright.formats.entry_objects import not_value
from lorewright.formats.foreign import read_foreign, write_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.novelai_category import inherited

__all__ = ["read_novelai_lorebook", "read_novelai_story", "write_novelai_lorebook", "write_novelai_story"]

_HOMES: Final = {
    "key": homes("keys"),
    "comment": homes("displayName"),
    "content": homes("text"),
    "disable": homes("enabled", into=not_value, back=not_value),
    "constant": homes("forceActivation"),
    "order": homes("contextConfig.budgetPriority"),
}
_BLANK: Final = {"text": "", "displayName": "", "keys": [], "enabled": True, "forceActivation": False, "category": ""}
_LOREBOOK: Final = Dialect("novelai_lorebook", "id", _HOMES, blank=_BLANK)
_STORY: Final = Dialect("novelai_story", "id", _HOMES, blank=_BLANK)

_NEWEST: Final = 6
_FIELDS: Final = {
    "enabled": "disable",
    "forceActivation": "constant",
    "keys": "key",
    "contextConfig.budgetPriority": "order",
}
"""Of what an entry can have from its category: the places that have a field here."""


def read_novelai_lorebook(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a `.lorebook`. Entries have what their category gives them; their own values come back when written."""
    version = value["lorebookVersion"]
    if notes is not None and version > _NEWEST:
        message = f"`lorebookVersion` is {number_text(version)}; versions up to {_NEWEST} are known. The rest is kept as it is."
        notes.add("version_newer", message, field="lorebookVersion")
    effects = _effects(value)
    return read_foreign(value, _LOREBOOK, path=(ENTRIES,), name=name, origin=origin, notes=notes, effects=effects)


def read_novelai_story(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the lorebook of a `.scenario` or `.story`. The story is kept for writing it back and is not looked at."""
    path: tuple[str, ...] = ("lorebook",)
    if not isinstance(value.get("lorebook"), dict):
        inner = value.get("content")
        path = ("content", "lorebook") if isinstance(inner, dict) and isinstance(inner.get("lorebook"), dict) else path
    book: Any = value
    for step in path:
        book = book.get(step)
    effects = _effects(book)
    return read_foreign(value, _STORY, path=(*path, ENTRIES), name=name, origin=origin, notes=notes, effects=effects)


def _effects(book: Any) -> Effects:
    listed = book.get("categories") if isinstance(book, dict) else None
    categories = {
        category["id"]: category
        for category in (listed if isinstance(listed, list) else ())
        if isinstance(category, dict) and isinstance(category.get("id"), str)
    }

    told: set[str] = set()

    def apply(raw: Mapping[str, Any], made: dict[str, Any], uid: int | str, notes: Notes) -> None:
        made["caseSensitive"] = False  # a plain key never is; a pattern says so itself
        name = raw.get("category")
        category = categories.get(name) if isinstance(name, str) else None
        if category:
            _inherit(category, raw, made, uid, notes)
            if category["id"] not in told:
                told.add(category["id"])
                _note_subcontext(category, notes)
        _note_pairs(raw, uid, notes)

    return apply


def _inherit(
    category: Mapping[str, Any], raw: Mapping[str, Any], made: dict[str, Any], uid: int | str, notes: Notes
) -> None:
    """What a category does: its defaults stand for what the entry left as made; switched off, it switches off."""
    found = inherited(category, raw)
    for place, value in found.items():
        if place in _FIELDS:
            made[_FIELDS[place]] = not_value(value) if place == "enabled" else value
    if without := [f"`{place}`" for place in found if place not in _FIELDS]:
        message = (
            f"The entry has {', '.join(without)} from its category {_title(category)}; they are kept there and "
            "change nothing here."
        )
        notes.add("category_inherited", message, "info", entry=uid)
    if category.get("enabled") is False:
        made["disable"] = True


def _note_subcontext(category: Mapping[str, Any], notes: Notes) -> None:
    if truthy(category.get("createSubcontext")):
        message = (
            f"The category {_title(category)} makes one text of its entries (a subcontext) in NovelAI; here each is "
            "placed by itself. Its settings are kept."
        )
        notes.add("subcontext_kept", message)


def _title(category: Mapping[str, Any]) -> str:
    name = category.get("name")
    return ascii(name[:40]) if isinstance(name, str) and name else "without a name"


def _note_pairs(raw: Mapping[str, Any], uid: int | str, notes: Notes) -> None:
    keys = raw.get("keys")
    for key in keys if isinstance(keys, list) else ():
        if isinstance(key, str) and " & " in key and not key.startswith("/"):
            message = (
                f"NovelAI wants all parts of the key {key!a} in the text; here it is one text to be found as it is."
            )
            notes.add("key_joined", message, entry=uid, field="keys")


def write_novelai_lorebook(book: Book) -> Any:
    return write_foreign(book, _LOREBOOK, _new)


def write_novelai_story(book: Book) -> Any:
    """The story with its lorebook. A book of elsewhere becomes a scenario without a text."""
    return write_foreign(
        book,
        _STORY,
        lambda entries, extra: {
            "scenarioVersion": 3,
            "title": book.name,
            "prompt": "",
            "lorebook": _new(entries, extra),
        },
    )


def _new(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> dict[str, Any]:
    settings = {"lorebookVersion": 5, "settings": {"orderByKeyLocations": False}, "categories": []}
    return {**settings, **extra, ENTRIES: entries}
