"""NovelAI's lorebooks, alone or in a scenario or story <-> `Book` (spec formats §3.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, Book
from lorewright.formats.dialect import ENTRIES, Dialect, Effects, homes
from lorewright.formats.entry_objects import not_value
from lorewright.formats.foreign import read_foreign, write_foreign
from lorewright.formats.imported import Imported, Notes

__all__ = ["read_novelai_lorebook", "read_novelai_story", "write_novelai_lorebook", "write_novelai_story"]

_FACTORY_PRIORITY: Final = 400

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

_INHERITED: Final[tuple[tuple[str, tuple[str, ...], object], ...]] = (
    ("disable", ("enabled",), True),
    ("constant", ("forceActivation",), False),
    ("order", ("contextConfig", "budgetPriority"), _FACTORY_PRIORITY),
)
"""What the defaults of a category change here: the field, its place, and the value of an entry nobody has touched."""


def read_novelai_lorebook(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a `.lorebook`. Entries have what their category gives them; their own values come back when written."""
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

    def apply(raw: Mapping[str, Any], made: dict[str, Any], uid: int | str, notes: Notes) -> None:
        made["caseSensitive"] = False  # a plain key never is; a pattern says so itself
        name = raw.get("category")
        category = categories.get(name) if isinstance(name, str) else None
        if category:
            _inherit(category, raw, made)
        _note_pairs(raw, uid, notes)

    return apply


def _inherit(category: Mapping[str, Any], raw: Mapping[str, Any], made: dict[str, Any]) -> None:
    """What a category does: its defaults stand for what the entry left as made; switched off, it switches off."""
    defaults = category.get("categoryDefaults")
    if truthy(category.get("useCategoryDefaults")) and isinstance(defaults, dict):
        for name, path, factory in _INHERITED:
            (place,) = homes(".".join(path))
            own, given = place.get(raw), place.get(defaults)
            untouched = own is ABSENT or (_is(own, factory) and own == factory)
            if untouched and _is(given, factory):
                made[name] = not_value(given) if name == "disable" else given
    if category.get("enabled") is False:
        made["disable"] = True


def _is(value: object, factory: object) -> bool:
    """Whether a value is of the type of the factory's."""
    wanted = bool if isinstance(factory, bool) else (int, float)
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


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
