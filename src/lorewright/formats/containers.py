"""Pictures, archives and databases that hold a card, a book or a module: opened, and what is in them named."""

from __future__ import annotations

from lorewright.errors import FormatError
from lorewright.formats.archive import open_archive
from lorewright.formats.assets import list_assets
from lorewright.formats.byaf import MANIFEST, read_byaf
from lorewright.formats.charx import find_card, read_charx, read_module
from lorewright.formats.detect import Detected, name_value, refuse_kind
from lorewright.formats.exif_card import read_exif_card
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.png_card import find_png_card
from lorewright.formats.png_write import asset_chunks
from lorewright.formats.risum import read_risum
from lorewright.formats.static_knowledge import open_static_knowledge

__all__ = ["open_container"]

_OLD_CARDS = frozenset({"card_pygmalion", "card_ooba"})


def open_container(kind: str, data: bytes, notes: Notes) -> Detected | None:
    """What is in a file whose first bytes are those of `kind`; None if it holds nothing that is read.

    Raises:
        FormatError: it is damaged, over a limit, or what is in it is not read.
    """
    match kind:
        case "png":
            return _open_png(data, notes)
        case "zip" | "charx" | "charx_jpeg" | "byaf":
            return _open_archive(data, kind, notes)
        case "jpeg" | "webp":
            return _open_exif(data, kind, notes)
        case "risum":
            return Detected(kind, read_risum(data, notes), notes)
        case "sqlite":
            table = open_static_knowledge(data, notes)
            return None if table is None else Detected("static_knowledge", table, notes)
    return None


def _open_png(data: bytes, notes: Notes) -> Detected:
    keyword, card = find_png_card(data, notes)
    kind = _picture_kind(card, "png")
    parts = asset_chunks(data)
    known = set(parts)
    assets = list_assets(card, lambda path: path if path in known else "", notes)
    return Detected(kind, card, notes, assets, parts, member=keyword)


def _open_exif(data: bytes, picture: str, notes: Notes) -> Detected:
    card = read_exif_card(data, picture, notes)
    return Detected(_picture_kind(card, picture), card, notes, member="UserComment")


def _picture_kind(card: object, picture: str) -> str:
    kind = name_value(card)
    inside = f"{'card_v1' if kind in _OLD_CARDS else kind}_{picture}"
    if inside not in KINDS:
        raise FormatError(f"The card text in this picture is {KINDS[kind].title}, not a character card.", format=kind)
    return inside


def _open_archive(data: bytes, guess: str, notes: Notes) -> Detected:
    """A card in an archive. `guess` is what the bytes look like, and what a damaged archive is called."""
    is_jpeg = data.startswith(b"\xff\xd8\xff")
    try:
        archive = open_archive(data, notes)
    except FormatError as error:
        if is_jpeg and guess == "zip":
            return _open_exif(data, "jpeg", notes)
        error.facts["format"] = guess
        raise
    names = {member.name.rpartition("/")[2] for member in archive.members}
    if "data.pkl" in names:
        refuse_kind("pickle")
    parts = tuple(member.name for member in archive.members if not member.refused and not member.is_folder)
    if guess in {"charx", "charx_jpeg"} or find_card(archive) or "card.json" in {name.lower() for name in names}:
        whole = "charx_jpeg" if is_jpeg else "charx"
        card, assets = read_charx(archive, notes, whole)
        kind = name_value(card)
        if not kind.startswith("card_"):
            raise FormatError(f"`card.json` in this archive is {KINDS[kind].title}, not a character card.", format=kind)
        module = read_module(archive, card, notes)
        member = find_card(archive)
        return Detected(whole, card, notes, assets, parts, module, member.name if member else "")
    if guess == "byaf" or archive.find(MANIFEST):
        return Detected("byaf", read_byaf(archive, notes), notes, (), parts)
    if not is_jpeg:
        refuse_kind("zip")
    return _open_exif(data, "jpeg", notes)
