"""Markdown fields that hold more than a word: gates, folders, defaults, rules of replacement, layers.

They are read as JSON or as YAML in one line, `{reveal: {book: Isles, chapter: 3}}`, and written as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from lorewright.core.model import Odd
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.markdown.values import BAD, NUMBER, TEXT, ValueKind, is_encodable
from lorewright.formats.native.defaults import read_defaults
from lorewright.formats.native.gates import read_folders, read_gate
from lorewright.formats.native.replaces import read_replaces
from lorewright.formats.native.tree import parse_tree, to_value
from lorewright.formats.native.write import plain_value

__all__ = ["DEFAULTS", "FOLDERS", "GATE", "LAYER", "REPLACES"]

_LONGEST_YAML: Final = 10_000


def _parse(text: str) -> object:
    """What the text means; a text that is neither JSON nor YAML means itself."""
    bare = text.strip().strip("`").strip()
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        pass
    try:
        return to_value(parse_tree(bare), Notes()) if len(bare) <= _LONGEST_YAML else text
    except FormatError:
        return text


def _write(value: object, _chinese: bool) -> str | None:
    text = json.dumps(plain_value(value), ensure_ascii=False)
    return text if is_encodable(text) else json.dumps(plain_value(value))


def _structured(read: Callable[[object], Any], *, odd_counts: bool) -> ValueKind:
    """`odd_counts`: what is malformed is no less a value, since a malformed gate closes."""

    def parse(text: str) -> object:
        value = read(_parse(text))
        return BAD if isinstance(value, Odd) and not odd_counts else value

    def write(value: object, chinese: bool) -> str | None:
        text = _write(value, chinese)
        return text if text is not None and parse(text) == value else None

    return ValueKind(parse, write)


def _read_layer(text: str) -> object:
    """The name of a layer, or its number."""
    number = NUMBER.read(text)
    return TEXT.read(text) if number is BAD else number


def _write_layer(value: object, chinese: bool) -> str | None:
    if not isinstance(value, str):
        return NUMBER.write(value, chinese)
    return json.dumps(value) if NUMBER.read(value) is not BAD else TEXT.write(value, chinese)


GATE: Final = _structured(read_gate, odd_counts=True)
FOLDERS: Final = _structured(read_folders, odd_counts=True)
DEFAULTS: Final = _structured(read_defaults, odd_counts=True)
REPLACES: Final = _structured(read_replaces, odd_counts=False)
LAYER: Final = ValueKind(_read_layer, _write_layer)
