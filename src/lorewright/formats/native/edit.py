"""A changed book into its old text: only what changed is rewritten, comments and layout stay; and the canonical form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.model import Book
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native.comments import collect_comments, last_end
from lorewright.formats.native.emit import Comments, Path, emit_item, emit_yaml
from lorewright.formats.native.read import is_json, parse_native, read_native
from lorewright.formats.native.table import BOOK_FIELDS, ENTRY_FIELDS, NativeField
from lorewright.formats.native.tree import Node, is_large, parse_tree, to_value
from lorewright.formats.native.write import as_json, native_value, plain_value, write_native

__all__ = ["edit_native", "format_native"]

_HEADER_COMMENT: Final = re.compile(r"[|>][-+0-9]*\s+(#[^\r\n]*)")
_TAIL_COMMENT: Final = re.compile(r"[ \t]+(#[^\r\n]*)")


class _CannotPatch(Exception):
    """The change cannot be made line by line."""


def edit_native(text: str, book: Book) -> str:
    """The text with what is different in `book`; entries are known by their uid.

    Where a change is too large to be made in place (entries in another order), the text is laid out anew, with its
    comments. Whatever happens, the text that comes back reads as exactly this book.

    Raises:
        FormatError: `text` is no book of ours.
    """
    notes = Notes()
    if is_json(text) or is_large(text):  # a large text that is read has our layout, and no comments
        old = parse_native(text, notes)
        target = _target(old, book)
        if is_exact(old, target):
            return text
        return _checked(as_json(target), book, "json") if is_json(text) else _checked(emit_yaml(target), book, "yaml")
    tree = parse_tree(text)
    old = to_value(tree, notes)
    target = _target(old, book)
    if is_exact(old, target):
        return text
    try:
        patched = _Patch(text).apply(tree, old, target)
        if _reads_as(patched, book):
            return patched
    except _CannotPatch:
        pass
    comments = _moved(collect_comments(tree, text), _uids(old), _uids(target))
    return _checked(emit_yaml(target, comments), book, "yaml")


def format_native(text: str) -> str:
    """The same book in our layout and order of fields, comments included. JSON stays JSON.

    Raises:
        FormatError: no book of ours, or a name that stands twice in one mapping, of which one value would be lost.
    """
    notes = Notes()
    tree = None if is_json(text) or is_large(text) else parse_tree(text)
    value = parse_native(text, notes) if tree is None else to_value(tree, notes)
    read_native(value)
    for report in notes.reports():
        if report.code in {"duplicate_key", "duplicate_json_key"}:
            raise FormatError(f"{report.message} Take one of them out first.", field=report.field)
    assert isinstance(value, dict)
    ordered = _ordered(value)
    if is_json(text):
        return as_json(ordered)
    return emit_yaml(ordered) if tree is None else emit_yaml(ordered, collect_comments(tree, text))


def _ordered(value: Mapping[str, Any]) -> dict[str, Any]:
    made = _by_table(value, BOOK_FIELDS)
    entries = made.pop("entries", None)
    if isinstance(entries, list):
        entries = [_by_table(entry, ENTRY_FIELDS) if isinstance(entry, dict) else entry for entry in entries]
    return made | {"entries": entries} if "entries" in value else made


def _by_table(value: Mapping[str, Any], table: Mapping[str, NativeField]) -> dict[str, Any]:
    known = {name: value[name] for name in table if name in value}
    return known | {name: item for name, item in value.items() if name not in table}


# --- what the file shall say


def _target(old: object, book: Book) -> dict[str, Any]:
    """The value of the new file: as the old one wherever that means the same."""
    read_native(old)
    assert isinstance(old, dict)
    new = native_value(book)
    entries = new["entries"]
    by_uid = dict(zip(_uids(old), (one for one in old.get("entries") or () if isinstance(one, dict)), strict=True))
    merged = [_merge(by_uid.get(str(entry["uid"]), {}), entry, ENTRY_FIELDS) for entry in entries]
    kept = _merge(old, new, BOOK_FIELDS)
    return {name: merged if name == "entries" else value for name, value in kept.items()}


def _uids(value: object) -> list[str]:
    return [str(entry.uid) for entry in read_native(value).value.entries]


def _merge(old: Mapping[str, Any], new: Mapping[str, Any], table: Mapping[str, NativeField]) -> dict[str, Any]:
    """`new` in the order of `old`; unknown names stay beside the known ones where they stood."""
    inner = dict(new.get("extra") or {})
    flat = dict(new)
    for name in old:
        if name not in table and name in inner:
            flat[name] = inner.pop(name)
    if inner:
        flat["extra"] = inner
    else:
        flat.pop("extra", None)
        if isinstance(old.get("extra"), dict) and not old["extra"]:
            flat["extra"] = {}
    for name, value in old.items():
        if name in flat and name in table and name != "entries" and _same(table[name], value, flat[name]):
            flat[name] = value
    order = [*(name for name in old if name in flat), *(name for name in table if name in flat and name not in old)]
    return {name: flat[name] for name in (*order, *(name for name in flat if name not in order))}


def _same(field: NativeField, old: object, new: object) -> bool:
    if field.name == "uid":
        return str(old) == str(new)
    return is_exact(plain_value(field.read(old)), plain_value(field.read(new)))


def _moved(comments: Comments, old: list[str], new: list[str]) -> Comments:
    """Comments of entries go with their entries; those of removed ones stay where the next entry was."""
    places = {uid: index for index, uid in enumerate(new)}

    def move(path: Path) -> Path:
        if len(path) > 1 and path[0] == "entries" and isinstance(path[1], int) and path[1] < len(old):
            return ("entries", places[old[path[1]]], *path[2:]) if old[path[1]] in places else ()
        return path

    above = {move(path): lines for path, lines in comments.above.items()}
    beside = {move(path): line for path, line in comments.beside.items()}
    return Comments(above, beside, comments.end)


def _reads_as(text: str, book: Book) -> bool:
    try:
        read = read_native(parse_native(text, Notes()), name=book.name).value
    except FormatError:
        return False
    return (
        read.name == book.name
        and read.entries == tuple(replace(entry, layout=()) for entry in book.entries)
        and is_exact(native_value(read), native_value(book))
    )


def _checked(text: str, book: Book, form: Any) -> str:
    return text if _reads_as(text, book) else write_native(book, form)


# --- changing the text


class _Patch:
    """Collects replacements of spans of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.changes: list[tuple[int, int, str]] = []

    def apply(self, tree: Node, old: object, target: Mapping[str, Any]) -> str:
        self.mapping(tree, old, target)
        pieces: list[str] = []
        position = 0
        for start, end, new in sorted(self.changes, key=lambda change: change[:2]):
            if start < position:
                raise _CannotPatch
            pieces += [self.text[position:start], new.replace("\n", self.newline)]
            position = end
        return "".join([*pieces, self.text[position:]])

    def mapping(self, node: Node, old: Any, target: Mapping[str, Any]) -> None:
        names = [str(key.value) for key in node.keys]
        if node.flow or not target or len(set(names)) < len(names):
            raise _CannotPatch
        for index, name in enumerate(names):
            if name not in target:
                self.remove_field(node, index)
            elif not is_exact(old[name], target[name]):
                self.field(node, index, name, old[name], target[name])
        last = max((index for index, name in enumerate(names) if name in target), default=None)
        if last is None:
            raise _CannotPatch
        pad = " " * node.keys[0].column
        for name in target:
            if name not in old:
                lines = emit_item(name, target[name], pad)
                at = self.line_end(last_end(node.items[last], self.text))
                self.changes.append((at, at, "\n" + "\n".join(lines)))

    def field(self, node: Node, index: int, name: str, old: Any, new: Any) -> None:
        key, item = node.keys[index], node.items[index]
        can_descend = item.kind != "scalar" and not item.flow and bool(new)
        if can_descend and isinstance(old, dict) and isinstance(new, dict) and old:
            self.mapping(item, old, new)
        elif can_descend and name == "entries" and node.column == 0 and isinstance(new, list):
            self.entries(item, old, new)
        else:
            first, *rest = emit_item(name, new, " " * key.column)
            first = first.lstrip(" ")
            end = last_end(item, self.text)
            header = _HEADER_COMMENT.match(self.text, item.start, end) if item.kind == "scalar" else None
            tail = _TAIL_COMMENT.match(self.text, end)
            comment = header or (tail if rest else None)
            if tail and rest:
                end = tail.end()
            if comment:
                first += f"  {comment[1]}"
            self.changes.append((key.start, end, "\n".join([first, *rest])))

    def remove_field(self, node: Node, index: int) -> None:
        start, end = node.keys[index].start, self.line_end(last_end(node.items[index], self.text))
        line = self.line_start(start)
        if self.text[line:start].strip():  # in the line of a dash: the next field takes its place
            if index + 1 >= len(node.keys):
                raise _CannotPatch
            self.changes.append((start, node.keys[index + 1].start, ""))
        else:
            self.changes.append((line, min(end + len(self.newline), len(self.text)), ""))

    def entries(self, node: Node, old: list[Any], new: list[Any]) -> None:
        """Entries changed in place, left out, and added at the end."""
        before, after = self.numbered(old), self.numbered(new)
        kept = [uid for uid in before if uid in after]
        if len(before) < len(old) or [*kept, *(uid for uid in after if uid not in before)] != list(after) or not kept:
            raise _CannotPatch
        for uid, index in before.items():
            item = node.items[index]
            if uid not in after:
                line = self.line_start(item.start)
                end = self.line_end(last_end(item, self.text))
                self.changes.append((line, min(end + len(self.newline), len(self.text)), ""))
            elif not is_exact(old[index], new[after[uid]]):
                self.mapping(item, old[index], new[after[uid]])
        pad = " " * node.column
        at = self.line_end(last_end(node.items[before[kept[-1]]], self.text))
        for uid in after:
            if uid not in before:
                lines = self.item(new[after[uid]], pad)
                self.changes.append((at, at, "\n\n" + "\n".join(lines)))

    def item(self, value: Mapping[str, Any], pad: str) -> Iterator[str]:
        lines = (line for name, item in value.items() for line in emit_item(name, item, f"{pad}  "))
        yield f"{pad}- {next(lines)[len(pad) + 2 :]}"
        yield from lines

    @staticmethod
    def numbered(entries: list[Any]) -> dict[str, int]:
        return {str(entry.get("uid")): index for index, entry in enumerate(entries) if isinstance(entry, dict)}

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[end - 1 : end] == "\r" else end
