"""A changed book into its old text: only what changed is rewritten, comments and layout stay; and the canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lorewright.core.model import Book
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.native.comments import collect_comments
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.kinds import name_document
from lorewright.formats.native.patch import CannotPatch, Patch, move_comments
from lorewright.formats.native.read import is_json, parse_native, read_native
from lorewright.formats.native.table import BOOK_FIELDS, ENTRY_FIELDS, NativeField
from lorewright.formats.native.tree import is_large, parse_tree, to_value
from lorewright.formats.native.write import as_json, native_value, plain_value, write_native

__all__ = ["edit_native", "format_native"]


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
        patched = Patch(text).apply(tree, old, target)
        if _reads_as(patched, book):
            return patched
    except CannotPatch:
        pass
    comments = move_comments(collect_comments(tree, text), _uids(old), _uids(target))
    return _checked(emit_yaml(target, comments), book, "yaml")


def format_native(text: str) -> str:
    """The same book, preset, card or persona in our layout and order of fields, comments included. JSON stays JSON.

    Raises:
        FormatError: no file of ours, or a name that stands twice in one mapping, of which one value would be lost.
    """
    notes = Notes()
    tree = None if is_json(text) or is_large(text) else parse_tree(text)
    value = parse_native(text, notes) if tree is None else to_value(tree, notes)
    is_book = not name_document(value)
    if is_book:
        read_native(value)
    for report in notes.reports():
        if report.code in {"duplicate_key", "duplicate_json_key"}:
            raise FormatError(f"{report.message} Take one of them out first.", field=report.field)
    assert isinstance(value, dict)
    ordered = _ordered(value) if is_book else _ordered_document(value)
    if is_json(text):
        return as_json(ordered)
    return emit_yaml(ordered) if tree is None else emit_yaml(ordered, collect_comments(tree, text))


def _ordered_document(value: Mapping[str, Any]) -> dict[str, Any]:
    """A preset, a card or a persona."""
    from lorewright.formats.native.tidy import tidy_document  # with all that reads them

    made = tidy_document(value)
    return made | {"book": _ordered(made["book"])} if isinstance(made.get("book"), dict) else made


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
