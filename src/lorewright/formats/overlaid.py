"""A preset, a card or a persona with the changes that lie beside it, as a file that every reader takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lorewright.errors import FormatError
from lorewright.formats.detect import Detected
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.native.cards import card_value
from lorewright.formats.native.changes import lay_changes
from lorewright.formats.native.kinds import name_document
from lorewright.formats.native.personas import persona_value
from lorewright.formats.native.presets import preset_value
from lorewright.formats.opened import Opened, Source, open_file
from lorewright.formats.read import read_card, read_persona, read_thing

__all__ = ["overlaid"]


def overlaid(source: Source, overlays: Iterable[Source]) -> Opened:
    """The file with the changes of others, one after the other: `read_preset(overlaid("preset.json", ["mine.yaml"]))`.

    The base may be of any format that has one of ours beside it, the changes are files of ours. Nothing is written.

    Raises:
        FormatError: a file cannot be opened, or is not of a kind with the base.
    """
    base = open_file(source)
    value = _native(base)
    notes = Notes()
    for overlay in overlays:
        changes = open_file(overlay).found
        notes.include(changes.notes)
        value = lay_changes(value, changes.content if isinstance(changes.content, dict) else {}, notes)
    return replace(base, found=Detected(name_document(value), value, notes))


def _native(file: Opened) -> dict[str, Any]:
    """The value of the file in our format."""
    content = file.found.content
    if name_document(content):
        return dict(content)
    reads = KINDS[file.found.format].reads
    if "card" in reads:
        return card_value(read_card(file).value)
    if "persona" in reads:
        return persona_value(read_persona(file).value)
    if "thing" in reads:
        return preset_value(read_thing(file).value)
    raise FormatError(f"{KINDS[file.found.format].title} is no preset, card or persona.", format=file.found.format)
