"""RisuAI's module file `.risum` <-> its JSON and its assets (spec formats §3.7).

`6F 00`, the length of the JSON (four bytes, low first), the JSON in RPack; then for each asset `01`, its length and its
bytes in RPack; then `00`. Assets are never decoded here, and an unedited file is written back byte for byte.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats import limits, rpack
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.wording import describe

__all__ = ["Risum", "new_risum", "read_risum", "write_risum_value"]

_MAGIC: Final = b"\x6f\x00"
_HEAD: Final = 6
_ASSET: Final = 1
_END: Final = 0
_LENGTH_MOST: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Risum:
    """A module file. `value` is its JSON object; `packed` and `tail` are its bytes as they stand.

    `assets` are the places of the assets in `tail`, each from its first byte to the one after its last.
    """

    value: dict[str, Any]
    packed: bytes
    tail: bytes
    assets: tuple[tuple[int, int], ...]

    def asset(self, index: int) -> bytes:
        """The plain bytes of one asset."""
        start, end = self.assets[index]
        return rpack.decode(self.tail[start:end])


def read_risum(data: bytes, notes: Notes) -> Risum:
    """Read a module file. Damage behind the JSON is reported, and its bytes are kept.

    Raises:
        FormatError: no module file, its JSON is cut off or damaged, or it is over a limit.
    """
    try:
        packed = _find_json(data)
        value = _parse(packed, notes)
    except FormatError as error:
        error.facts.setdefault("format", "risum")
        raise
    tail = data[_HEAD + len(packed) :]
    return Risum(value, packed, tail, _find_assets(tail, notes))


def new_risum(value: dict[str, Any]) -> bytes:
    """A module file without assets.

    Raises:
        FormatError: a number that JSON cannot hold, or over a limit.
    """
    return _assemble(_pack(value, indent=None), bytes([_END]))


def write_risum_value(file: Risum, value: dict[str, Any]) -> bytes:
    """The module file with `value` as its JSON: the very bytes that were read if nothing changed.

    Raises:
        FormatError: a number that JSON cannot hold, or over a limit.
    """
    if is_exact(value, file.value):
        return _assemble(file.packed, file.tail)
    is_indented = b"\n" in rpack.decode(file.packed[:4])
    return _assemble(_pack(value, indent=2 if is_indented else None), file.tail)


def _find_json(data: bytes) -> bytes:
    if len(data) > limits.FILE_BYTES:
        raise FormatError(
            f"The module has {len(data):,} bytes; the limit is {limits.FILE_BYTES:,}.",
            limit=limits.FILE_BYTES,
            value=len(data),
        )
    if len(data) < _HEAD or not data.startswith(_MAGIC):
        raise FormatError("This is no RisuAI module file: it does not begin with the bytes 6F 00 and a length.")
    length = int.from_bytes(data[2:_HEAD], "little")
    there = len(data) - _HEAD
    if length > there:
        raise FormatError(
            f"The module file is cut off: its JSON should have {length:,} bytes, {there:,} are there.",
            length=length,
            value=there,
        )
    return data[_HEAD : _HEAD + length]


def _parse(packed: bytes, notes: Notes) -> dict[str, Any]:
    try:
        text = rpack.decode(packed).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"The JSON of this module is not UTF-8 (byte {error.start:,}); the file is damaged.", offset=error.start
        ) from error
    value = parse_json(text, notes)
    if not isinstance(value, dict):
        raise FormatError(f"The JSON of a module is an object, not {describe(value)}.")
    return value


def _find_assets(tail: bytes, notes: Notes) -> tuple[tuple[int, int], ...]:
    """Walk the blocks behind the JSON; stop at the first that cannot be right."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(tail) and tail[at] == _ASSET:
        start = at + 5
        end = start + int.from_bytes(tail[at + 1 : start], "little")
        if start > len(tail) or end > len(tail):
            notes.add("risum_truncated", f"The asset {len(found)} of the module is cut off; its bytes are kept.")
            return tuple(found)
        if len(found) == limits.RISUM_ASSETS:
            notes.add(
                "risum_asset_limit", f"The module has more than {limits.RISUM_ASSETS:,} assets; the rest is only kept."
            )
            return tuple(found)
        found.append((start, end))
        at = end
    if at == len(tail):
        notes.add("risum_truncated", "The module file has no end mark; it may be cut off.")
    elif tail[at] != _END:
        message = f"The module file holds a part of an unknown kind ({tail[at]}); it and what follows is kept unread."
        notes.add("risum_unknown_part", message)
    elif at + 1 < len(tail):
        message = f"{len(tail) - at - 1:,} bytes after the end of the module; they are kept."
        notes.add("risum_trailing_bytes", message, "info")
    return tuple(found)


def _pack(value: dict[str, Any], indent: int | None) -> bytes:
    separators = (",", ":") if indent is None else None
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    except ValueError as error:
        raise FormatError("The module holds a number that JSON cannot hold (infinity or NaN). Correct it.") from error
    try:
        plain = text.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can hold
        plain = json.dumps(value, indent=indent, separators=separators).encode("ascii")
    return rpack.encode(plain)


def _assemble(packed: bytes, tail: bytes) -> bytes:
    size = _HEAD + len(packed) + len(tail)
    if size > limits.FILE_BYTES or len(packed) > _LENGTH_MOST:
        raise FormatError(
            f"The module would have {size:,} bytes; the limit is {limits.FILE_BYTES:,}.",
            limit=limits.FILE_BYTES,
            value=size,
        )
    return _MAGIC + len(packed).to_bytes(4, "little") + packed + tail
