"""Agnai's memory books, alone or inside a character <-> `Book` (spec formats §3.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.model import Book
from lorewright.formats.dialect import ENTRIES, Dialect, Homes, homes
from lorewright.formats.entry_objects import not_value, position_as_number, position_as_text
from lorewright.formats.foreign import read_foreign, write_foreign
from lorewright.formats.imported import Imported, Notes

__all__ = ["read_agnai_book", "read_agnai_character", "write_agnai_book", "write_agnai_character"]

_BOOK: Final = "characterBook"

_NUMBERED: Final[Homes] = {
    "key": homes("keywords"),
    "keysecondary": homes("secondaryKeys"),
    "comment": homes("name", "comment"),
    "content": homes("entry"),
    "disable": homes("enabled", into=not_value, back=not_value),
    "order": homes("weight"),
    "position": homes("position"),
    **{
        name: homes(name)
        for name in ("constant", "selective", "selectiveLogic", "probability", "useProbability", "excludeRecursion")
    },
}
_WITH_TEXT: Final[Homes] = {
    **_NUMBERED,
    "position": homes("position", into=position_as_number, back=position_as_text),
}


def _by_position(raw: Mapping[str, Any]) -> Homes:
    return _WITH_TEXT if isinstance(raw.get("position"), str) else _NUMBERED


_BLANK: Final = {"name": "", "entry": "", "keywords": [], "priority": 0, "weight": 0, "enabled": True}
_MEMORY: Final = Dialect("agnai_book", "id", _NUMBERED, blank=_BLANK, choose=_by_position)
_CHARACTER: Final = Dialect("agnai_character", "id", _NUMBERED, blank=_BLANK, choose=_by_position)


def read_agnai_book(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a memory book. `weight` is the order; `priority` is kept, the engine knows no such thing."""
    return read_foreign(value, _MEMORY, path=(ENTRIES,), name=name, origin=origin, notes=notes)


def write_agnai_book(book: Book) -> Any:
    def envelope(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> Any:
        return {"kind": "memory", "name": book.name, "description": "", **extra, ENTRIES: entries}

    return write_foreign(book, _MEMORY, envelope)


def read_agnai_character(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the book of a character. The rest of the character is kept for writing it back."""
    noted = notes if notes is not None else Notes()
    if not isinstance(value.get(_BOOK), dict):
        noted.add("card_without_book", f"The character `{value.get('name', '')}` has no lorebook in it.")
        empty = read_foreign({ENTRIES: []}, _MEMORY, path=(ENTRIES,), name=name, origin=origin, notes=noted)
        return Imported(Book(empty.value.name, (), {_BOOK: value}, origin), 0, 0, 0, empty.reports, _CHARACTER.format)
    return read_foreign(value, _CHARACTER, path=(_BOOK, ENTRIES), name=name, origin=origin, notes=noted)


def write_agnai_character(book: Book) -> Any:
    """The character with its book. A book of elsewhere gets a character that is nothing but its name."""

    def envelope(entries: list[dict[str, Any]], extra: Mapping[str, object]) -> Any:
        own = extra.get(_BOOK)
        if isinstance(own, dict) and not entries:
            return own
        fields = {name: value for name, value in extra.items() if name != _BOOK}
        lore = {"kind": "memory", "name": book.name, **fields, ENTRIES: entries}
        made = {"kind": "character", "name": book.name, "persona": {"kind": "text", "attributes": {"text": [""]}}}
        return {**(own if isinstance(own, dict) else made), _BOOK: lore}

    return write_foreign(book, _CHARACTER, envelope)
