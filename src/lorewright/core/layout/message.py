"""The final messages, and whose every character in them is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lorewright.core.layout.draft import Costs, Draft
from lorewright.core.layout.reasons import AtMessage, InHistory, Stands
from lorewright.core.layout.strand import Source, Strand

__all__ = ["Block", "LaidMessage", "blocks_of", "lay_message"]


class Block(NamedTuple):
    """A part of a message: where it comes from, why it stands here, and what it takes.

    It has several sources where macros ran over their joined texts. A line feed between two parts belongs to the one
    behind it. tokens: of this text alone.
    """

    sources: tuple[Source, ...]
    text: str
    why: Stands
    tokens: int


@dataclass(frozen=True, slots=True)
class LaidMessage:
    """A message to send. `id` is the name that SillyTavern has for it, which is not sent; of merged messages that of the
    first, None for one that nobody names. `place`: in the scene's chat, of one that is a message of it, or stands at one."""

    role: str
    name: str
    id: str | None
    blocks: tuple[Block, ...]
    place: int | None = None

    @property
    def content(self) -> str:
        """The text to send."""
        return "".join(block.text for block in self.blocks)


def lay_message(at: int, drafts: Sequence[Draft], costs: Costs) -> LaidMessage:
    """One message of one or more in the making, wherever it stands."""
    del at
    blocks: list[Block] = []
    for draft in drafts:
        found = blocks_of(draft.content.prefixed("\n") if blocks else draft.content, draft.why, costs)
        blocks += [_told_from_message(block, draft.place) for block in found]
    first = drafts[0]
    return LaidMessage(first.role, first.name, first.id, tuple(blocks), first.place if len(drafts) == 1 else None)


def _told_from_message(block: Block, place: int | None) -> Block:
    """Lore inside a message of the chat stands at it; it is not the message."""
    is_inside = isinstance(block.why, InHistory) and all(source.kind == "entry" for source in block.sources)
    return block._replace(why=AtMessage(place)) if is_inside and place is not None else block


def blocks_of(content: Strand, why: Stands, costs: Costs) -> list[Block]:
    """The blocks of a text that stands in one place."""
    return [Block(sources, text, why, costs.count(text)) for sources, text, _ in content.merged().bits if text]
