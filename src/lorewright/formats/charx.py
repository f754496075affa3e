"""CHARX: a V3 card in a ZIP archive, alone or behind a JPEG picture (spec formats §3.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.archive import Archive, Member, open_archive, replace_member
from lorewright.formats.assets import Asset, list_assets
from lorewright.formats.imported import Notes
from lorewright.formats.json_layout import dump_json, dump_like
from lorewright.formats.risum import Risum, read_risum
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text

__all__ = ["find_card", "read_charx", "read_json_member", "read_module", "write_charx", "write_module"]

_CARD: Final = "card.json"
_MODULE: Final = "module.risum"


def find_card(archive: Archive) -> Member | None:
    """`card.json`: at the root by its exact name, else in any case, else in one folder around everything."""
    usable = [member for member in archive.members if not member.refused]
    exact = next((member for member in usable if member.name == _CARD), None)
    in_any_case = next((member for member in usable if member.name.lower() == _CARD), None)
    if exact or in_any_case:
        return exact or in_any_case
    tops = {member.name.split("/")[0] for member in usable}
    wrapped = (member for member in usable if member.name.lower().split("/")[1:] == [_CARD])
    return next(wrapped, None) if len(tops) == 1 else None


def read_charx(archive: Archive, notes: Notes, kind: str = "charx") -> tuple[Mapping[str, Any], tuple[Asset, ...]]:
    """The JSON object of the card, and its assets. `kind` is the format named in an error.

    Raises:
        FormatError: no card in the archive, or one that cannot be read.
    """
    member = find_card(archive)
    if member is None:
        refused = next((one for one in archive.members if one.name.lower() == _CARD), None)
        why = f"may not be read ({refused.refused})" if refused else "is missing"
        raise FormatError(f"The file `card.json` in this archive {why}.", format=kind)
    if member.name != _CARD:
        notes.add("charx_card_moved", "The card is not called `card.json` at the top of the archive; it is used.")
    value = read_json_member(archive, member, notes)
    folder = member.name[: -len(_CARD)]

    def find(path: str) -> str:
        found = archive.find(folder + path)
        return found.name if found else ""

    return value, list_assets(value, find, notes)


def read_json_member(archive: Archive, member: Member, notes: Notes) -> dict[str, Any]:
    """The JSON object in a member.

    Raises:
        FormatError: it cannot be read, or is no JSON object.
    """
    try:
        value = parse_json(decode_text(archive.read(member), notes), notes)
    except FormatError as error:
        error.facts.setdefault("member", member.name)
        raise
    if not isinstance(value, dict):
        raise FormatError(f"The file {member.name!a} in this archive holds no JSON object.", member=member.name)
    return value


def _find_module(archive: Archive) -> Member | None:
    member = find_card(archive)
    return archive.find(member.name[: -len(_CARD)] + _MODULE) if member else None


def read_module(archive: Archive, card: Mapping[str, Any], notes: Notes) -> Risum | None:
    """RisuAI's `module.risum` beside the card, whose lorebook wins over that of the card."""
    module = _find_module(archive)
    if module is None:
        return None
    try:
        opened = read_risum(archive.read(module), notes)
    except FormatError as error:
        notes.add(
            "charx_module_overrides_book",
            f"The archive holds `module.risum`, which cannot be read ({error.message.rstrip('.')}). RisuAI would use "
            "its lorebook; the book in the card is used, and may be old.",
        )
        return None
    data = card.get("data")
    is_hidden = isinstance(data, dict) and bool(data.get("character_book"))
    notes.add(
        "charx_module_overrides_book",
        "The lorebook in `module.risum` is used, as in RisuAI."
        + (" The book in the card is kept but not used." if is_hidden else ""),
    )
    return opened


def write_charx(original: bytes, data: Mapping[str, Any]) -> bytes:
    """The same archive with another card in it; everything else stays byte for byte.

    An archive whose card is the same already is given back as it is.

    Raises:
        FormatError: the archive cannot be read, or the card is no JSON.
    """
    archive = open_archive(original, Notes())
    member = find_card(archive)
    if member is None:
        raise FormatError("This archive holds no `card.json` that could be replaced.", format="zip")
    if dump_json(read_json_member(archive, member, Notes())) == dump_json(data):
        return original
    return replace_member(original, member.name, dump_like(archive.read(member), data))


def write_module(original: bytes, module: bytes) -> bytes:
    """The same archive with another `module.risum` beside the card; everything else stays byte for byte.

    Raises:
        FormatError: the archive holds none.
    """
    archive = open_archive(original, Notes())
    member = _find_module(archive)
    if member is None:
        raise FormatError("This archive holds no `module.risum` that could be replaced.", format="zip")
    return replace_member(original, member.name, module)
