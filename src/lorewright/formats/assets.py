"""The assets that a V3 card names, and where they are. They are listed, never decoded and never fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.formats.imported import Notes

__all__ = ["Asset", "list_assets"]

_EMBEDDED: Final = ("embeded://", "embedded://")
"""The misspelt scheme is the one of the specification."""
_CHUNK: Final = "__asset:"
_ASSETS: Final = 5_000
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Asset:
    """One line of `assets`. `place` is the member or chunk of the file that holds it, or "" for one that is elsewhere."""

    type: str
    name: str
    uri: str
    ext: str
    place: str = ""


def list_assets(card: Mapping[str, Any], find: Callable[[str], str], notes: Notes) -> tuple[Asset, ...]:
    """The assets of a card's JSON. `find` gives the place in the file for a path, or ""."""
    data = card.get("data")
    listed = data.get("assets") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        return ()
    return tuple(_read(item, at, find, notes) for at, item in enumerate(listed[:_ASSETS]) if isinstance(item, dict))


def _read(item: Mapping[str, Any], at: int, find: Callable[[str], str], notes: Notes) -> Asset:
    kind, name, uri, ext = (
        value if isinstance(value := item.get(n), str) else "" for n in ("type", "name", "uri", "ext")
    )
    path = _path(uri)
    place = find(path) if path else ""
    if path and not place:
        shown = ascii(f"{kind}/{name}"[:_SHOWN])[1:-1]
        message = f"The asset `{shown}` of the card is not in the file, or may not be read."
        notes.add("asset_missing", message, place=f"/data/assets/{at}/uri")
    return Asset(kind, name, uri[:_SHOWN] if uri.startswith("data:") else uri, ext, place)


def _path(uri: str) -> str:
    """What is to be looked for in the file, or "" for an asset that is not in it."""
    lowered = uri[:20].lower()
    for scheme in (*_EMBEDDED, _CHUNK):
        if lowered.startswith(scheme):
            return uri[len(scheme) :]
    return ""
