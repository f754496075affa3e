"""RisuAI modules, as JSON or `.risum`, <-> the `Book` in their `lorebook` (spec formats §3.7).

The rest of a module, scripts included, stays in `Book.extra` as data; nothing of it is ever run.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.model import Book
from lorewright.errors import FormatError
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.risu_lorebook import RisuFrame, frame_of, read_rows, write_all_rows, write_object
from lorewright.formats.risum import Risum, new_risum, write_risum_value
from lorewright.formats.wording import describe

__all__ = ["read_risu_module", "read_risum_book", "write_risu_module", "write_risum"]

_ROWS: Final = "lorebook"
_INNER: Final = "module"
_SCRIPTS: Final = (
    "trigger",
    "triggerscript",
    "cjs",
    "mcp",
    "regex",
    "customScripts",
    "lowLevelAccess",
    "backgroundEmbedding",
)


def read_risu_module(
    value: object, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the parsed JSON of a module: the book in its `lorebook`. `name` overrules the module's own.

    Raises:
        FormatError: no object, or too many rows.
    """
    return _read(value, name, origin, notes, None)


def read_risum_book(
    value: Risum, *, name: str | None = None, origin: str = "", notes: Notes | None = None
) -> Imported[Book]:
    """Read the book of a module file (`read_risum` opens it).

    Raises:
        FormatError: too many rows.
    """
    return replace(_read(value.value, name, origin, notes, value), format="risum")


def write_risu_module(book: Book) -> dict[str, Any]:
    """The JSON value of a module."""
    frame = frame_of(book)
    if frame is None or frame.holder != "module":
        return {"type": "risuModule", _INNER: _new_module(book)}
    module = write_object(book, frame)
    if frame.wrapper is None:
        return module
    return {name: module if name == _INNER else kept for name, kept in frame.wrapper.items()}


def write_risum(book: Book) -> bytes:
    """The module file of a book; byte for byte the one that was read if nothing was changed.

    Raises:
        FormatError: a number that JSON cannot hold, or too large.
    """
    frame = frame_of(book)
    value = write_risu_module(book)
    if frame is not None and frame.file is not None:
        return write_risum_value(frame.file, value)
    is_wrapped = value.get("type") == "risuModule" and _INNER in value
    return new_risum(value if is_wrapped else {_INNER: value, "type": "risuModule"})


def _read(value: object, name: str | None, origin: str, notes: Notes | None, file: Risum | None) -> Imported[Book]:
    if not isinstance(value, dict):
        raise FormatError(f"A RisuAI module is an object, not {describe(value)}.")
    inner = value.get(_INNER)
    module, wrapper = (inner, value) if isinstance(inner, dict) and _ROWS not in value else (value, None)
    own = module.get("name")
    title = name or (own if isinstance(own, str) and own else "module")
    noted = Notes(title)
    if notes is not None:
        noted.include(notes)
    _note_scripts(module, noted)
    if file is not None:
        _note_assets(module, file, noted)
    return read_rows(module, RisuFrame("module", _ROWS, wrapper=wrapper, file=file), title, origin, noted)


def _note_scripts(module: Mapping[str, Any], notes: Notes) -> None:
    for name in _SCRIPTS:
        value = module.get(name)
        if value:
            what = f"{len(value)} scripts" if isinstance(value, list) and len(value) > 1 else "a script"
            what = "a right for scripts" if name == "lowLevelAccess" else what
            notes.add("script_inert", f"`{name}` of the module holds {what}; it is kept and never run.", field=name)


def _note_assets(module: Mapping[str, Any], file: Risum, notes: Notes) -> None:
    named = module.get("assets")
    if isinstance(named, list) and len(named) > len(file.assets):
        message = f"The module names {len(named):,} assets, {len(file.assets):,} are in the file."
        notes.add("asset_missing", message, field="assets")


def _new_module(book: Book) -> dict[str, Any]:
    return {
        "name": book.name,
        "description": "",
        "id": str(uuid.uuid5(uuid.NAMESPACE_OID, ascii(book.name))),
        _ROWS: write_all_rows(book),
    }
