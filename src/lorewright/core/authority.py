"""How far a piece of lore can be relied on: the tiers, and the marks by which files name them (DESIGN §7)."""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = ["MARKS", "TIERS", "Tier", "read_mark"]

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


def read_mark(mark: str) -> Tier | None:
    """The tier that a mark means; None if nobody knows the mark."""
    return MARKS.get(mark.strip().casefold())
