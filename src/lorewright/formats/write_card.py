"""A card back into the file it came from (spec formats §4): what was not edited stays byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from lorewright.errors import FormatError
from lorewright.formats.byaf_write import write_byaf
from lorewright.formats.card import Card
from lorewright.formats.card_mirror import with_mirror
from lorewright.formats.card_yaml_write import write_yaml_card
from lorewright.formats.charx import write_charx
from lorewright.formats.detect import detect
from lorewright.formats.imported import Notes
from lorewright.formats.json_layout import dump_json, dump_like
from lorewright.formats.kinds import KINDS
from lorewright.formats.nearest import why_not
from lorewright.formats.png_write import write_png_card
from lorewright.formats.shapes import name_json

__all__ = ["WRITTEN_BACK", "refuse_writing", "write_card"]

_JSON: Final = frozenset({"card_v1", "card_v2", "card_v3", "card_newer", "card_pygmalion", "card_ooba"})
_PICTURES: Final = frozenset({"card_v1_png", "card_v2_png", "card_v3_png", "card_newer_png"})
_ARCHIVES: Final = frozenset({"charx", "charx_jpeg"})
WRITTEN_BACK: Final = _JSON | _PICTURES | _ARCHIVES | {"card_yaml", "byaf"}
"""The formats of cards into whose files an edited card can be written."""
_SHAPE: Final = "card_v1"


def write_card(original: bytes, card: Card | Mapping[str, Any], notes: Notes | None = None) -> bytes:
    """The file `original` with this card in it: `Card.data`, or the JSON object of a card.

    A file that holds this card already is given back as it is. JSON, YAML, PNG pictures and CHARX can be changed, of a
    Backyard archive the lore; WebP and JPEG pictures are only read. A copy of the fields of V1 outside `data` follows
    what was changed inside. `notes` takes reports of what could not be kept as it was.

    Raises:
        FormatError: the original is no card, or of a format that is not written (`format`); or this is no card.
    """
    data = card.data if isinstance(card, Card) else card
    found = detect(original)
    kind = found.format
    if dump_json(found.content) == dump_json(data):
        return original
    if kind not in WRITTEN_BACK:
        refuse_writing(kind)
    if not name_json(data).startswith("card_"):
        raise FormatError(
            f"The card cannot be written: it would be none when it is read again. {why_not(_SHAPE, data)}",
            format=kind,
        )
    made = with_mirror(found.content, data)
    if kind in _PICTURES:
        return write_png_card(original, made)
    if kind in _ARCHIVES:
        return write_charx(original, made)
    if kind == "byaf":
        return write_byaf(original, found.content, made)
    if kind == "card_yaml":
        return write_yaml_card(original, found.content, made, notes if notes is not None else Notes())
    return dump_like(original, made)


def refuse_writing(kind: str) -> NoReturn:
    """Refuse to change a file of this format.

    Raises:
        FormatError: always, with `format`.
    """
    if kind.endswith(("_webp", "_jpeg")):
        raise FormatError(
            f"This is {KINDS[kind].title}, which is only read and not written. Export the card as JSON or as a PNG "
            "picture from the program that you use, and change that.",
            format=kind,
        )
    raise FormatError(f"This is {KINDS[kind].title} and no card that is written back.", format=kind)
