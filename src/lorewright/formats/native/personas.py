"""Personas as files of ours, one in each: `NamedPersona` -> value of the file, and back; and SillyTavern's backup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from lorewright.formats.imported import Imported, Notes
from lorewright.formats.member_order import find_orders, restore_orders
from lorewright.formats.native.documents import document, open_document
from lorewright.formats.native.lens import Table, hide_object, member, show_object
from lorewright.formats.persona import PERSONA_POSITIONS, PERSONA_ROLES, NamedPersona, read_one

__all__ = ["PERSONA", "backup_value", "persona_value", "read_native_persona"]

PERSONA: Final[Table] = (
    member("text", "description", "text"),
    member("position", "position", words=PERSONA_POSITIONS),
    member("depth", "depth", "number"),
    member("role", "role", words={role: number for number, role in enumerate(PERSONA_ROLES)}),
    member("title", "title", "text"),
    member("lorebook", "lorebook", "text"),
)
_PICTURE: Final = "picture"


def persona_value(persona: NamedPersona) -> dict[str, Any]:
    """The value of our file of a persona."""
    raw = dict(persona.data)
    body = show_object(PERSONA, raw)
    orders = find_orders(raw, hide_object(PERSONA, body))
    picture = {_PICTURE: persona.picture} if persona.picture else {}
    return document("persona", persona.name, {**picture, **body}, orders)


def read_native_persona(value: object, *, stem: str = "", notes: Notes | None = None) -> Imported[NamedPersona]:
    """The persona of a parsed file; it is called after the file if it has no name.

    Raises:
        FormatError: no persona of ours, or written for a newer version.
    """
    noted = notes if notes is not None else Notes()
    name, body, origin = open_document(value, "persona", noted)
    picture = body.pop(_PICTURE, "")
    if not isinstance(picture, str):
        body[_PICTURE], picture = picture, ""
    raw = restore_orders(hide_object(PERSONA, body, noted, what="a persona"), origin)
    read = read_one(raw, name or stem, noted, picture=picture)
    return Imported(read, 1, 1, 0, noted.reports(), "native_persona")


def backup_value(personas: Iterable[NamedPersona]) -> dict[str, Any]:
    """The value of a backup as SillyTavern restores it. A persona without a picture gets the name of one."""
    names: dict[str, str] = {}
    described: dict[str, Any] = {}
    default: str | None = None
    for persona in personas:
        picture = _free(persona.picture or f"{persona.name or 'persona'}.png", names)
        names[picture] = persona.name
        described[picture] = dict(persona.data)
        default = picture if persona.is_default else default
    return {"personas": names, "persona_descriptions": described, "default_persona": default}


def _free(picture: str, taken: dict[str, str]) -> str:
    stem, dot, ending = picture.rpartition(".")
    number, free = 1, picture
    while free in taken:
        number += 1
        free = f"{stem if dot else ending}-{number}{dot}{ending if dot else ''}"
    return free
