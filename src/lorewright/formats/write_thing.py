"""Presets, cards and personas into files: our own format, and back into the one that they came from.

A book in a card has a writer for every format (`formats/write.py`); these have two, since no program reads another's
presets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.model import Book, Report
from lorewright.errors import FormatError
from lorewright.formats.card import Card, read_card_value
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.lost_gates import find_lost_gates, has_gates
from lorewright.formats.native.cards import as_version, card_format, card_value
from lorewright.formats.native.documents import document_text
from lorewright.formats.native.personas import backup_value, persona_value
from lorewright.formats.native.presets import preset_value
from lorewright.formats.native.thing_tables import PRESET_FORMATS
from lorewright.formats.native.write import Form, as_json
from lorewright.formats.opened import Opened
from lorewright.formats.persona import NamedPersona, choose_persona
from lorewright.formats.read import read_card, read_personas, read_thing
from lorewright.formats.things.reader import write_thing
from lorewright.formats.things.thing import Thing

__all__ = ["ORIGIN", "WrittenThing", "card_file", "convert_thing", "persona_file", "preset_file", "thing_format"]

ORIGIN: Final = "origin"
"""In place of a format: the one from which a file of ours was imported."""
CARD_FORMATS: Final = ("card_v1", "card_v2", "card_v3", "card_newer")
_PERSONAS: Final = ("native_persona", "st_personas")


@dataclass(frozen=True, slots=True)
class WrittenThing:
    """The bytes of a file, its format, how many parts (prompts, entries, personas) were read, and what is not in it."""

    data: bytes
    format: str
    parts: int
    reports: tuple[Report, ...] = ()


def thing_format(kind: str, to: str | None, ending: str) -> str | None:
    """As what `convert_thing` writes a file of the format `kind`; None if that is a matter of its book.

    `to` is the format that somebody asked for, else the ending of the new file's name says whether it shall be ours.
    """
    by_name = "native" if ending in {".yaml", ".yml"} else ORIGIN
    if "card" not in KINDS[kind].reads:
        return (to or by_name) if kind in {"native_preset", *PRESET_FORMATS, *_PERSONAS} else None
    if kind == "native_card" and to is None:
        return by_name if ending in {".yaml", ".yml", ".json"} else None
    return to if to == "native_card" or (kind == "native_card" and to in {ORIGIN, *CARD_FORMATS}) else None


def preset_file(thing: Thing, form: Form = "yaml", *, with_secrets: bool = False) -> bytes:
    """A file of ours. Raises `FormatError` for what is no preset."""
    kept = replace(thing, value=write_thing(thing, strip_sensitive=not with_secrets))
    return document_text(preset_value(kept), form).encode()


def card_file(card: Card, book: Book | None = None, form: Form = "yaml") -> bytes:
    """A file of ours. `book` stands in it in place of the card's own."""
    return document_text(card_value(card, book), form).encode()


def persona_file(persona: NamedPersona, form: Form = "yaml") -> bytes:
    """A file of ours."""
    return document_text(persona_value(persona), form).encode()


def convert_thing(file: Opened, to: str, form: Form = "yaml", *, with_secrets: bool = False) -> WrittenThing:
    """A recognised file as `to`: `native` or the id of a format of ours, which is written in this form; `origin` or the
    id of the one that it was imported from. Addresses and keys are left out unless they are wanted.

    Raises:
        FormatError: it cannot be written so (`writes`: the formats that can be).
    """
    kind = file.found.format
    if "card" in KINDS[kind].reads:
        return _convert_card(file, to, form)
    if kind in _PERSONAS:
        return _convert_personas(file, to, form)
    read = read_thing(file)
    wanted = _wanted(to, kind, ("native_preset", read.value.kind))
    notes = Notes(read.value.name)
    value = write_thing(read.value, strip_sensitive=not with_secrets, notes=notes)
    if wanted == "native_preset":
        data = preset_file(replace(read.value, value=value), form, with_secrets=True)
    else:
        data = json_bytes(value)
    return WrittenThing(data, wanted, read.kept, notes.reports())


def _convert_card(file: Opened, to: str, form: Form) -> WrittenThing:
    read = read_card(file)
    value = card_value(read.value)
    wanted = _wanted(to, file.found.format, ("native_card", card_format(value)), CARD_FORMATS)
    if wanted == "native_card":
        return WrittenThing(document_text(value, form).encode(), wanted, read.kept)
    raw = as_version(read.value.data, wanted)
    return WrittenThing(json_bytes(raw), wanted, read.kept, _lost_gates(read.value.book, raw))


def _lost_gates(book: Book | None, raw: Mapping[str, Any]) -> tuple[Report, ...]:
    """What a reader of the JSON of a card is told too early."""
    if book is None or not has_gates(book):
        return ()
    again = read_card_value(dict(raw)).value.book
    return tuple(find_lost_gates(book, again if again is not None else replace(book, entries=())))


def _convert_personas(file: Opened, to: str, form: Form) -> WrittenThing:
    read = read_personas(file)
    wanted = _wanted(to, file.found.format, _PERSONAS)
    if wanted == "st_personas":
        return WrittenThing(json_bytes(backup_value(read.value)), wanted, read.kept)
    return WrittenThing(persona_file(choose_persona(read, None).value, form), wanted, 1)


def _wanted(to: str, kind: str, known: tuple[str, str], more: tuple[str, ...] = ()) -> str:
    wanted = {"native": known[0], ORIGIN: known[1]}.get(to, to)
    if wanted not in {*known, *more}:
        raise FormatError(
            f"This is {KINDS[kind].title}; it can be written as {' or '.join(f'`{one}`' for one in (*known, *more))}, not "
            f"as `{wanted}`.",
            format=kind,
            writes=(*known, *more),
        )
    return wanted


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """Indented JSON as UTF-8; what UTF-8 or JSON lack is written with escapes, or as a number that is too large."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=4, allow_nan=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=4).encode()
    except ValueError:
        return as_json(value).encode()
