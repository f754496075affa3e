"""A session sent request by request: what each kept of the one before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorewright.core.chain import DictMemory
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.prefix import Kept, compare
from lorewright.core.protocols import Counter, Tools
from lorewright.core.weave import Woven, weave

__all__ = ["Measured", "Summary", "simulate", "summarise"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One request. kept: of the request before, None for the first; tokens: of all its messages."""

    woven: Woven
    kept: Kept | None
    tokens: int

    @property
    def new_tokens(self) -> int:
        """Tokens behind the kept prefix: what a model server with one cache must read."""
        return self.tokens - (self.kept.kept_tokens if self.kept else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session in numbers. Shares of kept bytes, from 0 to 1, over all requests but the first; `kept_whole` counts
    those that kept every byte, `unexplained` those that did not and name no move."""

    requests: int
    tokens: int
    new_tokens: int
    least_share: float
    median_share: float
    kept_whole: int
    moved: int
    unexplained: int


def simulate(requests: Iterable[tuple[Turn, Lore]], tools: Tools) -> list[Measured]:
    """Weave each request with what the ones before left in the memory, and measure it."""
    memory = DictMemory()
    found: list[Measured] = []
    for turn, lore in requests:
        woven = weave(turn, lore, memory, tools)
        memory.put(woven.nodes)
        before = found[-1].woven.messages if found else None
        kept = None if before is None else compare(before, woven.messages, tools.counter, woven.moves)
        found.append(Measured(woven, kept, _count(woven, tools.counter)))
    return found


def summarise(measured: Sequence[Measured]) -> Summary:
    """The numbers of a session. One with a single request keeps everything, as nothing was there before."""
    kept = [item.kept for item in measured if item.kept]
    shares = [item.share for item in kept] or [1.0]
    moved = [item for item in measured if item.kept and item.woven.moves]
    return Summary(
        requests=len(measured),
        tokens=sum(item.tokens for item in measured),
        new_tokens=sum(item.new_tokens for item in measured),
        least_share=min(shares),
        median_share=_middle(shares),
        kept_whole=sum(item.first_difference is None for item in kept),
        moved=len(moved),
        unexplained=sum(
            item.kept.first_difference is not None for item in measured if item.kept and not item.woven.moves
        ),
    )


def _middle(values: Sequence[float]) -> float:
    """The median."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return (ordered[half] + ordered[-half - 1]) / 2


def _count(woven: Woven, counter: Counter) -> int:
    return sum(counter.count(piece.text) for message in woven.messages for piece in message.pieces)
