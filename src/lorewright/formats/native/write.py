"""`Book` -> our own format, as YAML or JSON. `read_native_text(write_native(book)).value` is the book again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, Final, Literal

from lorewright.core.gates import Gate
from lorewright.core.layers import Defaults
from lorewright.core.model import ABSENT, EMPTY, Book, CharacterFilter, Entry, Folder, Odd, Report
from lorewright.core.replaces import Replace
from lorewright.formats.native.defaults import write_defaults
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.gates import misplaced_in, write_folders, write_gate
from lorewright.formats.native.read import REFUSED
from lorewright.formats.native.replaces import write_replaces
from lorewright.formats.native.table import BOOK_FIELDS, BOOK_MARKS, ENTRY_FIELDS, VERSION, NativeField, write_filter

__all__ = ["Form", "as_json", "as_native", "native_value", "plain_value", "write_native"]

Form = Literal["yaml", "json"]

_NAMES: Final = tuple(one.name for one in fields(Entry) if one.name not in {"extra", "layout"})
_VALUES: Final = attrgetter(*_NAMES)
_PLAIN_NAMES: Final = tuple(name for name, field in ENTRY_FIELDS.items() if not field.reserved)
_PLAIN_VALUES: Final = attrgetter(*_PLAIN_NAMES)
_READY: Final = frozenset({bool, int, float, str, type(None)})
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def write_native(book: Book, form: Form = "yaml") -> str:
    """The text of a book's file. It is valid UTF-8 whatever the book holds.

    Foreign data of a book that was read from another format stands under `extra`; see `as_native` for its loss report.
    """
    value = native_value(book)
    return as_json(value) if form == "json" else emit_yaml(value)


def native_value(book: Book) -> dict[str, Any]:
    """The value of a book's file: names in our order, absent fields left out, null and odd values as they are."""
    entries = [_entry_value(entry) for entry in book.entries]
    marks = {name: plain_value(mark) for name in BOOK_MARKS if (mark := getattr(book, name)) is not ABSENT}
    named: dict[str, object] = {"lorewright": VERSION, "name": book.name, **marks}
    extra = dict(_portable(book.extra))
    if isinstance(extra.get("name"), str):
        inner = {"name": extra.pop("name")}
    elif "name" in extra:
        named["name"], inner = extra.pop("name"), {}
    else:
        inner = {}
    beside = misplaced_in(book.gate, extra)
    return _with_extra(named, extra, BOOK_FIELDS, inner, beside) | {"entries": entries}


def _entry_value(entry: Entry) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in zip(_PLAIN_NAMES, _PLAIN_VALUES(entry), strict=True):
        if value is not ABSENT:
            made[name] = value if type(value) in _READY else plain_value(value)
    extra = _portable(entry.extra)
    return _with_extra(made, extra, ENTRY_FIELDS, {}, misplaced_in(entry.gate, extra))


def _with_extra(
    made: dict[str, object],
    extra: Mapping[str, object],
    table: Mapping[str, NativeField],
    inner: dict[str, object],
    beside: Mapping[str, object],
) -> dict[str, object]:
    """Reserved fields to their own places if they are of their type, everything else under `extra`; but what is meant as
    a gate stays `beside`, where it closes."""
    if not extra and not inner:
        return made
    if beside:
        made = {name: value for name, value in made.items() if name != "gate"}
        others = {name: value for name, value in extra.items() if name not in beside}
        return {**_with_extra(made, others, table, inner, EMPTY), **beside}
    for name, value in extra.items():
        field = table.get(name)
        is_own = field is not None and field.reserved and name != "extra" and field.takes(value)
        (made if is_own else inner)[name] = value
    if inner:
        made["extra"] = inner
    if made.keys().isdisjoint(extra):
        return made
    return {name: made[name] for name in table if name in made}


def plain_value(value: object) -> object:
    """The value in the file of a field of the model."""
    if isinstance(value, Odd):
        return value.value
    if isinstance(value, CharacterFilter):
        return write_filter(value)
    if isinstance(value, Gate):
        return write_gate(value)
    if isinstance(value, Defaults):
        return write_defaults(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Replace):
        return write_replaces(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Folder):
        return write_folders(value)
    return list(value) if isinstance(value, tuple) else value


