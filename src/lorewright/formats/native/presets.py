"""Presets and templates as files of ours: `Thing` -> value of the file, and back.

Whatever a foreign file holds comes back from ours as it was, the order of its members included.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.member_order import find_orders, restore_orders
from lorewright.formats.native.documents import document, open_document, without_places
from lorewright.formats.native.lens import EXTRA, hide_object, show_object
from lorewright.formats.native.thing_tables import PRESET_FORMATS, SECTIONS, native_names
from lorewright.formats.things.reader import read_thing_value
from lorewright.formats.things.thing import Thing

__all__ = ["preset_value", "read_native_preset"]

_FORMAT: Final = "format"


def preset_value(thing: Thing) -> dict[str, Any]:
    """The value of our file of a preset or template. Addresses and keys are the caller's affair.

    Raises:
        FormatError: it is something else (a regex script, quick replies).
    """
    table = PRESET_FORMATS.get(thing.kind)
    if table is None or not isinstance(thing.value, dict):
        raise FormatError(
            f"{KINDS[thing.kind].title} is no preset, so there is no file of ours for it.", format=thing.kind
        )
    body = show_object(table, thing.value)
    orders = find_orders(thing.value, hide_object(table, body))
    return document("preset", thing.name, body, {_FORMAT: thing.kind, **orders})


def read_native_preset(
    value: object, *, name: str | None = None, stem: str = "", notes: Notes | None = None, regexes: Any = None
) -> Imported[Thing]:
    """The parsed file as the thing that it was imported from; one written by hand is a preset of SillyTavern.

    Raises:
        FormatError: no preset of ours, written for a newer version, or made of what no preset is made of.
    """
    noted = notes if notes is not None else Notes()
    own, body, origin = open_document(value, "preset", noted)
    kind = _format_of(body, origin)
    made = hide_object(PRESET_FORMATS[kind], body, noted, what="a preset")
    raw = restore_orders(made, origin)
    if kind == "st_prompt_export" and not isinstance(raw.setdefault("data", {}), dict):
        raise FormatError("`data` in the `extra` of this preset is no mapping, so there are no prompts in it.")
    read = read_thing_value(kind, raw, name=name if name is not None else own or stem, regexes=regexes)
    return replace(read, reports=(*noted.reports(), *without_places(read.reports)))


def _format_of(body: dict[str, Any], origin: Any) -> str:
    kind = origin.get(_FORMAT)
    if kind is not None:
        if kind not in PRESET_FORMATS:
            known = ", ".join(PRESET_FORMATS)
            raise FormatError(f"`origin` names the format {kind!a}, which no preset has. Known are: {known}.")
        return str(kind)
    there = [name for name in SECTIONS if name in body]
    if not there or any(name in body for name in native_names("st_preset_chat")):
        return "st_preset_chat"
    return SECTIONS[there[0]] if len(there) == 1 and EXTRA not in body else "st_master_export"
