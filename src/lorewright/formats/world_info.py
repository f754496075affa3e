"""SillyTavern world info books <-> `Book`: an exact image (spec formats §3.1, §4).

`write_world_info(read_world_info(value).value)` is `value` again: names in their order, numbers in their kind, null and
absent apart, unknown fields included. Foreign data that the model has no place for stands in `extra`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.character_book_write import follow_book
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.marks import put_marks, read_book_marks
from lorewright.formats.shelf import Place, Shelf, by_key, by_uid, check_number
from lorewright.formats.wording import describe
from lorewright.formats.world_info_entry import EntryReader, write_entry

__all__ = ["Frame", "read_world_info", "write_world_info"]

ENTRIES: Final = "entries"
_CARD: Final = "originalData"
"""The book of the card that SillyTavern made the file of: a second copy, in which edits are repeated."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How the entries stood in the file: in a list or by name, at which places, and what was no entry.

    It takes the place of the entries in `Book.extra`, so that the order of the top-level names is kept.
    """

    is_list: bool
    places: tuple[Place, ...]
    uids: Mapping[Place, int | str]
    refused: Mapping[Place, object]
    entries: tuple[Entry, ...] = ()
    """As they were read."""


def read_world_info(
    value: object, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a parsed world info file. `name` is the book's name (SillyTavern: the file name without `.json`).

    Without `name` the file's own `name` is taken, else "book". `notes` brings reports of earlier steps.

    Raises:
        FormatError: no object with `entries`, or too many of them.
    """
    if not isinstance(value, dict) or not isinstance(value.get(ENTRIES), (dict, list)):
        what = describe(value[ENTRIES]) if isinstance(value, dict) and ENTRIES in value else "missing"
        raise FormatError(f"A world info book is an object with `entries`, a list or an object; here it is {what}.")
    entries: dict[str, Any] | list[Any] = value[ENTRIES]
    own = value.get("name")
    title = name if name is not None else own if isinstance(own, str) and own else "book"
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    check_number(len(entries), noted)
    ordered = by_key(entries) if isinstance(entries, dict) else by_uid(entries, "uid")
    shelved = Shelf(noted).fill(ordered, "uid", EntryReader(noted).read)
    is_list = isinstance(entries, list)
    places: tuple[Place, ...] = tuple(range(len(entries))) if isinstance(entries, list) else tuple(entries)
    frame = Frame(is_list, places, shelved.uids, shelved.refused, shelved.entries)
    extra = {field: frame if field == ENTRIES else kept for field, kept in value.items()}
    book = Book(title, shelved.entries, extra, origin, **read_book_marks(extra))
    return Imported(
        book, shelved.found, len(shelved.entries), len(shelved.refused), noted.reports(), format="st_worldinfo"
    )


def write_world_info(book: Book) -> dict[str, Any]:
    """The JSON value of a world info file. Lone surrogates may be in it: write it with `json.dumps(…)` as ASCII.

    Entries that were removed from the book are left out, entries that were added stand at the end by their uid.
    """
    frame = book.extra.get(ENTRIES)
    if not isinstance(frame, Frame):
        fresh = {str(entry.uid): write_entry(entry, from_file=False) for entry in book.entries}
        return put_marks(
            {name: value for name, value in book.extra.items() if name != ENTRIES} | {ENTRIES: fresh}, book
        )
    entries = _write_entries(frame, book.entries)
    written = {name: entries if name == ENTRIES else value for name, value in book.extra.items()}
    if isinstance(card := written.get(_CARD), dict) and book.entries != frame.entries:
        written[_CARD] = follow_book(card, frame.entries, book.entries)
    return put_marks(written, book)


def _write_entries(frame: Frame, entries: tuple[Entry, ...]) -> dict[str, object] | list[object]:
    by_id = {entry.uid: entry for entry in entries}
    written: dict[Place, object] = {}
    for place in frame.places:
        if place in frame.refused:
            written[place] = frame.refused[place]
        elif (entry := by_id.pop(frame.uids[place], None)) is not None:
            written[place] = write_entry(entry, from_file=True)
    for entry in by_id.values():
        place = str(entry.uid)
        while place in written:
            place += "#"
        written[place] = write_entry(entry, from_file=False)
    return list(written.values()) if frame.is_list else {str(place): one for place, one in written.items()}
