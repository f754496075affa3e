"""Sticky, cooldown and delay as a pure state transition (spec world-info §7).

`start_timers` says which effects are active in this turn and drops what is over; `finish_timers` adds what the
activated entries start. All numbers count messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lorewright.core.lore import Lore
from lorewright.core.model import State, Timer
from lorewright.core.prepared import Prepared, entry_hash

__all__ = ["Effects", "finish_timers", "start_timers"]


@dataclass(frozen=True, slots=True)
class Effects:
    """Active effects by entry id, with the message count at which each ends; `records` is what is kept."""

    messages: int
    sticky: dict[str, float]
    cooldown: dict[str, float]
    records: State


def start_timers(state: State, lore: Lore, messages: int, *, dry_run: bool) -> Effects:
    """What is active when the chat has `messages` messages. A dry run neither reads nor changes the records.

    A record is dropped when the chat has not advanced since it was written (unless it is protected) and when its
    end has come. One whose entry was edited or is not loaded stays until its end, but does nothing.
    """
    if dry_run:
        return Effects(messages, {}, {}, state)
    sticky = dict(state.sticky)
    cooldown = dict(state.cooldown)
    active_sticky: dict[str, float] = {}
    active_cooldown: dict[str, float] = {}
    for identity, timer in state.sticky.items():
        keep, entry = _look(timer, lore, identity, messages, "sticky")
        if not keep:
            del sticky[identity]
            over = messages >= timer.end and (messages > timer.start or timer.protected)
            if over and entry is not None and entry.traits.sticky and entry.traits.cooldown:
                end = messages + entry.traits.cooldown
                cooldown[identity] = Timer(timer.entry_hash, messages, end, protected=True)
        elif entry is not None:
            active_sticky[identity] = timer.end
    for identity, timer in list(cooldown.items()):
        keep, entry = _look(timer, lore, identity, messages, "cooldown")
        if not keep:
            del cooldown[identity]
        elif entry is not None:
            active_cooldown[identity] = timer.end
    return Effects(messages, active_sticky, active_cooldown, replace(state, sticky=sticky, cooldown=cooldown))


def _look(timer: Timer, lore: Lore, identity: str, messages: int, effect: str) -> tuple[bool, Prepared | None]:
    """Whether the record stays, and the entry it is for if that is loaded and unchanged."""
    entry = None if lore.emptied_by else lore.find(identity)
    if entry is not None and entry_hash(entry) != timer.entry_hash:
        entry = None
    if messages <= timer.start and not timer.protected:
        return False, entry
    if entry is not None and not getattr(entry.traits, effect):
        return False, entry
    return messages < timer.end, entry


def finish_timers(effects: Effects, activated: Iterable[Prepared], *, dry_run: bool) -> State:
    """The records after the turn: every activated entry starts its effects unless a record for it exists."""
    if dry_run:
        return effects.records
    now = effects.messages
    sticky = dict(effects.records.sticky)
    cooldown = dict(effects.records.cooldown)
    for entry in activated:
        for length, records in ((entry.traits.sticky, sticky), (entry.traits.cooldown, cooldown)):
            if length and entry.id not in records:
                records[entry.id] = Timer(entry_hash(entry), now, now + length)
    return replace(effects.records, sticky=sticky, cooldown=cooldown)
