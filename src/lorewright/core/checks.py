"""The checks that need no keys, in SillyTavern's order (spec world-info §4, steps 2 to 16)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lorewright.core.authority import Standing
from lorewright.core.decoration import FOREVER
from lorewright.core.decorator_reasons import IsKept, IsSpent, NotThisTime, TooEarly, WrongGreeting
from lorewright.core.gates import speaker_of
from lorewright.core.javascript import number
from lorewright.core.model import Turn
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared
from lorewright.core.reasons import (
    AboveLevel,
    BrokenContent,
    BrokenReplaces,
    CoolingDown,
    Delayed,
    Disabled,
    ForcedIn,
    IsConstant,
    IsDecorated,
    IsSticky,
    NoKeys,
    NotInRecursion,
    NotPromoted,
    Reason,
    SceneOff,
    Suppressed,
    WaitsForLevel,
    WaitsForRecursion,
    WrongCharacter,
    WrongSpeaker,
    WrongTags,
    WrongTrigger,
)
from lorewright.core.timers import Effects

__all__ = ["TRIGGERS", "Circumstances", "Phase", "Sweep", "check_entry", "check_gate"]

TRIGGERS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")
Phase = Literal["initial", "recursion", "min_activations"]

_EXTENSION = re.compile(r"\.[^/.]+$")


class Sweep(NamedTuple):
    """One loop: its number from 1, what kind it is, the recursion level, how many messages deeper than the setting
    it looks, how many recursion chunks it sees."""

    number: int
    phase: Phase
    level: float | str
    skew: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the checks need to know of the turn; the same in every loop."""

    policy: Policy
    effects: Effects
    forced: frozenset[str]
    trigger: str
    character: str | None
    """The character's avatar file name without its extension; None when there is no character."""
    tags: frozenset[str] | None
    speaker: str | None
    scenes: frozenset[str]
    replies: int = 0
    """How many messages the assistant has written; of earlier ones that are gone every second counts."""
    greeting: int | None = None

    @classmethod
    def of(cls, turn: Turn, policy: Policy, effects: Effects) -> Circumstances:
        character = turn.character
        return cls(
            policy=policy,
            effects=effects,
            forced=frozenset(f"{item.book}.{item.entry.uid}" for item in turn.forced),
            trigger=turn.trigger if turn.trigger in TRIGGERS else "normal",
            character=_EXTENSION.sub("", character.avatar) if character else None,
            tags=character.tags if character else None,
            speaker=speaker_of(turn),
            scenes=turn.scenes,
            replies=turn.earlier_messages // 2
            + len([True for message in turn.messages if message.role == "assistant" and not message.hidden]),
            greeting=turn.greeting,
        )


def check_entry(entry: Prepared, sweep: Sweep, now: Circumstances) -> Reason | None:
    """Why the entry is a candidate or is skipped in this loop, or None when its keys decide."""
    if entry.broken:
        return BrokenContent(entry.id)
    if entry.fault:
        return BrokenReplaces(entry.fault)
    if entry.traits.disabled:
        return Disabled()
    if entry.traits.triggers and now.trigger not in entry.traits.triggers:
        return WrongTrigger(now.trigger, entry.traits.triggers)
    if entry.traits.filter is not None and (filtered := _check_character(entry, now)):
        return filtered
    if entry.traits.standing.decides and (out := _check_standing(entry.traits.standing, now)):
        return out
    if entry.decoration is not None and not entry.activate:
        for name, count in entry.decoration.gates:
            if shut := check_gate(name, count, now.replies, now.greeting):
                return shut
    return _check_time(entry, sweep, now) or _check_switches(entry, now)


def check_gate(name: str, number: float, messages: int, greeting: int | None) -> Reason | None:
    """Whether a decorator line that looks at the length or the beginning of the chat keeps an entry out.

    `messages` is the length that counts. A greeting that is not known keeps nothing out.
    """
    if name == "is_greeting":
        return WrongGreeting(greeting, int(number)) if greeting is not None and greeting != number else None
    if name == "activate_only_after":
        return None if messages >= number else TooEarly(int(number), messages)
    if name == "activate_only_every":
        return None if number and math.fmod(messages, number) == 0 else NotThisTime(int(number), messages)
    return None


def _check_character(entry: Prepared, now: Circumstances) -> Reason | None:
    allowed = entry.traits.filter
    if allowed is None:
        return None
    if allowed.names and (now.character in allowed.names) is allowed.exclude:
        return WrongCharacter(now.character, allowed.names, allowed.exclude)
    if allowed.tags and now.tags is not None and (not now.tags.isdisjoint(allowed.tags)) is allowed.exclude:
        return WrongTags(tuple(sorted(now.tags)), allowed.tags, allowed.exclude)
    return None


def _check_standing(standing: Standing, now: Circumstances) -> Reason | None:
    settings = now.policy.settings
    if standing.restricted_to and now.speaker not in standing.restricted_to:
        return WrongSpeaker(now.speaker, standing.restricted_to)
    if standing.scene and standing.scene not in now.scenes:
        return SceneOff(standing.scene)
    if standing.level > settings.max_level:
        return AboveLevel(standing.level, settings.max_level)
    if standing.tier == "proposal" and now.policy.authority and not settings.use_proposals:
        return NotPromoted()
    return None


def _check_time(entry: Prepared, sweep: Sweep, now: Circumstances) -> Reason | None:
    effects = now.effects
    if entry.traits.delay > effects.messages:
        return Delayed(entry.traits.delay, effects.messages)
    if entry.id in effects.sticky:
        return None
    if (until := effects.cooldown.get(entry.id)) is not None:
        return IsSpent() if until >= FOREVER else CoolingDown(until, effects.messages)
    if entry.traits.delay_level and sweep.phase != "recursion":
        return WaitsForRecursion(number(entry.traits.delay_level))
    if sweep.phase == "recursion":
        if number(entry.traits.delay_level) > number(sweep.level):
            return WaitsForLevel(number(entry.traits.delay_level), number(sweep.level))
        if entry.traits.exclude_recursion and now.policy.settings.recursive:
            return NotInRecursion()
    return None


def _check_switches(entry: Prepared, now: Circumstances) -> Reason | None:
    if entry.activate:
        return IsDecorated()
    if entry.suppress:
        return Suppressed()
    if entry.id in now.forced:
        return ForcedIn()
    if entry.traits.constant:
        return IsConstant()
    if (until := now.effects.sticky.get(entry.id)) is not None:
        return IsKept() if until >= FOREVER else IsSticky(until)
    return None if entry.keys else NoKeys()
