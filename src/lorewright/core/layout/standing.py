"""What stands of a prompt when it is laid out again, and what is to stand of it later (ADR 0035).

Before the chat stands what was laid out when the conversation began; in the chat our texts stand at the messages at which
they were placed; behind it stands what comes and goes. If the context is full, many messages leave at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.chain import hash_parts
from lorewright.core.layout.strand import Bit, Source, Strand
from lorewright.core.memo import ANEW, Memo
from lorewright.core.place import Text
from lorewright.core.record import KeptMessage, Record

__all__ = ["LORE_MARKERS", "NeedsRoom", "Standing", "keep", "strand_of"]

LORE_MARKERS: Final = ("worldInfoBefore", "worldInfoAfter")
"""What stands there are records, which are kept by themselves."""
_QUOTED: Final = 40
_REPLACES: Final = "[This replaces the earlier note that begins “{}”.]\n"
_ENDS: Final = "[The earlier note that begins “{}” does not hold any longer.]"


class NeedsRoom(Exception):
    """What stands does not fit any more. first: the place of the first message that shall be left; None: it is enough that
    the example dialogues leave."""

    def __init__(self, first: int | None) -> None:
        super().__init__("examples" if first is None else str(first))
        self.first = first


@dataclass(slots=True, kw_only=True)
class Standing:
    """What stands.

    kept: the messages before the chat, by slot; None when the conversation begins. records: our texts at messages, by place in
    the scene's chat. passing: lore of this turn only. first: the place of the first message that is sent; without_examples:
    they have left to make room. change: what entries make of a text before the chat, which is named by its slot; None: no
    entry changes any. memo: keeps what was made in earlier turns.
    """

    kept: Mapping[str, Sequence[KeptMessage]] | None = None
    records: Mapping[int, Sequence[Record]] = field(default_factory=dict)
    passing: Sequence[Text] = ()
    first: int = 0
    without_examples: bool = False
    change: Callable[[str, str], str] | None = None
    memo: Memo = ANEW

    def restore(self, slot: str, content: Strand) -> tuple[Strand, Strand | None]:
        """What stands in a slot before the chat, and what has to be said behind it since it is another text now."""
        if self.kept is None or slot in LORE_MARKERS:
            return content, None
        old = next(iter(self.kept.get(slot, ())), None)
        if old is None:
            return content.slice(0, 0), content if content.text else None
        if not old.parts:
            return content, None
        stands = self.memo.once(strand_of, old)
        if stands.bits == content.bits:
            return content, None
        return stands, None if stands.text == content.text else _renewed(stands, content)

    def changed(self, slot: str, content: Strand) -> Strand:
        """A text before the chat as it is sent in this turn."""
        change = self.change
        return content if change is None else content.mapped(lambda text: change(slot, text))


def _renewed(stands: Strand, now: Strand) -> Strand:
    words = " ".join(stands.text.split())
    begins = words if len(words) <= _QUOTED else f"{words[:_QUOTED].rstrip()}…"
    if now.text:
        return now.prefixed(_REPLACES.format(begins))
    return Strand.of(stands.sources[0], _ENDS.format(begins), rendered=True)


def strand_of(message: KeptMessage) -> Strand:
    """The text of a kept message with its sources."""
    bits = ((tuple(Source(*_known(source)) for source in sources), text) for sources, text in message.parts)
    return Strand(tuple(Bit(sources, text, rendered=True) for sources, text in bits))


def _known(source: Any) -> Any:
    return source


def keep(slot: str, name: str | None, role: str, speaker: str, content: Strand) -> KeptMessage:
    """A message before the chat as it is kept; of one with lore in it, whose words may have to leave, only the hash."""
    has_lore = any(source.kind == "entry" for source in content.sources)
    parts = () if has_lore else tuple((tuple((s.kind, s.id) for s in bit.sources), bit.text) for bit in content.bits)
    return KeptMessage(slot=slot, role=role, source=hash_parts((content.text,)), id=name, name=speaker, parts=parts)
