"""A file -> the personas in it. Unlike other readers this one takes any text, and SillyTavern's settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from lorewright.formats.detect import detect
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.magic import name_binary
from lorewright.formats.native.personas import read_native_persona
from lorewright.formats.native.read import is_native_yaml
from lorewright.formats.opened import Opened, Source, open_for, read_source
from lorewright.formats.persona import NamedPersona, read_persona_text, read_personas
from lorewright.formats.shapes import name_json
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text, peek_text

__all__ = ["read_persona_file"]

_JSON: Final = "{["


def read_persona_file(source: Source) -> Imported[tuple[NamedPersona, ...]]:
    """Every persona of a file.

    Raises:
        FormatError: it cannot be opened, is too large, empty, or of a format that has no persona in it.
    """
    if isinstance(source, Opened):
        return _read_opened(source)
    name, where, data = read_source(source)
    head = peek_text(data).lstrip(" \t\r\n\0")
    if not head or name_binary(data) or is_native_yaml(head):
        return _read_opened(Opened(name, detect(data, where)))
    if head[0] in _JSON:
        return _read_settings(data) or _read_opened(Opened(name, detect(data, where)))
    notes = Notes()
    return _alone(read_persona_text(decode_text(data, notes), Path(name).stem, notes))


def _read_settings(data: bytes) -> Imported[tuple[NamedPersona, ...]] | None:
    """The personas of SillyTavern's settings, and of nothing else. Whoever imports files is refused these, since they
    hold keys; a persona has none."""
    notes = Notes()
    value = parse_json(decode_text(data, notes), notes)
    if not isinstance(value, dict) or name_json(value) != "st_settings":
        return None
    inner = value.get("power_user")
    return replace(read_personas(inner if isinstance(inner, dict) else {}, notes), format="st_settings")


def _read_opened(source: Opened) -> Imported[tuple[NamedPersona, ...]]:
    file = open_for(source, "persona")
    if file.found.format == "native_persona":
        return _alone(read_native_persona(file.found.content, stem=file.stem, notes=file.found.notes))
    return read_personas(file.found.content, file.found.notes)


def _alone(read: Imported[NamedPersona]) -> Imported[tuple[NamedPersona, ...]]:
    return Imported((read.value,), read.found, read.kept, read.refused, read.reports, read.format)
