"""The card in the EXIF UserComment of a JPEG or WebP picture (spec formats §3.5). It is only read, never written."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json

__all__ = ["read_exif_card"]

_EXIF: Final = b"Exif\0\0"
_SUB_DIRECTORY: Final = 0x8769
_USER_COMMENT: Final = 0x9286
_TYPE_BYTES: Final = {1: 1, 2: 1, 3: 2, 4: 4, 6: 1, 7: 1, 9: 4, 13: 4}
"""By TIFF type; a value of another type is no text and no place."""
_FIELDS: Final = 512
_DIRECTORIES: Final = 8
_PARTS: Final = 4096
_CHARSET_BYTES: Final = 8
_CHARSETS: Final = (b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", bytes(8))
_BYTE_LIST: Final = re.compile(rb"\s*\[?\s*\d{1,3}(?:\s*,\s*\d{1,3}){7,}\s*\]?\s*")
_JPEG_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
_JPEG_PIXELS: Final = 0xDA
_JPEG_END: Final = 0xD9
_JPEG_APP1: Final = 0xE1


def read_exif_card(data: bytes, kind: str, notes: Notes) -> Mapping[str, Any]:
    """The JSON object in the UserComment of a picture. `kind` is `jpeg` or `webp`.

    Raises:
        FormatError: no card, or one that cannot be read.
    """
    blocks = _jpeg_blocks(data) if kind == "jpeg" else _webp_blocks(data)
    failure = ""
    for block in blocks:
        for comment in _comments(block.removeprefix(_EXIF)):
            try:
                return _decode(comment, notes)
            except FormatError as error:
                failure = failure or error.message
    name = "JPEG" if kind == "jpeg" else "WebP"
    if failure:
        raise FormatError(f"The comment in this {name} picture is no card that can be read: {failure}", format=kind)
    raise FormatError(
        f"This {name} picture holds no character card (no EXIF comment). Pictures that were edited or sent through a "
        "chat program often lose it; use the original file.",
        format=kind,
    )


def _jpeg_blocks(data: bytes) -> Iterator[bytes]:
    """The EXIF segments before the pixels."""
    place = 2
    for _ in range(_PARTS):
        if place + 4 > len(data) or data[place] != 0xFF:
            return
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
            continue
        if marker in _JPEG_BARE:
            place += 2
            continue
        if marker in {_JPEG_PIXELS, _JPEG_END}:
            return
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        if marker == _JPEG_APP1 and data.startswith(_EXIF, place + 4):
            yield data[place + 4 : place + 2 + length]
        place += 2 + max(length, 2)


def _webp_blocks(data: bytes) -> Iterator[bytes]:
    """The `EXIF` chunks of the container."""
    place = 12
    for _ in range(_PARTS):
        if place + 8 > len(data):
            return
        length = int.from_bytes(data[place + 4 : place + 8], "little")
        if data.startswith(b"EXIF", place):
            yield data[place + 8 : place + 8 + length]
        place += 8 + length + length % 2


def _comments(tiff: bytes) -> Iterator[bytes]:
    """The UserComments in the directories of a TIFF block. Each directory is looked at once."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return
    waiting = [struct.unpack_from(f"{order}L", tiff, 4)[0]]
    seen: set[int] = set()
    while waiting and len(seen) < _DIRECTORIES:
        place = waiting.pop(0)
        if place in seen or place + 2 > len(tiff) or place < 8:
            continue
        seen.add(place)
        number = struct.unpack_from(f"{order}H", tiff, place)[0]
        for field in range(min(number, _FIELDS)):
            at = place + 2 + 12 * field
            if at + 12 > len(tiff):
                break
            tag, kind, count = struct.unpack_from(f"{order}HHL", tiff, at)
            (value,) = struct.unpack_from(f"{order}L", tiff, at + 8)
            if tag == _SUB_DIRECTORY:
                waiting.append(value)
            elif tag == _USER_COMMENT and kind in _TYPE_BYTES:
                size = count * _TYPE_BYTES[kind]
                start = at + 8 if size <= 4 else value
                yield tiff[start : start + size]
        following = place + 2 + 12 * number
        if following + 4 <= len(tiff):
            waiting.append(struct.unpack_from(f"{order}L", tiff, following)[0])


def _decode(comment: bytes, notes: Notes) -> Mapping[str, Any]:
    charset = comment[:_CHARSET_BYTES]
    raw = comment[_CHARSET_BYTES:] if charset in _CHARSETS else comment
    text = _as_text(raw, is_wide=charset == b"UNICODE\0")
    if _BYTE_LIST.fullmatch(text.encode("ascii", "replace")):
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        if max(numbers) > 255:
            raise FormatError("it is a list of numbers that are no bytes.")
        inner = bytes(numbers)
        text = _as_text(inner[_CHARSET_BYTES:] if inner[:_CHARSET_BYTES] in _CHARSETS else inner, is_wide=False)
    if not text.startswith("{"):
        try:
            text = base64.b64decode("".join(text.split()), validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise FormatError("it is neither JSON nor base64.") from error
    value = parse_json(text, notes)
    if not isinstance(value, dict):
        raise FormatError("its JSON is no object.")
    return value


def _as_text(raw: bytes, *, is_wide: bool) -> str:
    encodings = ["utf-8"]
    if is_wide:  # the standard means UCS-2; many programs write UTF-8 all the same
        head = raw[:64]
        wide = "utf-16-be" if head[0::2].count(0) >= head[1::2].count(0) else "utf-16-le"
        encodings = [wide, "utf-8"] if b"\0" in head else ["utf-8", wide]
    for encoding in encodings:
        try:
            return raw.decode(encoding).strip("\0 \t\r\n\ufeff")
        except UnicodeDecodeError:
            continue
    raise FormatError("its text has an unknown encoding.")
