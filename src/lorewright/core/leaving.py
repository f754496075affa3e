"""Why a text that stands may not stand any longer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from lorewright.core.lore import Lore
from lorewright.core.record import Cause, Record

__all__ = ["Standing", "are_there", "names_of", "over_budget", "why_gone", "why_leaves"]


class Standing(NamedTuple):
    """A record that stands in the window, and the key of its node."""

    node: str
    record: Record


def names_of(at: int, standing: Standing) -> Sequence[str]:
    """The entries whose words are in a record."""
    del at
    record = standing.record
    return (record.entry, *record.holds, *record.pulled) if record.entry else record.pulled


def are_there(entries: AbstractSet[str], lore: Lore, visible: Lore) -> bool:
    """Whether nothing of these entries has to leave; `visible` is the lore without closed entries."""
    return entries <= lore.ranks.keys() and entries <= visible.ranks.keys() and entries.isdisjoint(lore.disabled)


def why_leaves(record: Record, lore: Lore, visible: Lore) -> Cause | None:
    """Why a record may not stand any longer; None if it may. `visible` is the lore without closed entries.

    Words of another entry leave for that one's reasons, too; those of a disabled one stay where code put them in.
    """
    for entry in (record.entry, *record.holds) if record.entry else ():
        if cause := why_gone(entry, lore, visible):
            return cause
    causes = (why_gone(entry, lore, visible, disabled=False) for entry in record.pulled)
    return next(filter(None, causes), None) if record.pulled else None


def why_gone(entry: str, lore: Lore, visible: Lore, *, disabled: bool = True) -> Cause | None:
    """Why nothing of an entry may stand any longer; None if it may. `disabled`: whether that is a reason."""
    known = lore.find(entry)
    if known is None:
        return "entry_removed"
    if visible is not lore and visible.find(entry) is None:
        return "gate_closed"
    return "entry_disabled" if disabled and known.traits.disabled else None


def over_budget(
    standing: Sequence[Standing], new_tokens: int, limit_tokens: float, active: Collection[str]
) -> Iterator[Standing]:
    """The records that leave because all together are more than the limit: the oldest inactive ones, until what is
    left is at most half of it, so that this happens seldom."""
    total = new_tokens + sum(item.record.tokens for item in standing)
    if total <= limit_tokens:
        return
    for item in standing:
        if total <= limit_tokens / 2:
            return
        if item.record.entry not in active:
            total -= item.record.tokens
            yield item
