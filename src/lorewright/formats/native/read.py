"""Our own book format -> `Book`. Nothing of the file is lost: what has no field in the model is kept in `extra`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from lorewright.core.layers import Defaults
from lorewright.core.model import EMPTY, Book, Entry, Folder, Odd
from lorewright.errors import FormatError
from lorewright.formats import fields, limits
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.native.defaults import DEFAULT_NAMES
from lorewright.formats.native.gates import (
    FOLDER_NAMES,
    condition_meant,
    folder_unknown,
    gate_fault,
    means_gate,
    misplaced_gate,
)
from lorewright.formats.native.lines import read_lines
from lorewright.formats.native.table import (
    BOOK_FIELDS,
    BOOK_MARKS,
    ENTRY_FIELDS,
    SETTINGS_FIELDS,
    VERSION,
    NativeField,
)
from lorewright.formats.native.tree import parse_tree, to_value
from lorewright.formats.shelf import Shelf, check_number
from lorewright.formats.strict_json import parse_json
from lorewright.formats.wording import describe

__all__ = [
    "REFUSED",
    "check_version",
    "free_name",
    "is_json",
    "is_native_yaml",
    "parse_native",
    "read_native",
    "read_native_text",
]

REFUSED: Final = "refused_entries"
"""Where items of `entries` that are no entries are kept."""

_LONGEST_NAME: Final = 40
_SHOWN_NAMES: Final = 5
_LISTS: Final = (fields.read_keys, fields.read_texts)
_SIGN: Final = re.compile(r"^lorewright[ \t]*:(\s|$)", re.MULTILINE)


def is_json(text: str) -> bool:
    return text.lstrip(" \t\r\n").startswith("{")


def is_native_yaml(head: str) -> bool:
    """Whether a text that is not JSON is a file of ours, judged by its beginning."""
    return _SIGN.search(head) is not None


def parse_native(text: str, notes: Notes) -> object:
    """The value of a book's text, JSON if it begins with a brace, else YAML.

    Raises:
        FormatError: damaged, over a limit, or with something that a book may not have (tags, aliases, merge keys).
    """
    if is_json(text):
        return parse_json(text, notes)
    value = read_lines(text)
    return value if value is not None else to_value(parse_tree(text), notes)


def read_native_text(text: str, *, name: str | None = None, origin: str = "") -> Imported[Book]:
    """Read a book from the text of its file; see `read_native`."""
    notes = Notes()
    return read_native(parse_native(text, notes), name=name, origin=origin, notes=notes)


def read_native(
    value: object, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the parsed value of a book in our own format. `name` is used for a book that does not name itself.

    Raises:
        FormatError: no book, written for a newer version, or too many entries.
    """
    if not isinstance(value, dict):
        raise FormatError(f"A Lorewright book is a mapping with `lorewright: {VERSION}`; this is {describe(value)}.")
    check_version(value)
    own = value.get("name")
    title = own if isinstance(own, str) and own else name if name is not None else "book"
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    entries = value.get("entries")
    if entries is None:
        noted.add("book_without_entries", "The book has no `entries`; it is read as an empty book.")
        entries = []
    if not isinstance(entries, list):
        raise FormatError(f"`entries` must be a list; here it is {describe(entries)}.")
    check_number(len(entries), noted)
    misplaced = _find_misplaced(value, BOOK_FIELDS) if "gate" not in value else {}
    extra = _read_extra(value, BOOK_FIELDS, noted, "", misplaced)
    _check_settings(extra.get("settings"), noted)
    shelved = Shelf(noted).fill(enumerate(entries), "uid", _EntryReader(noted).read)
    if shelved.refused:
        extra[free_name(REFUSED, extra)] = list(shelved.refused.values())
    marks = _read_marks(value, noted)
    if misplaced:
        marks["gate"] = misplaced_gate(misplaced)
    book = Book(title, shelved.entries, extra or EMPTY, origin, **marks)
    return Imported(book, shelved.found, len(shelved.entries), len(shelved.refused), noted.reports(), "native")


