"""A SQLite database with a table `static_knowledge` -> `Book`: one row, one entry.

Of a row the JSON in `raw_data` (`key`, `comment`, `content`) is the entry; `operator_id`, `category` and the like are
kept with it. A table `knowledge_overlays` beside it changes the rows (`formats/knowledge_overlays.py`). The database is
opened in memory, as data: nothing of it can run, and nothing is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lorewright.core.javascript import value_as_text
from lorewright.core.model import Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.dialect import ENTRIES, Dialect, homes
from lorewright.formats.foreign import read_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.knowledge_overlays import OVERLAY_COLUMNS, Knowledge, Row, apply_overlays
from lorewright.formats.native.table import ENTRY_FIELDS
from lorewright.formats.strict_json import parse_json

if TYPE_CHECKING:
    import sqlite3

__all__ = ["open_static_knowledge", "read_static_knowledge"]

_TABLE: Final = "static_knowledge"
_OVERLAYS: Final = "knowledge_overlays"
_RAW: Final = "raw_data"
_IDS: Final = ("stable_id", "id")
"""Columns by which overlays name a row, the surer first."""
_KEPT: Final = ("stable_id", "operator_id", "category", "sub_id", "level", "source", "authority", "unverified")
_MARKS: Final = ("level", "source", "authority")
_HEADER_BYTES: Final = 100
_JOURNAL: Final = slice(18, 20)
_WITH_LOG: Final = b"\x02\x02"
_WITHOUT_LOG: Final = b"\x01\x01"
_SECONDS: Final = 10.0
_STEPS: Final = 10_000
"""The time is looked at after so many steps of the database."""

_DIALECT: Final = Dialect("static_knowledge", "id", {name: homes(name) for name in ("key", "comment", "content")})


def open_static_knowledge(data: bytes, notes: Notes) -> Knowledge | None:
    """The rows of the table with their overlays, as JSON entries, or None if the database has no such table.

    Raises:
        FormatError: damaged, or over a limit (`limit`).
    """
    import sqlite3

    if len(data) < _HEADER_BYTES:
        raise FormatError("The SQLite database is cut off.", format="sqlite")
    if data[_JOURNAL] == _WITH_LOG:
        message = "The database has a log beside it (`-wal`), which is not read; the newest rows may be missing."
        notes.add("sqlite_log_not_read", message)
        data = data[: _JOURNAL.start] + _WITHOUT_LOG + data[_JOURNAL.stop :]
    try:
        connection = sqlite3.connect(":memory:")
        try:
            connection.deserialize(data)
            _restrict(connection)
            return _read_rows(connection, notes)
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeError, OverflowError, MemoryError) as error:
        raise FormatError(f"The SQLite database cannot be read: {str(error)!a}.", format="sqlite") from error


def read_static_knowledge(
    value: Any, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read what `open_static_knowledge` found. The ledger counts overlays as rows."""
    knowledge: Knowledge = value
    whole = {ENTRIES: list(knowledge.entries)}
    read = read_foreign(whole, _DIALECT, path=(ENTRIES,), name=name, origin=origin, notes=notes)
    book = replace(read.value, entries=tuple(map(_with_marks, read.value.entries)))
    found = read.found + knowledge.merged + knowledge.skipped
    return replace(read, value=book, found=found, merged=knowledge.merged, refused=read.refused + knowledge.skipped)


def _with_marks(entry: Entry) -> Entry:
    """The entry with its level, source and authority in their fields. What is of another type stays beside them."""
    marks = {name: ENTRY_FIELDS[name].read(entry.extra[name]) for name in _MARKS if name in entry.extra}
    marks = {name: mark for name, mark in marks.items() if mark is not None and not isinstance(mark, Odd)}
    if entry.extra.get("unverified") in (True, 1):
        marks.setdefault("authority", "unverified")
    extra = {name: kept for name, kept in entry.extra.items() if name not in marks}
    return replace(entry, extra=extra, **marks) if marks else entry


def _restrict(connection: sqlite3.Connection) -> None:
    """Let nothing happen but reading of columns, for a limited time."""
    import sqlite3

    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
    end = time.monotonic() + _SECONDS
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.JSON_CHARACTERS)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")


def _read_rows(connection: sqlite3.Connection, notes: Notes) -> Knowledge | None:
    # A view or a virtual table has no pages of its own and could run something.
    listed = connection.execute("SELECT name, type, rootpage FROM sqlite_master LIMIT 1000").fetchall()
    tables = [name for name, sort, page in listed if sort == "table" and isinstance(page, int) and page > 0]
    if _TABLE not in tables:
        return None
    columns = _columns(connection, _TABLE)
    if _RAW not in columns:
        return None
    above = _columns(connection, _OVERLAYS) if _OVERLAYS in tables else []
    has_overlays = {"stable_id", "operation"} <= {*above}
    unread = [f"`{name}`" for name in columns if name not in {*_KEPT, *_IDS, _RAW}]
    used = {_TABLE, _OVERLAYS} if has_overlays else {_TABLE}
    unread += [f"`{name}`" for name in tables if name not in used and not name.startswith("sqlite_")]
    if unread:
        message = f"Columns and tables that are not read: {', '.join(unread[:20])}. They stay in the database only."
        notes.add("table_not_read", message, "info")
    size = _Size()
    wanted = [name for name in dict.fromkeys((*_IDS, *_KEPT, _RAW)) if name in columns]
    rows = [_row(named, number, notes) for number, named in enumerate(_select(connection, _TABLE, wanted, size), 1)]
    overlays: Iterable[dict[str, Any]] = ()
    if has_overlays:
        wanted = [name for name in (*OVERLAY_COLUMNS, _RAW) if name in above]
        overlays = _select(connection, _OVERLAYS, wanted, size)
    return apply_overlays(rows, overlays, notes)


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [column[0] for column in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]  # noqa: S608


class _Size:
    """Counts all texts together: damaged files can show the same pages in many rows."""

    def __init__(self) -> None:
        self.characters = self.containers = 0

    def add(self, values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, str):
                self.characters += len(value)
                self.containers += value.count("{") + value.count("[")
        if self.characters > limits.JSON_CHARACTERS or self.containers > limits.JSON_CONTAINERS:
            raise FormatError(
                f"The table holds more than {limits.JSON_CHARACTERS // limits.MIB} MiB of text, or too much in it.",
                format="static_knowledge",
                limit=limits.JSON_CHARACTERS,
            )


def _select(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], size: _Size
) -> Iterator[dict[str, Any]]:
    """The rows of a table by the names of their columns, without null."""
    most = limits.BOOK_ENTRIES_REFUSED + 1
    for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT {most}"):  # noqa: S608
        named = {name: _value(value) for name, value in zip(columns, row, strict=False) if value is not None}
        size.add(named.values())
        yield named


def _row(columns: dict[str, Any], number: int, notes: Notes) -> Row:
    """What a row holds."""
    text = value_as_text(columns.pop(_RAW, ""))
    ids = tuple(value_as_text(columns[name]) if name in columns else "" for name in _IDS)
    columns.pop("id", None)
    try:
        value = parse_json(text, notes)
    except FormatError as error:
        notes.add("bad_value", f"`{_RAW}` of row {number} is no JSON: {error.message}", entry=number, field=_RAW)
        value = text
    if isinstance(value, dict):
        for name in (name for name in columns if name in value and value[name] != columns[name]):
            message = f"The column `{name}` and the field in `{_RAW}` contradict each other; the field is used."
            notes.add("field_conflict", message, entry=number, field=name)
        value = {"id": number, **columns, **value}
    return Row(number, ids, value)


def _value(value: object) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
