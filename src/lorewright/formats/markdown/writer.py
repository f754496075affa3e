"""`Book` -> Markdown lorebook: what was read from Markdown and not changed stands as it stood, the rest anew.

Fields are written in the order of their table, in the language of the book. `read_markdown` gives the same book again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.formats.markdown.fields import EXTRA_FIELDS, FIELDS, OWN, Column, fold_name, match_field
from lorewright.formats.markdown.frame import FRAME, Frame
from lorewright.formats.markdown.front import is_front_name, write_front_value
from lorewright.formats.markdown.lines import escape_text
from lorewright.formats.markdown.reader import DEFAULT_LEVEL, SETTINGS
from lorewright.formats.markdown.sheet import read_heading, read_id
from lorewright.formats.markdown.values import TEXT, is_encodable, quote
from lorewright.formats.native.table import BOOK_MARKS

__all__ = ["write_markdown"]

_LASTING: Final = frozenset({bool, int, type(None)})


def write_markdown(book: Book) -> str:
    """The text of a Markdown lorebook. What the grammar has no place for is left out; see `losses`."""
    frame = book.extra.get(FRAME)
    frame = frame if isinstance(frame, Frame) else None
    if frame and _is_same_head(book, frame) and book.entries == frame.entries:
        return "".join(piece.text for piece in frame.pieces)
    return _Writer(book, frame).write()


def _is_same_head(book: Book, frame: Frame) -> bool:
    settings = {name: value for name, value in book.extra.items() if name != FRAME}
    return book.name == frame.name and settings == dict(frame.settings) and _marks(book) == dict(frame.marks)


def _marks(book: Book) -> dict[str, object]:
    """What the book says for all of its entries."""
    return {name: mark for name in BOOK_MARKS if (mark := getattr(book, name)) is not ABSENT}


def _own(entry: Entry) -> Mapping[str, object]:
    own = entry.extra.get(OWN)
    return own if isinstance(own, Mapping) else {}


def _unknown(own: Mapping[str, object]) -> Mapping[str, object]:
    unknown = own.get(EXTRA_FIELDS)
    return unknown if isinstance(unknown, Mapping) else {}


def _unknown_line(name: str, value: object) -> str | None:
    text = TEXT.write(value, False)
    if text is None:
        return None
    line = f"- {name}: {text}".rstrip(" ")
    found = match_field(line)
    if found is None or found.name != name:
        return None
    is_foreign = found.column is None or found.column.kind.read(text) is not None
    return line if is_foreign else None


def _setting_text(name: str, value: object) -> str | None:
    """The value of a setting of the book as it stands in the front matter, or None."""
    known, kind = SETTINGS.get(fold_name(name), ("", TEXT))
    if known == name and kind is not TEXT and not isinstance(value, str):
        return kind.write(value, False)
    if isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(item, str) for item in value)):
        return write_front_value(value) if is_front_name(name) else None
    return None


def _mark_text(name: str, mark: object) -> str | None:
    _, kind = SETTINGS[name]
    text = kind.write(mark, False) if kind is not TEXT or isinstance(mark, str) else None
    return None if text is None else quote(mark if isinstance(mark, str) else text)


class _Writer:
    def __init__(self, book: Book, frame: Frame | None) -> None:
        self.book = book
        self.frame = frame
        self.level = frame.entry_level if frame else DEFAULT_LEVEL
        self.chinese = frame.chinese if frame else False
        self.newline = frame.newline if frame else "\n"
        self.parts: list[str] = []
        self.is_fresh = False
        written = [column for column in FIELDS if column.is_written and column.field != "id"]
        self.columns = [(column, f"- {column.name(chinese=self.chinese)}:") for column in written]
        self.model_columns = [(column, start) for column, start in self.columns if not column.own]
        self.known: dict[tuple[str, type, object], str] = {}
        """Lines of flags and numbers, which occur again and again."""

    def write(self) -> str:
        self._write_head()
        places = [entry.uid for entry in self.book.entries]
        is_numbered = places == list(range(len(places)))
        if self.frame is None or len(self.frame.pieces) != 1 + len(self.frame.entries) + self._between():
            for entry in self.book.entries:
                self._add(self._entry(entry, has_id=not is_numbered))
            return "".join(self.parts)
        pieces = {piece.uid: piece for piece in self.frame.pieces if piece.uid is not None}
        before = {entry.uid: entry for entry in self.frame.entries}
        followed_by = self._texts_between()
        for entry in self.book.entries:
            piece = pieces.get(entry.uid)
            is_kept = piece is not None and before[entry.uid] == entry and not piece.is_open
            if is_kept and piece is not None and (piece.has_id or is_numbered):
                self._add(piece.text, is_fresh=False)
            else:
                self._add(self._entry(entry, has_id=not is_numbered))
            for text in followed_by.pop(entry.uid, ()):
                self._add(text, is_fresh=False)
        for texts in followed_by.values():
            for text in texts:
                self._add(text, is_fresh=False)
        return "".join(self.parts)

    def _between(self) -> int:
        assert self.frame
        return sum(piece.uid is None for piece in self.frame.pieces) - 1

    def _texts_between(self) -> dict[int | str, list[str]]:
        """What stood after an entry and belongs to none, by the uid of that entry."""
        assert self.frame
        found: dict[int | str, list[str]] = {}
        last: int | str = ""
        for piece in self.frame.pieces[1:]:
            if piece.uid is None:
                found.setdefault(last, []).append(piece.text)
            else:
                last = piece.uid
        return found

    def _add(self, text: str, *, is_fresh: bool = True) -> None:
        """One more part. A blank line stands before and after what is written anew."""
        if self.parts:
            last = self.parts[-1]
            if not last.endswith("\n"):
                self.parts.append(self.newline)
            if (is_fresh or self.is_fresh) and not last.endswith(("\n\n", "\n\r\n")):
                self.parts.append(self.newline)
        self.parts.append(text)
        self.is_fresh = is_fresh

    def _fresh(self, lines: list[str]) -> str:
        text = "\n".join([*lines, ""])
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def _write_head(self) -> None:
        frame = self.frame
        if frame and len(frame.pieces) > 1 and _is_same_head(self.book, frame) and not frame.pieces[0].is_open:
            if frame.pieces[0].text:
                self.parts.append(frame.pieces[0].text)
            return
        name = frame.title if frame and frame.title and frame.name == self.book.name else self.book.name
        settings = {name: value for name, value in self.book.extra.items() if name not in {FRAME, "description"}}
        front = [f"{key}: {text}" for key, value in settings.items() if (text := _setting_text(key, value)) is not None]
        front += [f"{name}: {text}" for name, mark in _marks(self.book).items() if (text := _mark_text(name, mark))]
        if self.level != DEFAULT_LEVEL:
            front.insert(0, f"entry_level: {self.level}")
        is_heading = self.level > 1 and name and name == name.strip() and "\n" not in name and "\r" not in name
        if not is_heading or not is_encodable(name):
            front.insert(0, f"name: {quote(name)}")
        described = self.book.extra.get("description")
        text = escape_text(described, self.level) if isinstance(described, str) else ""
        text = _encodable(text)
        lines = ["---", *front, "---", ""] if front else []
        if is_heading and is_encodable(name):
            lines += [f"# {name}", ""]
        if lines or text:
            self._add(self._fresh([*lines, text] if text else lines))

    def _entry(self, entry: Entry, *, has_id: bool) -> str:
        title = entry.title if isinstance(entry.title, str) else ""
        heading, fields = f"{'#' * self.level} {title}".rstrip(" "), []
        if "\n" in title or not is_encodable(title) or read_heading(heading) != (title, None):
            shown = " ".join(title.encode("utf-8", "replace").decode().split()).replace("{#", "{ #")
            heading = f"{'#' * self.level} {shown}".rstrip(" ")
            fields.append(f"- {'标题' if self.chinese else 'title'}: {quote(title)}")
        if has_id:
            fields.append(f"- {'编号' if self.chinese else 'id'}: {self._id(entry.uid)}")
        fields += self._fields(entry)
        content = escape_text(entry.content, self.level) if isinstance(entry.content, str) else ""
        lines = [heading, *fields, *(["", _encodable(content)] if content else [])]
        return self._fresh(lines)

    def _fields(self, entry: Entry) -> list[str]:
        own = _own(entry)
        lines = []
        for column, start in self.columns if own else self.model_columns:
            value = own.get(column.field, ABSENT) if column.own else getattr(entry, column.field)
            if value is ABSENT:
                continue
            kind = type(value)
            if kind in _LASTING:
                line = self.known.get((column.field, kind, value))
                if line is None:
                    line = self.known[column.field, kind, value] = self._line(start, column, value)
            else:
                line = self._line(start, column, value)
            if line:
                lines.append(line)
        for name, value in _unknown(own).items():
            line = _unknown_line(name, value)
            if line is not None:
                lines.append(line)
        return lines

    def _line(self, start: str, column: Column, value: object) -> str:
        """The line of a field, or "" if the grammar has no way to say it."""
        text = column.kind.write(value, self.chinese)
        return "" if text is None else f"{start} {text}".rstrip(" ")

    @staticmethod
    def _id(uid: int | str) -> str:
        if isinstance(uid, int):
            return str(uid)
        text = TEXT.write(uid, False) or ""
        return text if text and read_id(text) == uid else quote(uid)


def _encodable(text: str) -> str:
    """Lone surrogates cannot be in a file."""
    return text if is_encodable(text) else text.encode("utf-8", "replace").decode()