def _is_portable(value: object) -> bool:
    """Whether it is made of what JSON has."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_portable(item) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_portable, value))
    return value is None or isinstance(value, (str, bool, int, float))


def as_native(book: Book, *, keep_layout: bool = False) -> tuple[Book, tuple[Report, ...]]:
    """The book without the traces of its old file (the order of names), and what was moved or left behind.

    Fields that our format does not name are kept under `extra`, which is reported as `kept_in_extra`. `keep_layout`
    leaves the order of names where it is, for a writer that does not look at it.
    """
    reports: list[Report] = []
    extra: dict[str, object] = {}
    for name, kept in book.extra.items():
        refused = getattr(kept, "refused", None)
        if _is_portable(kept):
            extra[name] = kept
        elif isinstance(refused, Mapping):
            if refused:
                extra[REFUSED] = list(refused.values())
        else:
            reports.append(_original_left(book) if name == "entries" else _not_written(book, name))
    entries: list[Entry] = []
    left: set[str] = set()
    counts: dict[str, int] = {}
    for entry in book.entries:
        portable = _portable(entry.extra)
        beside = misplaced_in(entry.gate, portable)
        for name in portable.keys() - beside.keys() if beside else portable:
            counts[name] = counts.get(name, 0) + 1
        if len(portable) < len(entry.extra):
            left |= entry.extra.keys() - portable.keys()
        is_clean = portable is entry.extra and (keep_layout or not entry.layout)
        entries.append(entry if is_clean else _without_traces(entry, portable))
    reports.extend(_not_written(book, name) for name in sorted(left))
    beside = misplaced_in(book.gate, extra)
    reports.extend(_kept(book, name, "the book") for name in extra if name not in BOOK_FIELDS and name not in beside)
    for name, number in counts.items():
        if name == "extra" or name not in ENTRY_FIELDS or not ENTRY_FIELDS[name].reserved:
            reports.append(_kept(book, name, "1 entry" if number == 1 else f"{number} entries"))
    return replace(book, entries=tuple(entries), extra=extra or EMPTY), tuple(reports)


def _without_traces(entry: Entry, extra: Mapping[str, object]) -> Entry:
    """As `replace` does it, but faster."""
    return Entry(**dict(zip(_NAMES, _VALUES(entry), strict=True)), extra=extra)


def _portable(extra: Mapping[str, object]) -> Mapping[str, object]:
    """The extra fields without what JSON does not have; the same mapping if it is all that."""
    for kept in extra.values():
        if type(kept) not in _READY and not _is_portable(kept):
            return {name: kept for name, kept in extra.items() if _is_portable(kept)}
    return extra


def _original_left(book: Book) -> Report:
    message = "The original file behind the book does not come along; keep it to write that format again unchanged."
    return Report(code="not_written", message=message, level="warning", book=book.name, field="entries")


def _not_written(book: Book, name: str) -> Report:
    message = f"`{name}` cannot be written to a file of ours; it is left out."
    return Report(code="not_written", message=message, level="error", book=book.name, field=name)


def _kept(book: Book, name: str, where: str) -> Report:
    shown = ascii(name[:40])[1:-1]
    message = f"`{shown}` of {where} has no field in our format; it is kept under `extra`."
    return Report(code="kept_in_extra", message=message, level="info", book=book.name, field=shown)


def as_json(value: Mapping[str, Any]) -> str:
    """JSON text, an entry in each line. An infinite number is written as one that is too large, since JSON has no other way."""
    mark = ""
    text = _dump(value)
    if "Infinity" in text and _has_infinity(value):
        mark = "inf"
        while mark in text:
            mark += "#"
        text = _dump(_mark_infinities(value, mark))
        text = text.replace(f'"{mark}+"', "1e999").replace(f'"{mark}-"', "-1e999")
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _dump(value: Any) -> str:
    """A field of the book in each line, and each entry in one: written in a moment, however many there are."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    lines = []
    for name, item in value.items():
        shown = encode(item)
        if name == "entries" and isinstance(item, list) and item:
            shown = "[\n" + ",\n".join([f"    {encode(entry)}" for entry in item]) + "\n  ]"
        lines.append(f"  {encode(name)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _has_infinity(value: object) -> bool:
    if isinstance(value, float):
        return math.isinf(value)
    if isinstance(value, Mapping):
        return any(map(_has_infinity, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_has_infinity, value))


def _mark_infinities(value: object, mark: str) -> object:
    if isinstance(value, float) and math.isinf(value):
        return f"{mark}{'+' if value > 0 else '-'}"
    if isinstance(value, Mapping):
        return {name: _mark_infinities(item, mark) for name, item in value.items()}
    return [_mark_infinities(item, mark) for item in value] if isinstance(value, (list, tuple)) else value
