"""The fields of one entry while it is read."""

from __future__ import annotations

import re
from typing import Any, Final

from lorewright.core.model import EMPTY, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats.markdown.fields import EXTRA_FIELDS, OWN, Column
from lorewright.formats.markdown.values import BAD, LIST, TEXT
from lorewright.formats.wording import describe

__all__ = ["FieldSheet", "read_heading", "read_id"]

_ID: Final = re.compile(r"(?P<title>.*?)[ \t]*\{#(?P<id>[^{}\s]+)\}", re.DOTALL)
_INTEGER: Final = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


def read_heading(line: str) -> tuple[str, int | str | None]:
    """The title in a heading line, and the id behind it, if there is one."""
    text = line.lstrip("#").strip(" \t\r")
    found = _ID.fullmatch(text)
    return (found["title"], read_id(found["id"])) if found else (text, None)


def read_id(text: str) -> int | str:
    return int(text) if _INTEGER.fullmatch(text) else str(TEXT.read(text))


MOST_FIELDS = 10_000
"""Fields of one entry; a file with more is refused before time is spent on it."""


class FieldSheet:
    """The fields of one entry while they are read. Lists that stand twice are joined, else the last one counts."""

    def __init__(self) -> None:
        self.id: int | str | None = None
        self.values: dict[str, Any] = {}
        self.own: dict[str, object] = {}
        self.unknown: dict[str, list[str]] = {}
        self.problems: list[tuple[str, str, str, int]] = []
        self.line = 0
        """Of the file, from 1: where the field stands that is added next; 0 if that is not known."""
        self.seen: set[str] = set()
        self.count = 0

    def add(self, name: str, column: Column | None, text: str) -> None:
        self.count += 1
        if self.count > MOST_FIELDS:
            raise FormatError(
                f"An entry has more than {MOST_FIELDS:,} fields, which no entry needs. A long list belongs into its text: "
                "put an empty line and a line of text before it.",
                limit=MOST_FIELDS,
            )
        if column is None:
            self._add_unknown(name, text)
            self._note(
                "unknown_field", f"The field `{name}` is not known; it is kept and is no part of the text.", name
            )
        elif column.field == "id":
            if text:
                self._once(name, column)
                self.id = read_id(text)
        elif (value := column.kind.read(text)) is BAD:
            self._add_unknown(name, text)
            self._note("bad_value", f"`{name}` cannot be {describe(text)}; it is kept but has no effect.", column.field)
        else:
            if column.kind is not LIST:
                self._once(name, column)
            if isinstance(value, Odd):
                self._note(
                    "bad_value", f"`{name}` cannot be {describe(text)}; what it guards stays closed.", column.field
                )
            self.put(column, value)

    def put(self, column: Column, value: object) -> None:
        where = self.own if column.own else self.values
        if column.kind is LIST:
            assert isinstance(value, tuple)
            before = where.get(column.field, ())
            assert isinstance(before, tuple)
            where[column.field] = before + value
        else:
            where[column.field] = value

    def entry(self, uid: int | str) -> Entry:
        unknown = {name: "\n".join(texts) for name, texts in self.unknown.items()}
        own = self.own | ({EXTRA_FIELDS: unknown} if unknown else {})
        return Entry(uid=uid, extra={OWN: own} if own else EMPTY, **self.values)

    def _once(self, name: str, column: Column) -> None:
        if column.field in self.seen:
            self._note(
                "field_conflict", f"`{name}` says anew what was said before; the last one is used.", column.field
            )
        self.seen.add(column.field)

    def _add_unknown(self, name: str, text: str) -> None:
        """An unknown field that stands twice keeps both texts, one per line."""
        self.unknown.setdefault(name, []).append(str(TEXT.read(text)))

    def _note(self, code: str, message: str, field: str) -> None:
        self.problems.append((code, message, field, self.line))
