"""Conflicts about a subject: of activated entries that speak of one thing, the highest tier stays (DESIGN §7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lorewright.core.authority import Tier, outranks
from lorewright.core.prepared import Prepared
from lorewright.core.reasons import Overruled

__all__ = ["Subjects"]


class _Holder(NamedTuple):
    entry: str
    tier: Tier


class Subjects:
    """Who speaks for each subject in one evaluation, loop after loop.

    The highest tier that was ever a candidate holds a subject, even if a group, a draw or the budget then refuses it:
    what is false does not become true because the truth did not fit.
    """

    def __init__(self) -> None:
        self._holders: dict[str, _Holder] = {}

    def settle(self, candidates: Iterable[Prepared], activated: Iterable[Prepared]) -> list[tuple[Prepared, Overruled]]:
        """Who loses, of the candidates of a loop and of those that are in already. Equals all stay."""
        entries = [entry for entry in (*activated, *candidates) if entry.traits.standing.subject]
        for entry in entries:
            standing = entry.traits.standing
            holder = self._holders.get(standing.subject)
            if holder is None or outranks(standing.tier, holder.tier):
                self._holders[standing.subject] = _Holder(entry.id, standing.tier)
        return [(entry, loss) for entry in entries if (loss := self._loss(entry))]

    def _loss(self, entry: Prepared) -> Overruled | None:
        standing = entry.traits.standing
        holder = self._holders[standing.subject]
        if not outranks(holder.tier, standing.tier):
            return None
        return Overruled(standing.subject, holder.entry, holder.tier, standing.tier)
