"""A SQLite database with a table `static_knowledge` -> `Book`: one row, one entry.

Of a row the JSON in `raw_data` (`key`, `comment`, `content`) is the entry; `operator_id`, `category` and the like are
kept with it. The database is opened in memory, as data: nothing of it can run, and nothing is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lorewright.core.model import Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.dialect import ENTRIES, Dialect, homes
from lorewright.formats.foreign import read_foreign
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.native.table import ENTRY_FIELDS
from lorewright.formats.strict_json import parse_json

if TYPE_CHECKING:
    import sqlite3

__all__ = ["open_static_knowledge", "read_static_knowledge"]

_TABLE: Final = "static_knowledge"
_RAW: Final = "raw_data"
_KEPT: Final = ("operator_id", "category", "sub_id", "level", "source", "authority", "unverified")
_MARKS: Final = ("level", "source", "authority")

_HEADER_BYTES: Final = 100
_JOURNAL: Final = slice(18, 20)
_WITH_LOG: Final = b"\x02\x02"
_WITHOUT_LOG: Final = b"\x01\x01"
_SECONDS: Final = 10.0
_STEPS: Final = 10_000
"""The time is looked at after so many steps of the database."""

_DIALECT: Final = Dialect("static_knowledge", "id", {name: homes(name) for name in ("key", "comment", "content")})


def open_static_knowledge(data: bytes, notes: Notes) -> dict[str, Any] | None:
    """The rows of the table as a book of JSON entries, or None if the database has no such table.

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
    """Read what `open_static_knowledge` found."""
    imported = read_foreign(value, _DIALECT, path=(ENTRIES,), name=name, origin=origin, notes=notes)
    entries = tuple(map(_with_marks, imported.value.entries))
    return replace(imported, value=replace(imported.value, entries=entries))


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


def _read_rows(connection: sqlite3.Connection, notes: Notes) -> dict[str, Any] | None:
    # A view or a virtual table has no pages of its own and could run something.
    listed = connection.execute("SELECT name, type, rootpage FROM sqlite_master LIMIT 1000").fetchall()
    tables = [name for name, sort, page in listed if sort == "table" and isinstance(page, int) and page > 0]
    if _TABLE not in tables:
        return None
    columns = [column[0] for column in connection.execute("SELECT * FROM static_knowledge LIMIT 0").description]
    if _RAW not in columns:
        return None
    kept = [name for name in _KEPT if name in columns]
    unread = [f"`{name}`" for name in columns if name not in {*kept, _RAW}]
    unread += [f"`{name}`" for name in tables if name != _TABLE and not name.startswith("sqlite_")]
    if unread:
        message = f"Columns and tables that are not read: {', '.join(unread[:20])}. They stay in the database only."
        notes.add("table_not_read", message, "info")
    names = ", ".join((*kept, _RAW))
    rows = connection.execute(f"SELECT {names} FROM {_TABLE} LIMIT {limits.BOOK_ENTRIES_REFUSED + 1}")  # noqa: S608
    return {ENTRIES: list(_entries(rows, kept, notes))}


def _entries(rows: Iterator[tuple[Any, ...]], kept: list[str], notes: Notes) -> Iterator[object]:
    """What each row holds. Damaged files can show the same pages in many rows, so all texts together are counted."""
    characters = containers = 0
    for number, row in enumerate(rows, 1):
        text = _text(row[-1])
        columns = {
            name: value if isinstance(value, (str, int, float)) else _text(value) for name, value in _named(kept, row)
        }
        characters += len(text) + sum(len(value) for value in columns.values() if isinstance(value, str))
        containers += text.count("{") + text.count("[")
        if characters > limits.JSON_CHARACTERS or containers > limits.JSON_CONTAINERS:
            raise FormatError(
                f"The table holds more than {limits.JSON_CHARACTERS // limits.MIB} MiB of text, or too much in it.",
                format="static_knowledge",
                limit=limits.JSON_CHARACTERS,
            )
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
        yield value


def _named(names: list[str], row: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in zip(names, row, strict=False) if value is not None)


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else "" if value is None else str(value)
