"""Of the active entries of one group one stays (spec mvu-filter §6)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lorewright.tasks.active import Active
from lorewright.tasks.draws import TaskDraws
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.keys import Trigger

__all__ = ["settle_groups"]


def settle_groups(active: Sequence[Active], trigger: Trigger, draws: TaskDraws, *, vanish: bool) -> list[Active]:
    """Those that stay: all without a group, and the winner of each group.

    With `vanish` a group in which nobody can be drawn goes as a whole, as in the recorded program; else its first
    member stays.
    """
    kept: list[Active] = []
    groups: dict[str, list[Active]] = {}
    for one in active:
        if one.entry.group:
            groups.setdefault(one.entry.group, []).append(one)
        else:
            kept.append(one)
    for name, members in groups.items():
        winner = _winner(name, members, trigger, draws)
        if winner is None and not vanish:
            winner = members[0]
        if winner is not None:
            kept.append(winner)
    return kept


def _winner(name: str, members: list[Active], trigger: Trigger, draws: TaskDraws) -> Active | None:
    """The only one; else the overriding one of lowest order; else, if any scores, the best; else one that is drawn."""
    if len(members) == 1:
        return members[0]
    if overriding := [one for one in members if one.entry.group_override]:
        return min(overriding, key=lambda one: one.entry.order)
    if any(one.entry.group_scoring for one in members):
        scores = [_score(one.entry, trigger) for one in members]
        best = max(scores)
        if best > 0:
            return members[scores.index(best)]
    drawn = [one for one in members if not one.entry.group_scoring]
    weights = [_weight(one.entry.group_weight) for one in drawn]
    written = "|".join(f"{one.entry.book}:{one.entry.uid_text}" for one in drawn)
    index = draws.weighted(weights, name, written)
    return None if index is None else drawn[index]


def _weight(written: float) -> int:
    return max(math.trunc(written), 0) if math.isfinite(written) else 0


def _score(entry: TaskEntry, trigger: Trigger) -> int:
    """How many keys match, as they are written; secondary ones count where each of them helps an entry in."""
    if not entry.keys:
        return 0
    primary = sum(trigger.holds(key, entry) for key in entry.keys)
    secondary = sum(trigger.holds(key, entry) for key in entry.secondary)
    counts = entry.logic == "and_any" or (entry.logic == "and_all" and secondary == len(entry.secondary))
    return primary + (secondary if counts else 0)
