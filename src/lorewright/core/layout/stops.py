"""Where a reply of a text completion ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lorewright.core.javascript import trim
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.layout.text_preset import Instruct, SequenceName, TextPreset

__all__ = ["stop_strings"]

_PREFIXES: Final[tuple[SequenceName, ...]] = (
    "input_sequence",
    "output_sequence",
    "first_output_sequence",
    "last_output_sequence",
    "system_sequence",
    "last_system_sequence",
)


def stop_strings(preset: TextPreset, scene: Scene, pen: Pen) -> tuple[str, ...]:
    """The texts at which the reply ends, each once; names and separators where they begin a line."""
    found = ["\n"] if preset.context.single_line else []
    found += [
        *_names(preset, scene),
        *_sequences(preset.instruct, scene, pen),
        *_separators(preset, pen),
        *preset.stops,
    ]
    return tuple(dict.fromkeys(filter(None, found)))


def _names(preset: TextPreset, scene: Scene) -> Iterator[str]:
    if not preset.context.names_stop:
        return
    own = scene.user if scene.trigger == "impersonate" else scene.card.name
    members = [card.name for card in scene.group.members] if scene.group else []
    others = [scene.user, scene.card.name, *members]
    yield from (f"\n{name}:" for name in others if name and name != own)


def _sequences(instruct: Instruct | None, scene: Scene, pen: Pen) -> Iterator[str]:
    """The stop sequence, and each line of the sequences before turns."""
    if instruct is None:
        return
    names = {"input": scene.user, "output": scene.card.name, "system": "System"}
    yield from _stops("stop_sequence", instruct, "", pen)
    if instruct.sequences_stop:
        for key in _PREFIXES:
            side = next(side for side in names if side in key)
            yield from _stops(key, instruct, names[side], pen)


def _stops(key: SequenceName, instruct: Instruct, name: str, pen: Pen) -> Iterator[str]:
    text = instruct.sequences.get(key, "")
    if instruct.has_macros:
        text = pen.prepare(Strand.of(Source("setting", key), text), extra={"name": name}).text
    for line in [text] if key == "stop_sequence" else text.split("\n"):
        if trim(line):
            yield f"\n{line}" if instruct.wraps else line


def _separators(preset: TextPreset, pen: Pen) -> Iterator[str]:
    if not preset.context.separators_stop:
        return
    for name, text in (("chat_start", preset.context.chat_start), ("example_separator", preset.context.separator)):
        if text:
            yield "\n" + pen.prepare(Strand.of(Source("setting", name), text)).text
