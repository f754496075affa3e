"""Markdown lorebooks -> `Book`, with every heading an entry and every field kept (spec formats §5).

Three other dialects are read too: a note with the fields in its front matter (one file, one entry), bold labels in
place of bullets, and a table with one entry per row.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from itertools import pairwise
from typing import Any, Final

from lorewright.core.model import Book, Entry, Odd
from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.markdown.fields import (
    KNOWN,
    Column,
    fold_name,
    match_field,
    match_known_field,
)
from lorewright.formats.markdown.frame import FRAME, Frame, Piece
from lorewright.formats.markdown.front import FrontMatter, FrontValue, find_front_matter
from lorewright.formats.markdown.lines import find_fences, heading_level, is_blank, unescape_text
from lorewright.formats.markdown.sheet import FieldSheet, read_heading
from lorewright.formats.markdown.structured import DEFAULTS, FOLDERS, GATE
from lorewright.formats.markdown.table import CONTENT_NAMES, find_table, is_row, read_cells
from lorewright.formats.markdown.values import BAD, FLAG, LIST, NUMBER, TEXT, ValueKind
from lorewright.formats.native.table import BOOK_MARKS
from lorewright.formats.shelf import check_number
from lorewright.formats.wording import describe

__all__ = ["CHARACTERS", "DEFAULT_LEVEL", "SETTINGS", "SINGLE", "read_markdown"]

CHARACTERS: Final = 4 * limits.MIB
_LINE_END: Final = re.compile("\n")

DEFAULT_LEVEL: Final = 2
SETTINGS: Final = {
    "name": ("name", TEXT),
    "书名": ("name", TEXT),
    "名称": ("name", TEXT),
    "description": ("description", TEXT),
    "描述": ("description", TEXT),
    "scandepth": ("scan_depth", NUMBER),
    "扫描深度": ("scan_depth", NUMBER),
    "tokenbudget": ("token_budget", NUMBER),
    "recursivescanning": ("recursive_scanning", FLAG),
    "entrylevel": ("entry_level", NUMBER),
    "authority": ("authority", TEXT),
    "权威": ("authority", TEXT),
    "source": ("source", TEXT),
    "来源": ("source", TEXT),
    "gate": ("gate", GATE),
    "门": ("gate", GATE),
    "门禁": ("gate", GATE),
    "folders": ("folders", FOLDERS),
    "文件夹": ("folders", FOLDERS),
    "目录": ("folders", FOLDERS),
    "defaults": ("defaults", DEFAULTS),
    "默认": ("defaults", DEFAULTS),
}
"""By folded name in the front matter: the setting of the book, and its sort of value."""

SINGLE: Final = frozenset({"keys", "secondary", "constant"})
"""Fields whose names in the front matter make the file one entry."""

_TITLE_NAMES: Final = frozenset({"title", "name", "标题", "名称", "条目"})


def read_markdown(
    value: object, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the text of a Markdown lorebook. It is called as its front matter or first heading says, else `name`.

    Raises:
        FormatError: no text, too long, or too many entries.
    """
    if not isinstance(value, str):
        raise FormatError(f"A Markdown lorebook is a text; here it is {describe(value)}.")
    if len(value) > CHARACTERS:
        raise FormatError(
            f"The Markdown text has {len(value):,} characters; the limit is {CHARACTERS:,}. Split it.",
            limit=CHARACTERS,
            value=len(value),
        )
    return _Reader(value, name, origin, notes).read()


