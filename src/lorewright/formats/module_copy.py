"""RisuAI's two copies of one lorebook: `module.risum`, which wins, and the card's `character_book` (ADR 0016)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lorewright.core.model import Book, Entry
from lorewright.formats.card import Card
from lorewright.formats.character_book import read_character_book
from lorewright.formats.imported import Imported, Notes

__all__ = ["merge_copy", "without_book"]


def without_book(card: Mapping[str, Any]) -> dict[str, Any]:
    """The card without the book that a module overrules."""
    bare = {name: value for name, value in card.items() if name != "character_book"}
    data = card.get("data")
    if isinstance(data, dict):
        bare["data"] = {name: value for name, value in data.items() if name != "character_book"}
    return bare


def merge_copy(card: Imported[Card], book: Imported[Book], content: Mapping[str, Any]) -> Imported[Card]:
    """A card with the book of its module, and the account of both copies.

    Every entry of the card's own book counts as merged: RisuAI writes that book from the module. One that has no
    counterpart in the module (by title, or by keys and text) is named, since nothing of it is in the book.
    """
    notes = Notes(book.value.name)
    copy = _copy(content)
    known = {sign for entry in book.value.entries for sign in _signs(entry)}
    for entry in copy.value.entries if copy else ():
        if known.isdisjoint(_signs(entry)):
            message = (
                f"The entry {entry.uid} of the card's own book is not in `module.risum`; it is kept in the card only."
            )
            notes.add("entry_overridden", message, entry=entry.uid)
    merged = copy.kept if copy else 0
    refused = book.refused + (copy.refused if copy else 0)
    return replace(
        card,
        found=book.kept + merged + refused,
        kept=book.kept,
        merged=merged,
        refused=refused,
        reports=card.reports + book.reports + notes.reports(),
    )


def _copy(content: Mapping[str, Any]) -> Imported[Book] | None:
    """The book in the card itself."""
    data = content.get("data")
    holder = data if isinstance(data, dict) else content
    own = holder.get("character_book")
    return read_character_book(own, name="") if isinstance(own, dict) else None


def _signs(entry: Entry) -> Iterator[Hashable]:
    """What an entry and its copy have in common."""
    if isinstance(entry.title, str) and entry.title.strip():
        yield entry.title.strip()
    keys = entry.keys if isinstance(entry.keys, tuple) else ()
    yield tuple(key.strip() for key in keys), str(entry.content)
