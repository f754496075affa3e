"""Example dialogues in a text: blocks of turns behind a separator."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.core.layout.desk import Desk
from lorewright.core.layout.examples import example_messages
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.layout.turns import Turns

__all__ = ["write_examples"]


def write_examples(desk: Desk, preset: TextPreset, turns: Turns, blocks: Sequence[Strand]) -> list[Strand]:
    """Each block with its separator; without an instruct template for examples the block as it is."""
    separator, instruct = preset.context.separator, preset.instruct
    heading = Strand()
    if separator and blocks:
        heading = desk.pen.prepare(Strand.of(Source("setting", "example_separator"), f"{separator}\n"))
    found = []
    for number, block in enumerate(blocks):
        text = Strand()
        if instruct is not None and not instruct.skips_examples:
            for message in example_messages(block, number, desk.scene, desk.defects):
                text += turns.example(message)
        elif block.text:
            text = block + Strand.of(block.sources[0], "\n")
        found.append(heading + text if text.text else block.slice(0, 0))
    return found
