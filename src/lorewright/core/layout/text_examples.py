"""Example dialogues in a text: blocks of turns behind a separator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.core.layout.defects import Defects
from lorewright.core.layout.examples import example_messages
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.layout.turns import Turns

__all__ = ["Examples"]


@dataclass(frozen=True, slots=True)
class Examples:
    """Writes the blocks of one prompt."""

    scene: Scene
    preset: TextPreset
    turns: Turns
    pen: Pen
    defects: Defects

    def write(self, blocks: Sequence[Strand]) -> list[Strand]:
        """Each block with its separator; without an instruct template for examples the block as it is."""
        separator = self.preset.context.separator
        heading = Strand()
        if separator and blocks:
            heading = self.pen.prepare(Strand.of(Source("setting", "example_separator"), f"{separator}\n"))
        instruct = self.preset.instruct
        if instruct is None or instruct.skips_examples:
            return [heading + block + _break(block) if block.text else block for block in blocks]
        return [self._instructed(heading, block, number) for number, block in enumerate(blocks)]

    def _instructed(self, heading: Strand, block: Strand, number: int) -> Strand:
        found = Strand()
        for message in example_messages(block, number, self.scene, self.defects):
            found += self.turns.example(message)
        return heading + found if found.text else block.slice(0, 0)


def _break(block: Strand) -> Strand:
    return Strand.of(block.sources[0], "\n")