def _read_marks(value: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """What the book says for all of its entries."""
    marks = {name: BOOK_FIELDS[name].read(value[name]) for name in BOOK_MARKS if name in value}
    for name, mark in marks.items():
        if isinstance(mark, Odd):
            _note_odd(name, value[name], notes, "")
    folders = marks.get("folders")
    if isinstance(folders, tuple):
        for folder, raw in zip(folders, value["folders"], strict=True):
            _check_folder(folder, raw, notes)
    if isinstance(marks.get("defaults"), Defaults):
        for name in value["defaults"]:
            if name not in DEFAULT_NAMES:
                _note_unknown(name, DEFAULT_NAMES[:1], notes, "", "`defaults`")
    return marks


def _check_folder(folder: Folder, raw: Mapping[str, Any], notes: Notes) -> None:
    shown = describe(folder.name).removeprefix("the text ")
    if not isinstance(folder.gate, Odd):
        for name in folder_unknown(raw):
            _note_unknown(name, FOLDER_NAMES, notes, "", f"the folder {shown}")
        return
    if "gate" in raw:
        message = f"The gate of the folder {shown} cannot be read and stays closed: {gate_fault(raw['gate'])}."
    else:
        names = ", ".join(map(describe, folder_unknown(raw)[:_SHOWN_NAMES]))
        message = (
            f"The folder {shown} has no `gate`, but something that could be meant as one ({names}); so it stays closed. "
            "Put its conditions below `gate`."
        )
    notes.add("bad_value", message, field="folders")


def check_version(value: Mapping[str, Any]) -> None:
    """Refuse a file of ours that was written for a newer version.

    Raises:
        FormatError: with `version` and `reads`, the newest version that is read.
    """
    version = value.get("lorewright")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        found = describe(version) if "lorewright" in value else "missing"
        raise FormatError(
            f"`lorewright` is the version of the format, a whole number from 1 to {VERSION}; here it is {found}. "
            f"Write `lorewright: {VERSION}` at the top.",
            version=version,
            reads=VERSION,
        )
    if version > VERSION:
        raise FormatError(
            f"This file is written in version {describe(version).removeprefix('the number ')} of the Lorewright format; "
            f"this program reads up to version {VERSION}. Update Lorewright, or have the file exported as version "
            f"{VERSION}.",
            version=version,
            reads=VERSION,
        )


def _check_settings(settings: object, notes: Notes) -> None:
    if isinstance(settings, dict):
        for name in settings:
            if name not in SETTINGS_FIELDS:
                _note_unknown(name, SETTINGS_FIELDS, notes, "", "settings")


def _note_unknown(name: str, known: tuple[str, ...], notes: Notes, entry: object, where: str) -> None:
    close = get_close_matches(name[:_LONGEST_NAME].lower(), known, n=1, cutoff=0.5)
    meant = f" Did you mean `{close[0]}`?" if close else ""
    if means_gate(name) or close == ["gate"]:
        meant = f" Did you mean `{_gate_for(name)}`? As it is written it closes nothing."
    shown = ascii(name[:_LONGEST_NAME])[1:-1]
    message = f"`{shown}` is no field of {where} that this version knows; it is kept and has no effect.{meant}"
    notes.add("unknown_field", message, entry=entry, field=shown)


def _note_misplaced(name: str, notes: Notes, entry: object, where: str) -> None:
    shown = ascii(name[:_LONGEST_NAME])[1:-1]
    message = (
        f"`{shown}` is no field of {where}, but could be meant as its gate; so the {where.partition(' ')[2]} "
        f"stays closed. Write `{_gate_for(name)}`."
    )
    notes.add("bad_value", message, entry=entry, field=shown)


def _gate_for(name: str) -> str:
    """How somebody who wrote a name should have written it, if a gate was meant."""
    condition = condition_meant(name)
    return f"gate: {{{condition}: …}}" if condition else "gate"


def _find_misplaced(raw: Mapping[str, Any], table: Mapping[str, NativeField]) -> dict[str, object]:
    """The unknown fields that could be meant as a gate."""
    return {name: value for name, value in raw.items() if name not in table and means_gate(name)}


def _read_extra(
    raw: Mapping[str, Any],
    table: Mapping[str, NativeField],
    notes: Notes,
    entry: object,
    misplaced: Mapping[str, object],
) -> dict[str, object]:
    """What goes to `extra`: reserved fields by their names, the content of the file's `extra`, and unknown names.
    `misplaced`: those of them that close."""
    where = "an entry" if table is ENTRY_FIELDS else "a book"
    extra: dict[str, object] = {}
    unknown: dict[str, object] = {}
    kept = raw.get("extra")
    if isinstance(kept, dict):
        extra.update(kept)
    for name, value in raw.items():
        field = table.get(name)
        if field is None:
            if name in misplaced:
                _note_misplaced(name, notes, entry, where)
            else:
                _note_unknown(name, tuple(table), notes, entry, where)
            unknown[name] = value
        elif field.reserved and not (name == "extra" and isinstance(value, dict)):
            if not field.takes(value):
                _note_odd(name, value, notes, entry)
            if name != "extra" or value is not None:
                unknown[name] = value
    if table is BOOK_FIELDS and "name" in raw and not isinstance(raw["name"], str):
        _note_odd("name", raw["name"], notes, entry)
        unknown["name"] = raw["name"]
    for name, value in unknown.items():
        free = free_name(name, extra)
        if free != name:
            message = f"`{name}` stands beside `extra` and inside it; the one beside it is kept as `{free}`."
            notes.add("field_conflict", message, entry=entry, field=name)
        extra[free] = value
    return extra


def free_name(name: str, taken: Mapping[str, object]) -> str:
    """The name, with a number behind it if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _note_odd(name: str, value: object, notes: Notes, entry: object) -> None:
    message = f"`{name}` holds {describe(value)}, which is not of its type; it is kept as it is."
    if name == "gate" and (fault := gate_fault(value)):
        message = f"The gate cannot be read and stays closed: {fault}."
    notes.add("content_not_text" if name == "content" else "bad_value", message, entry=entry, field=name)


_PLAIN_FIELDS: Final = {
    name: (fields.READY.get(field.read, frozenset()), field.read)
    for name, field in ENTRY_FIELDS.items()
    if not field.reserved and name != "uid"
}
"""Of each field of the model the types of values that are taken as they stand, and the reader of all others."""


class _EntryReader:
    """Reads the entries of one book."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def read(self, raw: Mapping[str, Any], uid: int | str) -> Entry:
        values: dict[str, Any] = {}
        others: dict[str, object] = {}
        for name, value in raw.items():
            field = _PLAIN_FIELDS.get(name)
            if field is None:
                if name != "uid":
                    others[name] = value
                continue
            ready, reader = field
            if type(value) in ready:
                values[name] = value
                continue
            read = values[name] = reader(value)
            if isinstance(read, Odd):
                _note_odd(name, value, self.notes, uid)
            elif reader in _LISTS and isinstance(read, tuple):
                self._check_list(name, value, uid)
        misplaced = _find_misplaced(others, ENTRY_FIELDS) if others and "gate" not in raw else {}
        if misplaced:
            values["gate"] = misplaced_gate(misplaced)
        extra = _read_extra(others, ENTRY_FIELDS, self.notes, uid, misplaced) if others else {}
        own = raw.get("uid", uid)
        if own != uid or type(own) is not type(uid):
            extra[free_name("uid", extra)] = own
        content = values.get("content")
        if isinstance(content, str) and len(content) > limits.CONTENT_CHARACTERS:
            self._note_large(uid, "content", f"{len(content):,} characters of content", limits.CONTENT_CHARACTERS)
        return Entry(uid=uid, extra=extra or EMPTY, **values)

    def _check_list(self, name: str, value: list[object], uid: int | str) -> None:
        if len(value) > limits.ENTRY_KEYS:
            self._note_large(uid, name, f"{len(value):,} items in `{name}`", limits.ENTRY_KEYS)
        strange = [item for item in value if not isinstance(item, str)]
        if strange:
            what = "an empty text" if fields.read_keys(strange[:1]) == ("",) else "a text"
            message = f"`{name}` holds {describe(strange[0])}, which is read as {what}. Put it in quotes."
            self.notes.add("key_not_text", message, entry=uid, field=name)

    def _note_large(self, uid: int | str, field: str, what: str, usual: int) -> None:
        self.notes.add("entry_large", f"The entry has {what}; more than {usual:,} is unusual.", entry=uid, field=field)
