"""RisuAI lorebooks <-> `Book`: an exact image (spec formats §3.7).

A row is an entry, a folder or a child. Folders are no entries but keep their places; a child has the id of an earlier
row, whose text it takes in RisuAI. `Book.extra` has a `RisuFrame` in the place of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.risu_row import ReadRow, RowReader, write_row
from lorewright.formats.risum import Risum
from lorewright.formats.shelf import Shelf, check_number
from lorewright.formats.wording import describe

__all__ = [
    "FRAME",
    "RisuFrame",
    "child_links",
    "frame_of",
    "read_risu_lorebook",
    "read_rows",
    "rows_of",
    "write_all_rows",
    "write_object",
    "write_risu_lorebook",
]

FRAME: Final = "entries"
"""The name in `Book.extra` under which the frame stands, where other writers look for the rows."""
_ROWS: Final = "data"
_FOLDERS: Final = "folders"
"""The name in `Book.extra` of the folder rows with their places, for books that go by way of another format."""


@dataclass(frozen=True, slots=True)
class RisuFrame:
    """How the rows stood in the file.

    `names` are those of the object that holds the rows under `rows_name`. `rows` are the entries by place, `kept` are
    folders and what is no object. `children` leads from a child's uid to that of its parent. `odd` is what stood in
    the place of the list. `hidden` holds a field that is called like the frame. `wrapper` is the object around a
    module, `file` the container of a `.risum`.
    """

    holder: Literal["lorebook", "module"]
    rows_name: str
    names: tuple[str, ...] = ()
    rows: Mapping[int, ReadRow] = field(default_factory=dict)
    kept: Mapping[int, object] = field(default_factory=dict)
    children: Mapping[int | str, int | str] = field(default_factory=dict)
    odd: object = ABSENT
    hidden: Mapping[str, object] = field(default_factory=dict)
    wrapper: Mapping[str, Any] | None = None
    file: Risum | None = None


class _Child(dict[str, Any]):
    """A child row under an id of its own, as it shares that of its parent. `own` is the row itself."""

    own: Mapping[str, Any]


def read_risu_lorebook(
    value: object, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read a parsed lorebook export, `{"type": "risu", "data": [...]}`. Folders are not counted as entries.

    Raises:
        FormatError: no such object, or too many rows.
    """
    if not isinstance(value, dict) or not isinstance(value.get(_ROWS), list):
        raise FormatError("A RisuAI lorebook is an object with a list `data`.")
    noted = Notes(name or "book")
    if notes is not None:
        noted.include(notes)
    return read_rows(value, RisuFrame("lorebook", _ROWS), name or "book", origin, noted)


def write_risu_lorebook(book: Book) -> dict[str, Any]:
    """The JSON value of a lorebook export, of any book."""
    frame = frame_of(book)
    if frame is not None and frame.holder == "lorebook":
        return write_object(book, frame)
    return {"type": "risu", "ver": 1, _ROWS: write_all_rows(book)}


def child_links(book: Book) -> Mapping[int | str, int | str]:
    """From the uid of each child row to that of the row whose text it takes."""
    frame = frame_of(book)
    return frame.children if frame else {}


def frame_of(book: Book) -> RisuFrame | None:
    frame = book.extra.get(FRAME)
    return frame if isinstance(frame, RisuFrame) else None


def read_rows(value: Mapping[str, Any], frame: RisuFrame, name: str, origin: str, notes: Notes) -> Imported[Book]:
    """Read the rows in `value[frame.rows_name]` and complete the frame.

    Raises:
        FormatError: too many rows.
    """
    given = value.get(frame.rows_name, ABSENT)
    rows = given if isinstance(given, list) else []
    if not isinstance(given, list):
        what = "has no rows" if given is ABSENT else f"has {describe(given)} as its `{frame.rows_name}`"
        notes.add("book_without_entries", f"The {frame.holder} {what}; it is read as an empty book.")
    check_number(len(rows), notes)
    folders = {place: row for place, row in enumerate(rows) if isinstance(row, dict) and row.get("mode") == "folder"}
    listed = [(place, _own_id(row, place)) for place, row in enumerate(rows) if place not in folders]
    reader = RowReader(notes)
    shelved = Shelf(notes).fill(
        listed, "id", lambda row, uid: reader.read(row.own if isinstance(row, _Child) else row, uid)
    )
    by_uid = {entry.uid: entry for entry in shelved.entries}
    read = {int(place): ReadRow(rows[int(place)], by_uid[uid]) for place, uid in shelved.uids.items()}
    _note_folders(folders, read, notes)
    complete = replace(
        frame,
        names=tuple(value),
        rows=read,
        kept={**folders, **{int(place): row for place, row in shelved.refused.items()}},
        children=_link_children(read, notes),
        odd=ABSENT if isinstance(given, list) else given,
        hidden={FRAME: value[FRAME]} if FRAME in value else {},
    )
    extra = {other: kept for other, kept in value.items() if other not in {frame.rows_name, FRAME}}
    if folders and _FOLDERS not in value:
        extra[_FOLDERS] = [{"place": place, "row": row} for place, row in folders.items()]
    book = Book(name, shelved.entries, {**extra, FRAME: complete}, origin)
    return Imported(
        book,
        shelved.found,
        len(shelved.entries),
        len(shelved.refused),
        notes.reports(),
        "risu_lorebook" if frame.holder == "lorebook" else "risu_module",
    )


