"""Small PNG files with texts in them, made by hand."""

import base64
import json
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes, *, crc: int | None = None) -> bytes:
    checksum = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


HEAD = SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\0"))
END = chunk(b"IEND", b"")


def picture(*texts: bytes, after: bytes = b"") -> bytes:
    """A picture with these chunks before, and `after` behind the pixels."""
    return HEAD + b"".join(texts) + PIXELS + after + END


def encoded(value: object) -> bytes:
    return base64.b64encode(json.dumps(value).encode())


def text(keyword: str, payload: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode() + b"\0" + payload)


def packed(keyword: str, payload: bytes) -> bytes:
    return chunk(b"zTXt", keyword.encode() + b"\0\0" + zlib.compress(payload, 9))


def international(keyword: str, payload: bytes, *, compress: bool) -> bytes:
    body = zlib.compress(payload) if compress else payload
    return chunk(b"iTXt", keyword.encode() + b"\0" + bytes([compress, 0]) + b"en\0Karte\0" + body)


def card(name: str, spec: str = "chara_card_v2", **data: object) -> dict[str, object]:
    return {"spec": spec, "spec_version": "2.0", "data": {"name": name, **data}}
