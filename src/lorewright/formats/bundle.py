"""Lists of several cards or books <-> one `Book` with the entries of all of them (spec formats §2, row 26)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.model import Book, Entry, Report
from lorewright.errors import FormatError
from lorewright.formats import agnai, entry_objects, novelai
from lorewright.formats.foreign import ENTRIES, title_of
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.shapes import name_json
from lorewright.formats.shelf import check_number
from lorewright.formats.wording import describe
from lorewright.formats.world_info import read_world_info, write_world_info

__all__ = ["Bundle", "read_bundle", "write_bundle"]

_Reader = Callable[..., Imported[Book]]
_Writer = Callable[[Book], Any]
_PARTS: Final[Mapping[str, tuple[_Reader, _Writer]]] = {
    "st_worldinfo": (read_world_info, write_world_info),
    "character_book": (entry_objects.read_bare_character_book, entry_objects.write_character_book),
    "lorebook_v3": (entry_objects.read_lorebook_v3, entry_objects.write_lorebook_v3),
    "chub_lorebook": (entry_objects.read_chub, entry_objects.write_chub),
    "agnai_book": (agnai.read_agnai_book, agnai.write_agnai_book),
    "novelai_lorebook": (novelai.read_novelai_lorebook, novelai.write_novelai_lorebook),
    "agnai_character": (agnai.read_agnai_character, agnai.write_agnai_character),
    **dict.fromkeys(
        ("card_v1", "card_v2", "card_v3", "card_newer"),
        (entry_objects.read_book_of_card, entry_objects.write_character_book),
    ),
}


@dataclass(frozen=True, slots=True)
class _Part:
    """One item of the list: its book, how to write it, and the entry's uid in it by the uid in the whole."""

    book: Book
    write: _Writer
    uids: Mapping[int | str, int | str]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The items of a list in their order: a part that was read, or what could not be."""

    parts: tuple[_Part | object, ...]

    def books(self) -> Iterator[tuple[int, Book]]:
        """The books that were read, with their places in the list."""
        yield from ((place, part.book) for place, part in enumerate(self.parts) if isinstance(part, _Part))


def read_bundle(value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None) -> Imported[Book]:
    """Read all entries of all books into one; an entry's uid begins with the place of its book, `2.7`.

    What is no card or book counts as one item that was found and refused.

    Raises:
        FormatError: too many entries.
    """
    title = title_of(name, value)
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    entries: list[Entry] = []
    parts: list[_Part | object] = []
    reports: list[Report] = []
    refused = 0
    for place, item in enumerate(value):
        kind = name_json(item)
        if kind not in _PARTS:
            message = f"Item {place} of the list is {describe(item)} and no card or book; it cannot be used."
            noted.add("entry_not_object", message, "error", entry=place)
            refused += 1
            parts.append(item)
            continue
        read, write = _PARTS[kind]
        part = read(item, origin=origin)
        uids: dict[int | str, int | str] = {f"{place}.{entry.uid}": entry.uid for entry in part.value.entries}
        entries += (replace(entry, uid=uid) for uid, entry in zip(uids, part.value.entries, strict=True))
        parts.append(_Part(part.value, write, uids))
        reports += (replace(one, book=title, entry=f"{place}.{one.entry}" if one.entry else "") for one in part.reports)
        refused += part.refused
    check_number(len(entries), noted)
    book = Book(title, tuple(entries), {ENTRIES: Bundle(tuple(parts))}, origin)
    return Imported(book, len(entries) + refused, len(entries), refused, (*noted.reports(), *reports), "bundle")


def write_bundle(book: Book) -> Any:
    """The list again, each entry in its book; entries that were added go to the last one.

    Raises:
        FormatError: the entries come from elsewhere, and a list of books needs a book for them.
    """
    bundle = book.extra.get(ENTRIES)
    parts = bundle.parts if isinstance(bundle, Bundle) else ()
    left = {entry.uid: entry for entry in book.entries}
    inside = [
        [replace(left.pop(uid), uid=own) for uid, own in part.uids.items() if uid in left]
        if isinstance(part, _Part)
        else []
        for part in parts
    ]
    books = [place for place, part in enumerate(parts) if isinstance(part, _Part)]
    if left and not books:
        raise FormatError("Only what was read as a list of books can be written as one; choose another format.")
    if left:
        inside[books[-1]] += left.values()
    return [
        part.write(replace(part.book, entries=tuple(entries))) if isinstance(part, _Part) else part
        for part, entries in zip(parts, inside, strict=True)
    ]