def write_object(book: Book, frame: RisuFrame) -> dict[str, Any]:
    """The object that holds the rows, its other fields from `Book.extra`."""
    rows: object = _write_rows(book.entries, frame)
    if frame.odd is not ABSENT and not book.entries:
        rows = frame.odd
    written: dict[str, Any] = {}
    for name in frame.names:
        if name == frame.rows_name:
            written[name] = rows
        elif name in frame.hidden:
            written[name] = frame.hidden[name]
        elif name in book.extra:
            written[name] = book.extra[name]
    if frame.rows_name not in written and rows:
        written[frame.rows_name] = rows
    ours = {FRAME, _FOLDERS}
    return written | {name: value for name, value in book.extra.items() if name not in ours and name not in written}


def write_all_rows(book: Book) -> list[object]:
    """The rows of any book; one that came from RisuAI by way of another format has its folders back."""
    return [row for _, row in rows_of(book)]


def rows_of(book: Book) -> list[tuple[Entry | None, object]]:
    """The same rows, each with its entry; folders and what is no object have none."""
    frame = frame_of(book)
    rows = _pair_rows(book.entries, frame)
    folders = book.extra.get(_FOLDERS)
    if frame is None and isinstance(folders, list):
        for folder in folders:
            place, row = (folder.get("place"), folder.get("row")) if isinstance(folder, dict) else (None, None)
            if type(place) is int and isinstance(row, dict) and row.get("mode") == "folder":
                rows.insert(max(0, place), (None, row))
    return rows


def _write_rows(entries: tuple[Entry, ...], frame: RisuFrame | None) -> list[object]:
    return [row for _, row in _pair_rows(entries, frame)]


def _pair_rows(entries: tuple[Entry, ...], frame: RisuFrame | None) -> list[tuple[Entry | None, object]]:
    """The rows: those of the file in their places, without removed ones, then new ones."""
    frame = frame or RisuFrame("lorebook", _ROWS)
    left = {entry.uid: entry for entry in entries}
    written: list[tuple[Entry | None, object]] = []
    for place in sorted({*frame.rows, *frame.kept}):
        if place in frame.kept:
            written.append((None, frame.kept[place]))
        elif (entry := left.pop(frame.rows[place].entry.uid, None)) is not None:
            written.append((entry, write_row(entry, frame.rows[place])))
    return [*written, *((entry, write_row(entry, None)) for entry in left.values())]


def _own_id(row: Any, place: int) -> Any:
    if not isinstance(row, dict) or row.get("mode") != "child" or not isinstance(row.get("id"), str):
        return row
    child = _Child(row, id=f"{row['id']}:child:{place}")
    child.own = row
    return child


def _link_children(read: Mapping[int, ReadRow], notes: Notes) -> dict[int | str, int | str]:
    """Find for each child the first earlier row with its id."""
    first: dict[str, int | str] = {}
    links: dict[int | str, int | str] = {}
    for row in read.values():
        own = row.raw.get("id")
        uid = row.entry.uid
        if row.raw.get("mode") == "child":
            parent = first.get(own) if isinstance(own, str) else None
            if parent is None:
                notes.add("child_without_parent", "This row is a child, but no row before it has its id.", entry=uid)
            else:
                links[uid] = parent
                message = f"This row is a child of {parent}, whose text RisuAI shows for it; its own text is used here, but for the profile `risu`."
                notes.add("child_linked", message, entry=uid)
        if isinstance(own, str):
            first.setdefault(own, uid)
    return links


def _note_folders(folders: Mapping[int, Mapping[str, Any]], read: Mapping[int, ReadRow], notes: Notes) -> None:
    """Report the members of folders that are not there."""
    keys = {folder["key"] for folder in folders.values() if isinstance(folder.get("key"), str)}
    for row in read.values():
        folder = row.raw.get("folder")
        if isinstance(folder, str) and folder and folder not in keys:
            notes.add("folder_missing", "This row names a folder that is not in the file.", entry=row.entry.uid)
