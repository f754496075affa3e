"""Messages of a task's prompt, and who their text belongs to (spec mvu-filter §9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.core.javascript import WHITE_SPACE, trim
from lorewright.tasks.host_rules import TextSource
from lorewright.tasks.profile import Block

__all__ = [
    "INPUT_FIELDS",
    "LORE_KEYS",
    "REGEX_SOURCES",
    "Origin",
    "RenderedBlock",
    "TaskMessage",
    "origin_of",
    "shows_lore",
]

Origin = Literal["template-owned", "host-injected", "world-info-rendered"]
"""Who wrote a text: the profile, the host, or a book. What the profile says itself is never sanitised."""

LORE_KEYS: Final = (
    "worldInfoBefore",
    "worldInfoAfter",
    "worldInfoBeforeEntries",
    "worldInfoAfterEntries",
    "worldInfoAtDepthEntries",
    "activatedWorldInfoNames",
    "taskAdditionalMessages",
)
"""The values of the context that come from books."""
INPUT_FIELDS: Final = (
    "userMessage",
    "recentMessages",
    "chatMessages",
    "dialogueText",
    "candidateText",
    "candidateNodes",
    "nodeContent",
    "eventSummary",
    "characterSummary",
    "threadSummary",
    "contradictionSummary",
    "charDescription",
    "userPersona",
)
"""The values of the context that the host gives; all others are taken as they are."""
REGEX_SOURCES: Final[Mapping[str, TextSource]] = {
    field: "user_input" if field in {"userMessage", "userPersona"} else "ai_output" for field in INPUT_FIELDS
}
"""For which texts of the host's own regex scripts a field counts."""

_SPACES: Final = f"[{WHITE_SPACE}]*"
_SHOWS_LORE: Final = re.compile(rf"\{{\{{{_SPACES}(?:{'|'.join(LORE_KEYS)}){_SPACES}\}}\}}")


@dataclass(frozen=True, slots=True)
class RenderedBlock:
    """A block and what it shows; from_lore: something of a book is in it."""

    block: Block
    content: str
    origin: Origin
    from_lore: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMessage:
    """A message as it is sent, and where it comes from.

    source_key: the value that it shows. eligible: it is sanitised before it is sent, if its text is not the profile's
    own. depth and order are those of a book's text at a depth. section: which part of a transcript it is.
    """

    role: str
    content: str
    source: str = "profile-block"
    source_key: str = ""
    block: Block | None = None
    origin: Origin = "template-owned"
    eligible: bool = False
    from_lore: bool = False
    depth: float | None = None
    order: float = 0
    section: Literal["", "context", "target"] = ""

    @property
    def is_lore(self) -> bool:
        """Whether something of a book is in it."""
        return self.from_lore or self.source_key in LORE_KEYS or self.source == "worldInfo-atDepth"


def shows_lore(block: Block) -> bool:
    """Whether a block shows something of a book, by its key or inside its own text."""
    return block.source_key in LORE_KEYS or _SHOWS_LORE.search(block.content) is not None


def origin_of(block: Block) -> Origin:
    """Whose text a block shows: its own, unless it shows nothing but a value."""
    if block.type != "builtin" or trim(block.content):
        return "template-owned"
    key = trim(block.source_key)
    if key in LORE_KEYS:
        return "world-info-rendered"
    return "host-injected" if key in INPUT_FIELDS else "template-owned"
