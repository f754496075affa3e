"""The final messages, and whose every character in them is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from lorewright.core.layout.draft import Costs, Draft
from lorewright.core.layout.reasons import AtMessage, InHistory, Stands
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.memo import Memo

__all__ = ["BLOCKS", "Block", "LaidMessage", "blocks_of", "lay_messages", "lay_runs", "sources_of"]


BLOCKS: Final = attrgetter("blocks")


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


def lay_messages(drafts: Sequence[Draft], costs: Costs) -> tuple[LaidMessage, ...]:
    """A message of each in the making; an empty one has no blocks. Those of the chat are known from earlier turns, all but
    the newest; those of the preset mostly are."""
    said = [draft for draft in drafts if draft.place is not None]
    laid = costs.memo.each(_lay_said, said, costs)
    if len(said) < len(drafts):
        ours = costs.memo.each(_lay_own, [draft for draft in drafts if draft.place is None], costs)
        known, own = iter(laid), iter(ours)
        laid = tuple([next(own) if draft.place is None else next(known) for draft in drafts])
    return laid


def lay_runs(runs: Sequence[Sequence[Draft]], costs: Costs) -> list[LaidMessage]:
    """The same of those that become one message; none is empty."""
    alone = iter(lay_messages([run[0] for run in runs if len(run) == 1], costs))
    return [next(alone) if len(run) == 1 else _lay_run(run, costs) for run in runs]


def _lay_said(at: int, draft: Draft, costs: Costs) -> LaidMessage:
    del at
    return _lay_run((draft,), costs)


def _lay_own(at: int, draft: Draft, costs: Costs) -> LaidMessage:
    """The same; apart from it, since the texts of a preset change where the chat does not."""
    del at
    return _lay_run((draft,), costs)


def _lay_run(drafts: Sequence[Draft], costs: Costs) -> LaidMessage:
    blocks: list[Block] = []
    for draft in drafts:
        found = blocks_of(draft.content.prefixed("\n") if blocks else draft.content, draft.why, costs)
        blocks += [_told_from_message(block, draft.place) for block in found]
    first = drafts[0]
    return LaidMessage(first.role, first.name, first.id, tuple(blocks), first.place if len(drafts) == 1 else None)


def sources_of(messages: Sequence[LaidMessage], memo: Memo) -> tuple[Iterable[Source], Sequence[Source]]:
    """Whose texts these messages are: the sources of all but the messages of the chat, and those, in their order."""
    said = [message for message in messages if message.place is not None]
    own = [message for message in messages if message.place is None] if len(said) < len(messages) else []
    ours = (source for message in own for block in message.blocks for source in block.sources)
    inside, chat = memo.each(_sources_beside, said), memo.each(_sources_of_chat, said)
    return chain(ours, chain.from_iterable(inside)), list(chain.from_iterable(chat))


def _sources_beside(at: int, message: LaidMessage) -> Sequence[Source]:
    del at
    return tuple(source for block in message.blocks for source in block.sources if source.kind != "message")


def _sources_of_chat(at: int, message: LaidMessage) -> Sequence[Source]:
    del at
    return tuple(source for block in message.blocks for source in block.sources if source.kind == "message")


def _told_from_message(block: Block, place: int | None) -> Block:
    """Lore inside a message of the chat stands at it; it is not the message."""
    is_inside = isinstance(block.why, InHistory) and all(source.kind == "entry" for source in block.sources)
    return block._replace(why=AtMessage(place)) if is_inside and place is not None else block


def blocks_of(content: Strand, why: Stands, costs: Costs) -> list[Block]:
    """The blocks of a text that stands in one place."""
    return [Block(sources, text, why, costs.count(text)) for sources, text, _ in content.merged().bits if text]
