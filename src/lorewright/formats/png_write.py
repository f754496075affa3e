"""A card back into its PNG picture: every other chunk stays byte for byte (spec formats §3.5, §4)."""

from __future__ import annotations

import base64
import copy
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.card import Card
from lorewright.formats.imported import Notes
from lorewright.formats.json_changes import follow_changes
from lorewright.formats.json_layout import dump_json
from lorewright.formats.png import SIGNATURE
from lorewright.formats.png_card import read_older_card, read_png_card
from lorewright.formats.v3_decorators import parse_decorators

__all__ = ["asset_chunks", "write_png_card"]

_TEXTS: Final = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_CARRIERS: Final = frozenset({b"ccv3", b"chara"})
_ASSET: Final = b"chara-ext-asset_"
_KEYWORD_BYTES: Final = 200
_AT_DEPTH: Final = 4
_ROLES: Final = ("system", "user", "assistant")
_DECORATOR: Final = re.compile(r"\A(?:@@[^\n]*(?:\n|\Z))+")


def asset_chunks(data: bytes) -> tuple[str, ...]:
    """The paths of the asset chunks of a picture, in file order. Both spellings, with and without a colon."""
    found = []
    for kind, start, end in _spans(data):
        if kind == b"tEXt" and data.startswith(_ASSET, start + 8):
            keyword = data[start + 8 : min(end - 4, start + 8 + _KEYWORD_BYTES)].partition(b"\0")[0]
            found.append(keyword.removeprefix(_ASSET).removeprefix(b":").decode("latin-1"))
    return tuple(found)


def write_png_card(original: bytes, card: Card | Mapping[str, Any]) -> bytes:
    """The picture with this card in it: `Card.data`, or the JSON object of a card.

    A picture that holds this card already is given back as it is. Otherwise all old carriers are taken out, and new
    ones stand before `IEND`: `chara`, and for a V3 card (or where there was one) `ccv3`. `chara` then holds the card as
    V2, without decorators; where both were there, only the same changes go into it. A picture without `IEND` gets one.

    Raises:
        FormatError: no PNG picture, or a card that cannot be written as JSON.
    """
    data = card.data if isinstance(card, Card) else card
    if not original.startswith(SIGNATURE):
        raise FormatError("This is no PNG picture: the signature is missing.")
    wanted = dump_json(data)
    if _holds(original, wanted):
        return original
    kept = [SIGNATURE]
    tail = b""
    had_newer = False
    for kind, start, end in _spans(original):
        if kind == b"IEND":
            tail = original[start:]
            break
        keyword = _keyword(original, kind, start, end)
        if keyword in _CARRIERS:
            had_newer = had_newer or keyword == b"ccv3"
            continue
        kept.append(original[start:end])
    else:
        tail = _chunk(b"IEND", b"")
    is_newer = _is_v3(data)
    older = _older(original, data) if is_newer else wanted
    kept.append(_chunk(b"tEXt", b"chara\0" + base64.b64encode(older)))
    if is_newer or had_newer:
        kept.append(_chunk(b"tEXt", b"ccv3\0" + base64.b64encode(wanted)))
    return b"".join((*kept, tail))


def _holds(original: bytes, wanted: bytes) -> bool:
    try:
        return dump_json(read_png_card(original, Notes())) == wanted
    except FormatError:
        return False


def _older(original: bytes, data: Mapping[str, Any]) -> bytes:
    """The card of `chara` beside this V3 card: the one that is there with what has changed, or the V3 card as V2."""
    made = _as_v2(data)
    try:
        before = dict(read_png_card(original, Notes()))
    except FormatError:
        return dump_json(made)
    there = read_older_card(original)
    if there is None or not _is_v3(before):
        return dump_json(made)
    base = _as_v2(before)
    if "data" not in there:
        base, made = base.get("data", base), made.get("data", made)
    return dump_json(follow_changes(dict(there), base, made))


def _spans(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Type, begin and end of each whole chunk up to `IEND`."""
    place = len(SIGNATURE)
    number = 0
    while place + 12 <= len(data):
        number += 1
        if number > limits.PNG_CHUNKS:
            raise FormatError(
                f"The picture has more than {limits.PNG_CHUNKS:,} chunks, which no card needs.", limit=limits.PNG_CHUNKS
            )
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 12 + length
        if end > len(data):
            return
        yield kind, place, end
        if kind == b"IEND":
            return
        place = end


def _keyword(data: bytes, kind: bytes, start: int, end: int) -> bytes:
    if kind not in _TEXTS:
        return b""
    return data[start + 8 : min(end - 4, start + 8 + _KEYWORD_BYTES)].partition(b"\0")[0].lower()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _is_v3(data: Mapping[str, Any]) -> bool:
    spec = str(data.get("spec", ""))
    return spec.startswith("chara_card") and spec != "chara_card_v2"


def _as_v2(data: Mapping[str, Any]) -> dict[str, Any]:
    """The card for programs that know V2 only: the same fields, with the decorators turned into fields or left out."""
    older = copy.deepcopy(dict(data))
    older["spec"], older["spec_version"] = "chara_card_v2", "2.0"
    inner = older.get("data")
    book = inner.get("character_book") if isinstance(inner, dict) else None
    entries = book.get("entries") if isinstance(book, dict) else None
    for entry in entries.values() if isinstance(entries, dict) else entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("content"), str) and entry["content"].startswith("@@"):
            _plain(entry)
    return older


def _plain(entry: dict[str, Any]) -> None:
    given = entry.get("extensions")
    extensions = dict(given) if isinstance(given, dict) else {}
    for decorator in parse_decorators(entry["content"]):
        if not decorator.used:
            continue
        value = decorator.values[0] if decorator.values else ""
        match decorator.name:
            case "activate":
                entry["constant"] = True
            case "dont_activate":
                entry["enabled"] = False
            case "depth":
                extensions |= {"position": _AT_DEPTH, "depth": int(value)}
            case "role" if value in _ROLES:
                extensions["role"] = _ROLES.index(value)
            case "scan_depth":
                extensions["scan_depth"] = int(value)
            case _:
                pass
    if extensions or isinstance(given, dict):
        entry["extensions"] = extensions
    entry["content"] = _DECORATOR.sub("", entry["content"])
