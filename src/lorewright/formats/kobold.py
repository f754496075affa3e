"""World info of KoboldAI and KoboldCpp stories, and AI Dungeon's lists <-> `Book` (spec formats §3.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.model import Book, Entry
from lorewright.formats.dialect import Dialect, Homes, homes
from lorewright.formats.foreign import read_foreign, write_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.keylist import join_keys, split_keys

__all__ = ["read_ai_dungeon", "read_kobold_story", "write_ai_dungeon", "write_kobold_story"]

_WORLD_INFO: Final = "worldinfo"
_NOT_ANY: Final = 2

_STORY_HOMES: Final[Homes] = {
    "key": homes("key", into=split_keys, back=join_keys),
    "keysecondary": homes("keysecondary", into=split_keys, back=join_keys),
    "comment": homes("comment", "title"),
    "content": homes("content"),
    "selective": homes("selective"),
    "constant": homes("constant"),
    "probability": homes("probability"),
    "group": homes("wigroup"),
    "disable": homes("widisabled"),
}
_EXCLUDING_HOMES: Final[Homes] = {
    **_STORY_HOMES,
    "keysecondary": homes("keyanti", into=split_keys, back=join_keys),
    "selective": (),
    "selectiveLogic": (),
}
"""Of entries that have keys which exclude, and none that are needed besides."""


def _excludes(raw: Mapping[str, Any]) -> bool:
    needed = raw.get("selective", True) and split_keys(raw.get("keysecondary"))
    return bool(split_keys(raw.get("keyanti"))) and not needed


def _choose(raw: Mapping[str, Any]) -> Homes:
    return _EXCLUDING_HOMES if _excludes(raw) else _STORY_HOMES


def _begin(entry: Entry) -> Mapping[str, object]:
    if entry.logic == _NOT_ANY and entry.selective is not False and isinstance(entry.secondary, tuple):
        return {"keyanti": join_keys(list(entry.secondary))}
    return {}


_STORY: Final = Dialect(
    "kobold_story",
    "uid",
    _STORY_HOMES,
    blank={"key": "", "keysecondary": "", "keyanti": "", "content": "", "comment": "", "folder": None},
    choose=_choose,
    begin=_begin,
    is_book_field=lambda name: name.startswith("wifolders"),
)
_DUNGEON: Final = Dialect(
    "aidungeon_wi",
    "id",
    {
        "key": homes("keys", into=split_keys, back=join_keys),
        "comment": homes("title"),
        "content": homes("value", "entry"),
    },
    blank={"keys": "", "value": ""},
    is_book_field=lambda _: False,
)


def read_kobold_story(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the world info of a saved story. The story itself is kept for writing it back."""
    return read_foreign(
        value,
        _STORY,
        path=(_WORLD_INFO,),
        name=name,
        origin=origin,
        notes=notes,
        effects=_exclude,
    )


def _exclude(raw: Mapping[str, Any], made: dict[str, Any], uid: int | str, notes: Notes) -> None:
    """Keys that exclude are secondary keys of which none may match. There is room for one kind of secondary keys."""
    if _excludes(raw):
        made["selective"], made["selectiveLogic"] = True, _NOT_ANY
    elif split_keys(raw.get("keyanti")):
        message = "`keyanti` stands beside `keysecondary`; the keys that exclude are kept but exclude nothing here."
        notes.add("field_not_used", message, entry=uid, field="secondary")


def write_kobold_story(book: Book) -> Any:
    """The story with its world info. For a book of elsewhere it is a story in which nothing was played yet."""

    def envelope(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> Any:
        return {"gamestarted": False, "prompt": "", "memory": "", "actions": [], **extra, _WORLD_INFO: entries}

    return write_foreign(book, _STORY, envelope)


def read_ai_dungeon(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a list of world info (old) or story cards (new)."""
    return read_foreign(value, _DUNGEON, path=(), name=name, origin=origin, notes=notes)


def write_ai_dungeon(book: Book) -> Any:
    return write_foreign(book, _DUNGEON, lambda entries, _: entries)