class _Reader:
    def __init__(self, text: str, name: str | None, origin: str, notes: Notes | None) -> None:
        first, newline, _ = text.partition("\n")
        self.text = text
        self.newline = "\r\n" if newline and first.endswith("\r") else "\n"
        self.lines = (text.replace("\r\n", "\n") if self.newline == "\r\n" else text).split("\n")
        self.starts = array("I", (0, *(found.end() for found in _LINE_END.finditer(text)), len(text)))
        self.name = name
        self.origin = origin
        self.chinese: bool | None = None
        self.taken: set[str] = set()
        self.notes = Notes()
        self.before = notes
        self.settings: dict[str, object] = {}
        self.marks: dict[str, Any] = {}
        self.own_name = ""
        self.title = ""

    def read(self) -> Imported[Book]:
        front = find_front_matter(self.lines)
        for line in front.strange:
            self.notes.add(
                "front_matter_line",
                f"Line {line} of the front matter is not understood; it is kept.",
                place=f"line {line}",
            )
        known = {column.field for name in front.values if (column := self._entry_column(name))}
        level = self._entry_level(front)
        start = front.line_count
        fences = find_fences(self.lines[start:])
        inside = bytearray(start) + fences.inside
        headings = [
            at for at in range(start, len(self.lines)) if not inside[at] and 0 < heading_level(self.lines[at]) <= level
        ]
        entry_headings = [at for at in headings if heading_level(self.lines[at]) == level]
        for line in fences.unclosed:
            message = f"The code block that begins in line {start + line + 1} never ends; it is read as plain text."
            self.notes.add("fence_not_closed", message, place=f"line {start + line + 1}")
        whole = (Piece(self._raw(0, len(self.lines))),)
        if front.line_count and not known.isdisjoint(SINGLE):
            return self._finish([self._read_note(front, inside)], whole, level)
        self._read_settings(front)
        first = entry_headings[0] if entry_headings else len(self.lines)
        rows = [] if entry_headings else self._table_rows(start, inside)
        if rows:
            return self._finish(self._read_table(rows), whole, level)
        self._read_preamble(start, first, inside)
        unclosed = [start + line for line in fences.unclosed]
        entries: list[Entry] = []
        pieces = [Piece(self._raw(0, first), is_open=bisect_left(unclosed, first) > 0)]
        check_number(len(entry_headings), self.notes)
        starts = [at for at in headings if at >= first]
        for begin, end in pairwise([*starts, len(self.lines)]):
            is_open = bisect_left(unclosed, begin) < bisect_left(unclosed, end)
            raw = self._raw(begin, end)
            if heading_level(self.lines[begin]) == level:
                entry, has_id = self._read_entry(begin, end, inside, len(entries))
                entries.append(entry)
                pieces.append(Piece(raw, entry.uid, has_id, is_open))
            else:
                message = f"The heading in line {begin + 1} is above the entries; its text belongs to none. It is kept."
                self.notes.add("text_outside_entries", message, "info", place=f"line {begin + 1}")
                pieces.append(Piece(raw, is_open=is_open))
        return self._finish(entries, tuple(pieces), level)

    def _raw(self, begin: int, end: int) -> str:
        """The lines of the file, with the line ends they had."""
        return self.text[self.starts[begin] : self.starts[end]]

    def _finish(self, entries: list[Entry], pieces: tuple[Piece, ...], level: int) -> Imported[Book]:
        name = self.own_name or self.name or "book"
        noted = Notes(name)
        if self.before is not None:
            noted.include(self.before)
        noted.include(self.notes)
        if not entries:
            noted.add("book_without_entries", "The file has no heading of an entry; it is read as an empty book.")
        kept = tuple(entries)
        frame = Frame(
            name, self.title, dict(self.settings), kept, pieces, level, bool(self.chinese), self.newline, self.marks
        )
        book = Book(name, kept, {**self.settings, FRAME: frame}, self.origin, **self.marks)
        return Imported(book, len(kept), len(kept), 0, noted.reports(), format="markdown_lorebook")

    # --- the head of the file

    @staticmethod
    def _entry_column(name: str) -> Column | None:
        folded = fold_name(name)
        return None if folded in SETTINGS else KNOWN.get(folded, (None, False))[0]

    @staticmethod
    def _entry_level(front: FrontMatter) -> int:
        for name, value in front.values.items():
            if fold_name(name) == "entrylevel" and isinstance(value, str):
                level = NUMBER.read(value)
                if isinstance(level, int) and 1 <= level <= 6:
                    return level
        return DEFAULT_LEVEL

    def _read_settings(self, front: FrontMatter) -> None:
        for name, value in front.values.items():
            field, kind = SETTINGS.get(fold_name(name), ("", TEXT))
            if not field:
                self.settings[name] = value
                message = f"The front matter has the unknown name `{name}`; it is kept."
                self.notes.add("unknown_field", message, "info", field=name)
                continue
            if field in BOOK_MARKS:
                self._read_mark(field, kind, value)
                continue
            read = (value if kind is TEXT else kind.read(value)) if isinstance(value, str) else BAD
            if read is BAD or (field == "entry_level" and read != self._entry_level(front)):
                self.settings[name] = value
                self.notes.add("bad_value", f"`{name}` of the book cannot be {describe(value)}.", field=field)
            elif field == "name":
                self.own_name = str(read)
            elif field != "entry_level":
                self.settings[field] = read

    def _read_mark(self, field: str, kind: ValueKind, value: FrontValue) -> None:
        """What the book says for all of its entries. A gate that is none closes the book."""
        plain = value if isinstance(value, str) else f"[{', '.join(value)}]"
        mark = self.marks[field] = TEXT.read(plain) if kind is TEXT else kind.read(plain)
        if isinstance(mark, Odd):
            self.notes.add("bad_value", f"`{field}` of the book cannot be {describe(plain)}.", field=field)

    def _read_preamble(self, start: int, end: int, inside: bytearray) -> None:
        """A level-1 heading is the book's name, the rest its description."""
        at = start
        while at < end and is_blank(self.lines[at]):
            at += 1
        if at < end and heading_level(self.lines[at]) == 1 and not inside[at]:
            self.title = self.lines[at][1:].strip()
            self.own_name = self.own_name or self.title
            at += 1
        text = unescape_text(self.lines[at:end], inside[at:end])
        if text:
            described = self.settings.get("description")
            self.settings["description"] = f"{described}\n\n{text}" if isinstance(described, str) else text

    # --- entries

    def _read_entry(self, begin: int, end: int, inside: bytearray, index: int) -> tuple[Entry, bool]:
        fields = FieldSheet()
        title, own_id = read_heading(self.lines[begin])
        fields.values["title"] = title
        if own_id:
            fields.id = own_id
        at = begin + 1
        is_after_blank = False
        while at < end:
            line = self.lines[at]
            if is_blank(line):
                is_after_blank = True
                at += 1
                continue
            found = match_field(line)
            if found is None or (found.column is None and is_after_blank):
                break
            is_after_blank = False
            parts = [found.value.strip(" \t\r")]
            at += 1
            fields.line = at
            while at < end and (self.lines[at].startswith(("  ", "\t"))) and not is_blank(self.lines[at]):
                parts.append(self.lines[at].strip(" \t\r"))
                at += 1
            text = "\n".join(parts)
            if found.column is not None and self.chinese is None:
                self.chinese = found.chinese
            fields.add(found.name, found.column, text)
        body = self.lines[at:end]
        fields.values["content"] = unescape_text(body, inside[at:end])
        entry = self._make(fields, index)
        for offset, line in enumerate(body):
            if line[:1] in {"-", "*", "+"} and not inside[at + offset] and (known := match_known_field(line)):
                message = (
                    f"Line {at + offset + 1} looks like the field `{known.name}` but stands in the text; it is text."
                )
                place = f"line {at + offset + 1}, entry {entry.uid}"
                self.notes.add("field_after_body", message, entry=entry.uid, place=place)
        return entry, fields.id is not None

    def _make(self, fields: FieldSheet, index: int) -> Entry:
        uid = self._claim(index if fields.id is None else fields.id)
        entry = fields.entry(uid)
        for code, message, field, line in fields.problems:
            self.notes.add(code, message, entry=uid, field=field, place=f"line {line}, entry {uid}" if line else "")
        content = entry.content if isinstance(entry.content, str) else ""
        if not entry.keys and entry.constant is not True and not content.startswith("@@"):
            message = "The entry has no keywords and is not constant, so it never activates by itself."
            self.notes.add("entry_never_activates", message, entry=uid, field="keys")
        if not content:
            self.notes.add("entry_empty_content", "The entry has no text.", "info", entry=uid, field="content")
        keys = len(entry.keys) if isinstance(entry.keys, tuple) else 0
        if keys > limits.ENTRY_KEYS or len(content) > limits.CONTENT_CHARACTERS:
            message = f"The entry has {keys:,} keys and {len(content):,} characters; that is unusual."
            self.notes.add("entry_large", message, entry=uid)
        return entry

    def _claim(self, wanted: int | str) -> int | str:
        """The id, or a free one like it."""
        free, number = str(wanted), 1
        while free in self.taken:
            number += 1
            free = f"{wanted}#{number}"
        self.taken.add(free)
        if number == 1:
            return wanted
        message = f"The id {wanted} is used more than once; this entry is called {free} here."
        self.notes.add("uid_duplicate", message, entry=free)
        return free

    # --- other dialects

    def _read_note(self, front: FrontMatter, inside: bytearray) -> Entry:
        """One file, one entry: the fields stand in the front matter, the rest is the text."""
        fields = FieldSheet()
        at = front.line_count
        while at < len(self.lines) and is_blank(self.lines[at]):
            at += 1
        title = ""
        if at < len(self.lines) and heading_level(self.lines[at]) == 1:
            title = self.lines[at][1:].strip()
            at += 1
        fields.values["title"] = title or self.name or ""
        for name, value in front.values.items():
            column, chinese = KNOWN.get(fold_name(name), (None, False))
            if column is not None and self.chinese is None:
                self.chinese = chinese
            if fold_name(name) == "name":
                fields.values["title"] = _joined(value)
            elif isinstance(value, tuple) and column is not None and column.kind is LIST:
                fields.put(column, value)
            else:
                fields.add(name, column, _joined(value))
        fields.values["content"] = unescape_text(self.lines[at:], inside[at:])
        return self._make(fields, 0)

    def _table_rows(self, start: int, inside: bytearray) -> list[list[str]]:
        """The cells of the table in the file; the head comes first."""
        at = find_table(self.lines, inside, start)
        if at is None:
            return []
        end = at + 2
        while end < len(self.lines) and is_row(self.lines[end]):
            end += 1
        self._read_preamble(start, at, inside)
        if any(not is_blank(line) for line in self.lines[end:]):
            message = f"What stands below the table, from line {end + 1}, belongs to no entry. It is kept in the file."
            self.notes.add("text_outside_entries", message, "info", place=f"line {end + 1}")
        return [read_cells(line) for line in (self.lines[at], *self.lines[at + 2 : end])]

    def _read_table(self, rows: list[list[str]]) -> list[Entry]:
        head, *body = rows
        entries: list[Entry] = []
        for cells in body:
            fields = FieldSheet()
            fields.values |= {"title": "", "content": ""}
            for at, text in enumerate(cells):
                name = head[at] if at < len(head) else f"column {at + 1}"
                folded = fold_name(name)
                if folded in CONTENT_NAMES:
                    fields.values["content"] = text
                elif folded in _TITLE_NAMES:
                    fields.values["title"] = text
                elif text:
                    column, chinese = KNOWN.get(folded, (None, False))
                    self.chinese = chinese if self.chinese is None and column else self.chinese
                    fields.add(name, column, text)
            entries.append(self._make(fields, len(entries)))
        return entries


def _joined(value: FrontValue) -> str:
    return value if isinstance(value, str) else ", ".join(value)
