"""The chunks of a PNG or APNG file and the texts in them (spec formats §3.5). Pixels are never decoded."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import Notes

__all__ = ["SIGNATURE", "Chunk", "TextChunk", "read_chunks", "read_texts"]

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_FRAME_BYTES: Final = 12
"""Length, type and checksum around a chunk's data."""
_KEYWORD_BYTES: Final = 79

Carrier = Literal["tEXt", "zTXt", "iTXt"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its four-letter type, its data, and the offset of its first byte (the length) in the file."""

    type: str
    data: memoryview
    offset: int


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A text in a picture. `payload` is inflated but not decoded."""

    keyword: str
    payload: bytes
    carrier: Carrier


def read_chunks(data: bytes, notes: Notes) -> Iterator[Chunk]:
    """Walk the chunks. Damage is noted; the walk ends at `IEND`, at the end of the file, or at the first cut chunk.

    Raises:
        FormatError: no PNG signature, or more chunks than the limit.
    """
    if not data.startswith(SIGNATURE):
        raise FormatError("This is no PNG picture: the signature is missing.")
    view = memoryview(data)
    offset = len(SIGNATURE)
    number = 0
    while offset < len(data):
        if offset + _FRAME_BYTES > len(data):
            notes.add("png_truncated", f"The picture ends inside a chunk at byte {offset:,}; what came before is used.")
            return
        length, kind = struct.unpack_from(">I4s", data, offset)
        end = offset + _FRAME_BYTES + length
        name = kind.decode("latin-1")
        if end > len(data):
            notes.add(
                "png_truncated",
                f"Chunk {name!a} at byte {offset:,} is {length:,} bytes long by its header, longer than the file. "
                "What came before is used.",
            )
            return
        number += 1
        if number > limits.PNG_CHUNKS:
            raise FormatError(
                f"The picture has more than {limits.PNG_CHUNKS:,} chunks, which no card needs.", limit=limits.PNG_CHUNKS
            )
        _check_crc(view, offset, length, name, notes)
        yield Chunk(name, view[offset + 8 : end - 4], offset)
        offset = end
        if name == "IEND":
            if offset < len(data):
                notes.add("png_trailing_bytes", f"{len(data) - offset:,} bytes after the end of the picture.", "info")
            return
    notes.add("png_truncated", "The picture has no IEND chunk; it may be cut off.")


def _check_crc(view: memoryview, offset: int, length: int, name: str, notes: Notes) -> None:
    body = view[offset + 4 : offset + 8 + length]
    (expected,) = struct.unpack_from(">I", view, offset + 8 + length)
    if zlib.crc32(body) != expected:
        notes.add(
            "png_bad_crc", f"The checksum of chunk {name!a} at byte {offset:,} is wrong; it is used all the same."
        )


def read_texts(data: bytes, notes: Notes) -> Iterator[TextChunk]:
    """The texts of the picture in file order, before and after the pixels. Chunks over a limit are noted and skipped."""
    inflated = _Inflater(notes)
    for chunk in read_chunks(data, notes):
        if chunk.type not in {"tEXt", "zTXt", "iTXt"}:
            continue
        size = len(chunk.data)
        if size > limits.PNG_TEXT_BYTES or inflated.spent + size > limits.PNG_TEXT_TOTAL_BYTES:
            limit = limits.PNG_TEXT_BYTES if size > limits.PNG_TEXT_BYTES else limits.PNG_TEXT_TOTAL_BYTES
            _note_skipped(chunk, f"has {size:,} bytes of text; the limit is {limit:,}", notes, "png_text_limit")
            continue
        inflated.spent += size
        if (text := _split(chunk, inflated, notes)) is not None:
            yield text


def _split(chunk: Chunk, inflated: _Inflater, notes: Notes) -> TextChunk | None:
    """Take keyword and text apart; None for a chunk that cannot be used."""
    keyword, found, rest = bytes(chunk.data).partition(b"\0")
    if not found or not 0 < len(keyword) <= _KEYWORD_BYTES:
        _note_skipped(chunk, "has no keyword", notes)
        return None
    carrier: Carrier = "tEXt"
    payload: bytes | None = rest
    if chunk.type == "zTXt":
        carrier = "zTXt"
        payload = inflated.inflate(chunk, rest[1:])
    elif chunk.type == "iTXt":  # a flag, a method, then language and translated keyword, each ended by a NUL
        carrier = "iTXt"
        parts = rest[2:].split(b"\0", 2)
        if len(parts) < 3:
            _note_skipped(chunk, "is cut off", notes)
            return None
        payload = inflated.inflate(chunk, parts[2]) if rest[0] else parts[2]
    return None if payload is None else TextChunk(keyword.decode("latin-1"), payload, carrier)


class _Inflater:
    """Unpacks texts, each and all together within the limits. What a refused text cost counts too."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.spent = 0

    def inflate(self, chunk: Chunk, packed: bytes) -> bytes | None:
        most = min(
            limits.PNG_INFLATED_BYTES,
            limits.PNG_TEXT_TOTAL_BYTES - self.spent,
            max(limits.INFLATE_FREE_BYTES, limits.INFLATE_RATIO * len(packed)),
        )
        try:
            text = zlib.decompressobj().decompress(packed, most + 1)
        except zlib.error as error:
            _note_skipped(chunk, f"cannot be unpacked ({error})", self.notes)
            return None
        self.spent += len(text)
        if len(text) > most:
            _note_skipped(chunk, f"would unpack to more than {most:,} bytes", self.notes, "png_text_limit")
            return None
        return text


def _note_skipped(chunk: Chunk, why: str, notes: Notes, code: str = "png_chunk_skipped") -> None:
    notes.add(code, f"Text chunk {chunk.type} at byte {chunk.offset:,} {why}; it is skipped.")
