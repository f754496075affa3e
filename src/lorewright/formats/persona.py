"""Personas: who the user is, from SillyTavern's backup or settings, from our own files, or from a plain text.

SillyTavern keeps them by the file name of their picture: names in `personas`, everything else in
`persona_descriptions` (spec prompt-assembly §2, step 12, for the positions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.layout.scene import Persona, PersonaPosition
from lorewright.errors import FormatError
from lorewright.formats.fields import read_number
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.things.scripts import text_of
from lorewright.formats.wording import describe

__all__ = [
    "PERSONA_POSITIONS",
    "PERSONA_ROLES",
    "NamedPersona",
    "choose_persona",
    "read_one",
    "read_persona_text",
    "read_personas",
]

PERSONA_POSITIONS: Final[Mapping[PersonaPosition, int]] = {
    "prompt": 0,
    "above_note": 2,
    "below_note": 3,
    "in_chat": 4,
    "none": 9,
}
PERSONA_ROLES: Final = ("system", "user", "assistant")
_AFTER_CHARACTER: Final = 1
"""An old position, which SillyTavern takes for the prompt."""
_USUAL: Final = Persona()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPersona:
    """A persona with its name, which is the user's name in a chat.

    title: a note for the user. lorebook: the name of the book that belongs to it, "" without one. picture: the file name
    of its picture, by which SillyTavern knows it. data: its members as they stand in `persona_descriptions`.
    """

    name: str
    persona: Persona = _USUAL
    title: str = ""
    lorebook: str = ""
    picture: str = ""
    is_default: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)


def read_personas(value: Mapping[str, Any], notes: Notes | None = None) -> Imported[tuple[NamedPersona, ...]]:
    """Every persona of a backup of SillyTavern's, or of the `power_user` of its settings.

    The ledger counts them; refused is what has a value that is no persona's.
    """
    noted = notes if notes is not None else Notes()
    names, described = _mapping(value, "personas", noted), _mapping(value, "persona_descriptions", noted)
    default = value.get("default_persona")
    found: list[NamedPersona] = []
    refused = 0
    for picture in dict.fromkeys((*names, *described)):
        name, raw = names.get(picture, ""), described.get(picture, {})
        if not isinstance(name, str) or not isinstance(raw, dict):
            refused += 1
            odd = name if not isinstance(name, str) else raw
            message = (
                f"The persona {picture!a} has {describe(odd)} where its name or description should be; it is not used."
            )
            noted.add("entry_not_object", message, "error", entry=picture, field="persona_descriptions")
            continue
        found.append(read_one(raw, name, noted, picture=picture, is_default=picture == default))
    return Imported(tuple(found), len(found) + refused, len(found), refused, noted.reports(), "st_personas")


def read_persona_text(text: str, name: str, notes: Notes) -> Imported[NamedPersona]:
    """A plain text as the description of a persona that is called `name`. It is not trimmed."""
    return Imported(read_one({"description": text}, name, notes), 1, 1, 0, notes.reports())


def choose_persona(personas: Imported[tuple[NamedPersona, ...]], name: str | None) -> Imported[NamedPersona]:
    """The persona that is called so or has this picture; without a name the default one, or the only one.

    Raises:
        FormatError: there is none, or several and none was named (`names`).
    """
    there = personas.value
    if name is not None:
        fitting = [one for one in there if one.name == name] or [one for one in there if one.picture == name]
    else:
        fitting = [one for one in there if one.is_default] or list(there)
    if len(fitting) != 1:
        names = tuple(dict.fromkeys(one.name or one.picture for one in fitting or there))
        listed = ", ".join(f"{one!a}"[:60] for one in names[:20]) or "none at all"
        what = "no such persona in the file" if not fitting else f"{len(fitting)} personas in the file"
        asked = f" called {name[:40]!a}" if name is not None else ""
        raise FormatError(f"There is {what}{asked}. Name one of them: {listed}.", names=names)
    return Imported(fitting[0], 1, 1, 0, personas.reports, personas.format)


def _mapping(value: Mapping[str, Any], name: str, notes: Notes) -> Mapping[str, Any]:
    given = value.get(name)
    if given is not None and not isinstance(given, dict):
        notes.add("bad_value", f"`{name}` holds {describe(given)}, not an object; it is kept unread.", field=name)
    return given if isinstance(given, dict) else {}


def read_one(
    raw: Mapping[str, Any], name: str, notes: Notes, *, picture: str = "", is_default: bool = False
) -> NamedPersona:
    """A persona from the members that SillyTavern keeps of it. What has a wrong type is as in a new persona."""
    shown = picture or name
    depth = read_number(raw.get("depth"))
    return NamedPersona(
        name=name,
        persona=Persona(
            text=text_of(raw.get("description")),
            position=_position(raw.get("position", 0), shown, notes),
            depth=depth if isinstance(depth, (int, float)) else _USUAL.depth,
            role=_role(raw.get("role", 0), shown, notes),
        ),
        title=text_of(raw.get("title")),
        lorebook=text_of(raw.get("lorebook")),
        picture=picture,
        is_default=is_default,
        data=raw,
    )


def _position(value: object, picture: str, notes: Notes) -> PersonaPosition:
    if type(value) in {int, float}:
        for position, number in PERSONA_POSITIONS.items():
            if number == value:
                return position
        if value == _AFTER_CHARACTER:
            return "prompt"
    _note_odd("position", value, picture, notes, "it stands in the prompt")
    return "prompt"


def _role(value: object, picture: str, notes: Notes) -> str:
    if value is None:
        return _USUAL.role
    if type(value) is int and value in range(len(PERSONA_ROLES)):
        return PERSONA_ROLES[value]
    _note_odd("role", value, picture, notes, "it speaks as the system")
    return _USUAL.role


def _note_odd(name: str, value: object, picture: str, notes: Notes, effect: str) -> None:
    message = f"The persona {picture!a} has {describe(value)} as its {name}; {effect}."
    notes.add("bad_value", message, entry=picture, field=name)
