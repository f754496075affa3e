"""Fields of ours that other programs do not have, under our name in the `extensions` of their entries and books.

They are read from any format that has `extensions`, and written there; so a gate stays closed in whatever file the
book travels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.model import ABSENT, Book, Entry
from lorewright.formats.fields import NAMESPACE, is_exact
from lorewright.formats.native.table import BOOK_FIELDS, BOOK_MARKS, ENTRY_FIELDS, NativeField
from lorewright.formats.native.write import plain_value

__all__ = ["ENTRY_MARKS", "has_marks", "put_marks", "read_book_marks", "read_entry_marks"]

ENTRY_MARKS: Final = (
    *("authority", "source", "subject", "weight", "level", "restricted_to", "scene", "gate", "folder"),
    *("layer", "channel", "replaces", "cache_unsafe", "seed_salt", "freeze", "verbatim"),
)
_EXTENSIONS: Final = "extensions"


def read_entry_marks(extra: Mapping[str, object]) -> dict[str, Any]:
    """The fields of an entry under our name, as the model has them."""
    return _read(extra, ENTRY_MARKS, ENTRY_FIELDS)


def read_book_marks(extra: Mapping[str, object]) -> dict[str, Any]:
    """The same of a book."""
    return _read(extra, BOOK_MARKS, BOOK_FIELDS)


def _read(extra: Mapping[str, object], names: tuple[str, ...], table: Mapping[str, NativeField]) -> dict[str, Any]:
    extensions = extra.get(_EXTENSIONS)
    own = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    return {name: table[name].read(own[name]) for name in names if name in own} if isinstance(own, dict) else {}


def put_marks(raw: dict[str, Any], thing: Entry | Book) -> dict[str, Any]:
    """The JSON object of an entry or a book with its fields of ours where they belong. Given back itself if it has them."""
    names, table = (ENTRY_MARKS, ENTRY_FIELDS) if isinstance(thing, Entry) else (BOOK_MARKS, BOOK_FIELDS)
    extensions = raw.get(_EXTENSIONS)
    own = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    known: Mapping[str, Any] = own if isinstance(own, dict) else {}
    wanted = {name: plain_value(value) for name in names if (value := getattr(thing, name)) is not ABSENT}
    merged = {name: value for name, value in known.items() if name not in names or name in wanted}
    merged |= {name: value for name, value in wanted.items() if not _says(known, name, value, table)}
    if is_exact(merged, dict(known)):
        return raw
    others = dict(extensions) if isinstance(extensions, dict) else {}
    others[NAMESPACE] = merged
    if not merged:
        del others[NAMESPACE]
    return {**raw, _EXTENSIONS: others}


def has_marks(raw: Mapping[str, Any]) -> bool:
    """Whether anything stands under our name."""
    extensions = raw.get(_EXTENSIONS)
    return isinstance(extensions, dict) and isinstance(extensions.get(NAMESPACE), dict)


def _says(known: Mapping[str, Any], name: str, value: object, table: Mapping[str, NativeField]) -> bool:
    return name in known and is_exact(plain_value(table[name].read(known[name])), value)
