"""JSON values -> bytes: as short as can be, or in the layout of the file that they came from."""

from __future__ import annotations

import json
import re
from typing import Final

from lorewright.errors import FormatError

__all__ = ["dump_json", "dump_like"]

_INDENT: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*[\[{]\s*?\n([ \t]+)")
_HEAD_BYTES: Final = 4096
_ESCAPE: Final = re.compile(rb"\\u[0-9a-fA-F]{4}")


def dump_json(value: object) -> bytes:
    """A JSON value as UTF-8, or as ASCII when it holds half of a surrogate pair.

    Raises:
        FormatError: an infinite number.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        message = "JSON has no infinity and no NaN, and a number of the book is one. Give the entry another number."
        raise FormatError(message) from error


def dump_like(original: bytes, value: object) -> bytes:
    """The value as JSON in the layout of a file: its indent, its way with letters that are not ASCII, its last line end.

    Raises:
        FormatError: an infinite number.
    """
    plain = dump_json(value)
    found = _INDENT.match(original[:_HEAD_BYTES])
    indent = found[1].decode() if found else None
    is_wide = b'": ' in original[:_HEAD_BYTES]
    is_escaped = original.isascii() and _ESCAPE.search(original) is not None
    if indent or is_wide or is_escaped:
        separators = (",", ": " if is_wide else ":") if indent else (", ", ": ") if is_wide else (",", ":")
        is_ascii = is_escaped or (plain.isascii() and b"\\u" in plain)
        plain = json.dumps(value, ensure_ascii=is_ascii, indent=indent, separators=separators).encode()
    return plain + b"\n" if original.endswith(b"\n") else plain
