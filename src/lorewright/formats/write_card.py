"""A card back into the file it came from (spec formats §4): what was not edited stays byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.card import Card
from lorewright.formats.charx import dump_json, write_charx
from lorewright.formats.detect import detect
from lorewright.formats.kinds import KINDS
from lorewright.formats.png_write import write_png_card

__all__ = ["write_card"]

_JSON: Final = frozenset({"card_v1", "card_v2", "card_v3", "card_newer", "card_pygmalion", "card_ooba"})
_ARCHIVES: Final = frozenset({"charx", "charx_jpeg"})


def write_card(original: bytes, card: Card | Mapping[str, Any]) -> bytes:
    """The file `original` with this card in it: `Card.data`, or the JSON object of a card.

    A file that holds this card already is given back as it is. JSON, PNG pictures and CHARX can be changed; YAML, BYAF,
    WebP and JPEG pictures are only read.

    Raises:
        FormatError: the original is no card, or of a format that is not written (`format`).
    """
    data = card.data if isinstance(card, Card) else card
    found = detect(original)
    kind = found.format
    if dump_json(found.content) == dump_json(data):
        return original
    if kind.endswith("_png"):
        return write_png_card(original, data)
    if kind in _ARCHIVES:
        return write_charx(original, data)
    if kind in _JSON:
        return _as_json(data, is_indented=b"\n" in original[:200].strip())
    raise FormatError(
        f"{KINDS[kind].title} is not written by this version. Write the card as JSON or into a PNG picture.",
        format=kind,
    )


def _as_json(data: Mapping[str, Any], *, is_indented: bool) -> bytes:
    plain = dump_json(data)
    if not is_indented:
        return plain
    text = json.dumps(data, ensure_ascii=plain.isascii(), indent=4)
    return text.encode()
