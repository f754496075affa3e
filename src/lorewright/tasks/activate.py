"""Which entries are active: once through the list, no recursion (spec mvu-filter §6)."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.core.javascript import trim
from lorewright.core.logic import judge
from lorewright.tasks.active import Active, sort_active
from lorewright.tasks.draws import TaskDraws
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.groups import settle_groups
from lorewright.tasks.keys import Trigger

__all__ = ["activate"]


def activate(entries: Iterable[TaskEntry], trigger: Trigger, *, vanish: bool = False) -> list[Active]:
    """The active entries in the order in which they are rendered. `vanish`: see `settle_groups`.

    Entries of one identity are one: the last of them that is active, in the first one's place.
    """
    draws = TaskDraws(trigger.text)
    active: dict[str, Active] = {}
    for entry in entries:
        if one := _judge(entry, trigger, draws):
            active[entry.identity] = one
    return sort_active(settle_groups(list(active.values()), trigger, draws, vanish=vanish))


def _judge(entry: TaskEntry, trigger: Trigger, draws: TaskDraws) -> Active | None:
    if not entry.enabled:
        return None
    if entry.probability < 100 and entry.probability < draws.percent(entry.identity):
        return None
    if entry.constant:
        return Active(entry, "constant")
    if "@@activate" in entry.decorators:
        return Active(entry, "forced")
    if "@@dont_activate" in entry.decorators:
        return None
    primary = next((key for key in map(trigger.write, entry.keys) if trigger.holds(key, entry)), None)
    if primary is None:
        return None
    if not entry.selective or not entry.secondary:
        return Active(entry, "selective", primary)
    matched: list[str] = []

    def matches(key: str) -> bool:
        written = trim(trigger.write(key))
        found = trigger.holds(written, entry)
        if found:
            matched.append(written)
        return found

    passes = judge(entry.logic, entry.secondary, matches).passes
    return Active(entry, "selective", primary, tuple(matched)) if passes else None
