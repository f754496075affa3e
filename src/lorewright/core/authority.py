"""How far a piece of lore can be relied on: tiers, marks, ranking, labels (DESIGN §7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, get_args

from lorewright.core.model import Field

__all__ = [
    "CONSTRAINTS",
    "DISCOUNTED",
    "LABELS",
    "MARKS",
    "TIERS",
    "USUAL_WEIGHT",
    "Standing",
    "Tier",
    "constraint_for",
    "label_text",
    "outranks",
    "read_mark",
    "tier_of",
    "without_label",
]

Tier = Literal["canon", "session", "observed", "authored", "unverified", "proposal"]
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
"""High to low."""

MARKS: Final[dict[str, Tier]] = {
    **{tier: tier for tier in TIERS},
    "正典": "canon",
    "本局事实": "session",
    "已观察": "observed",
    "策划设定": "authored",
    "自拟": "authored",
    "待考": "unverified",
    "提案": "proposal",
}
"""By the mark as it stands in files, in lower case."""

USUAL_WEIGHT: Final = 50
DISCOUNTED: Final[frozenset[Tier]] = frozenset({"unverified", "proposal"})
"""Tiers whose weight is discounted. Authored is not: who fills a gap knows the story."""

_SOURCES: Final[dict[str, Tier]] = {"system": "canon", "user_custom": "authored", "user_import": "authored"}

LABELS: Final[dict[Tier, tuple[str, str]]] = {
    "session": ("[session] ", "【本局事实】"),
    "observed": ("[observed] ", "【已观察】"),
    "authored": ("[authored] ", "【策划设定】"),
    "unverified": ("[unverified] ", "【待考】"),
    "proposal": ("[proposal] ", "【提案】"),
}
"""By tier, in English and in Chinese."""

CONSTRAINTS: Final = (
    (
        "[Lore] What carries no label is canon; labelled notes rank below it, in the order session, observed, authored, "
        "unverified, proposal, and a note of lower authority never overrides one of higher authority, nor is an unverified "
        "note or a proposal ever quoted as fact."
    ),
    (
        "【世界观依据】没有标注的内容是正典；有标注的内容依次低于正典：本局事实、已观察、策划设定、待考、提案；低权威内容不得覆盖高权威内容，"
        "「待考」与「提案」不得作为事实引用。"
    ),
)
"""The sentence before the first labelled text, in English and in Chinese."""

_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What an entry says of its truth and its reach. is_stated: it, or its book, states a weight or a mark."""

    tier: Tier = "authored"
    is_stated: bool = False
    weight: float = USUAL_WEIGHT
    level: float = 0
    subject: str = ""
    restricted_to: tuple[str, ...] = ()
    scene: str = ""

    @property
    def decides(self) -> bool:
        """Whether anything here can keep the entry out."""
        return bool(self.tier == "proposal" or self.level or self.subject or self.restricted_to or self.scene)

    def effective_weight(self, discount: float) -> float:
        """The weight by which it is ranked."""
        return self.weight * discount if self.tier in DISCOUNTED else self.weight


def read_mark(mark: str) -> Tier | None:
    """The tier that a mark means; None if nobody knows the mark."""
    return MARKS.get(mark.strip().casefold())


def tier_of(mark: Field[str], source: Field[str]) -> Tier:
    """The tier of an entry by its mark, else by its source. A mark that nobody knows counts as unverified."""
    if isinstance(mark, str) and mark.strip():
        return read_mark(mark) or "unverified"
    return _SOURCES.get(source.strip().casefold(), "authored") if isinstance(source, str) else "authored"


def outranks(tier: Tier, other: Tier) -> bool:
    """Whether a tier is higher than another."""
    return TIERS.index(tier) < TIERS.index(other)


def label_text(text: str, tier: Tier) -> str:
    """The text with the label of its tier, in Chinese before a Chinese text. Canon and empty texts have none."""
    return LABELS[tier][_is_chinese(text)] + text if text and tier in LABELS else text


def without_label(text: str, tier: Tier) -> str:
    """The text that was labelled."""
    for label in LABELS.get(tier, ()):
        if text.startswith(label):
            return text.removeprefix(label)
    return text


def constraint_for(text: str) -> str:
    """The sentence that stands before the first labelled text, in the language of that text."""
    return CONSTRAINTS[_is_chinese(text)]


def _is_chinese(text: str) -> bool:
    """Whether the first letter is a Han character."""
    found = _LETTER.search(text)
    return found is not None and ("\u3400" <= found[0] <= "\u9fff" or "\U00020000" <= found[0] <= "\U0003ffff")
