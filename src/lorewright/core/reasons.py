"""Why an entry is in or out: one small class per reason, with its data.

`code` is for programs, `sentence` for people; both come from the class. `step` tells how far the checks had come
(spec world-info §4 and §5), so that of several loops the one is shown in which the entry came nearest to the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from lorewright.core.shut import Shut

__all__ = [
    "AboveLevel",
    "AfterOverflow",
    "BrokenContent",
    "BrokenReplaces",
    "Closed",
    "ClosedBy",
    "CoolingDown",
    "Delayed",
    "Disabled",
    "DrawFailed",
    "ForcedIn",
    "IsConstant",
    "IsDecorated",
    "IsSticky",
    "KeyMatched",
    "LostGroup",
    "NoKeyMatched",
    "NoKeys",
    "NoLoop",
    "NotInRecursion",
    "NotPromoted",
    "OverBudget",
    "OverCap",
    "Overruled",
    "Reason",
    "RegexTimedOut",
    "SceneOff",
    "SecondaryVeto",
    "Suppressed",
    "WaitsForLevel",
    "WaitsForRecursion",
    "WrongCharacter",
    "WrongSpeaker",
    "WrongTags",
    "WrongTrigger",
]


@dataclass(frozen=True, slots=True)
class Reason:
    """The root of all reasons. `activates` is true for those that let an entry in."""

    code: ClassVar[str]
    step: ClassVar[int]
    activates: ClassVar[bool] = False
    text: ClassVar[str]

    @property
    def sentence(self) -> str:
        """The reason as a sentence, without a full stop."""
        return self.text.format(**{name: _shown(value) for name, value in self.data().items()})

    def data(self) -> dict[str, object]:
        """The reason's fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


_SHOWN_LENGTH = 80
"""Code points of a key that a sentence shows; of longer ones it shows both ends."""


class _Quoted(str):
    """A text that stands between quotes as it is, without escapes: a key in a sentence reads as in the book."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"'{self}'" if len(self) <= _SHOWN_LENGTH else f"'{self[:40]} … {self[-20:]}'"


def _shown(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return _Quoted(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class NoLoop(Reason):
    code, step, text = "no_loop", 0, "no loop ran, so nothing was checked"


@dataclass(frozen=True, slots=True)
class BrokenContent(Reason):
    code, step, text = "broken_content", 0, "the content of {entry} is no text"
    entry: str


@dataclass(frozen=True, slots=True)
class BrokenReplaces(Reason):
    code, step, text = "broken_replaces", 0, "its replacements cannot be made: {why}"
    why: str


@dataclass(frozen=True, slots=True)
class Closed(Reason):
    """Nothing else is said of such an entry, neither what it is about nor which gate it is."""

    code, step, text = "closed", 1, "a gate before it is closed"


@dataclass(frozen=True, slots=True)
class ClosedBy(Closed):
    """The same for somebody who asks for spoilers."""

    gates: tuple[Shut, ...]

    @property
    def sentence(self) -> str:
        return "; ".join(gate.sentence for gate in self.gates)

    def data(self) -> dict[str, object]:
        """See `Reason.data`."""
        return {"gates": [{"of": g.owner, "name": g.name, "because": list(g.because)} for g in self.gates]}


@dataclass(frozen=True, slots=True)
class Disabled(Reason):
    code, step, text = "disabled", 2, "the entry is switched off"


@dataclass(frozen=True, slots=True)
class WrongTrigger(Reason):
    code, step, text = "trigger", 3, "works only for {allowed}, and this reply is `{trigger}`"
    trigger: str
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrongCharacter(Reason):
    code, step, text = "character", 4, "works only for {names}, and the character is {character}"
    character: str | None
    names: tuple[str, ...]
    exclude: bool

    @property
    def sentence(self) -> str:
        who = "there is no character" if self.character is None else f"the character's picture is `{self.character}`"
        return f"{'does not work' if self.exclude else 'works only'} for {_shown(self.names)}, and {who}"


@dataclass(frozen=True, slots=True)
class WrongTags(Reason):
    code, step, text = "tags", 5, "works only for the tags {tags}, and the character has {has}"
    has: tuple[str, ...]
    tags: tuple[str, ...]
    exclude: bool

    @property
    def sentence(self) -> str:
        works = "does not work" if self.exclude else "works only"
        return f"{works} for characters with a tag of {_shown(self.tags)}, and this one has {_shown(self.has)}"


@dataclass(frozen=True, slots=True)
class WrongSpeaker(Reason):
    code, step, text = "speaker", 5, "works only while one of {names} is speaking"
    speaker: str | None
    names: tuple[str, ...]

    @property
    def sentence(self) -> str:
        who = "nobody is" if self.speaker is None else f"{_Quoted(self.speaker)!r} is"
        return f"works only while one of these is speaking: {_shown(self.names)}; {who}"


@dataclass(frozen=True, slots=True)
class SceneOff(Reason):
    code, step, text = "scene", 5, "works only in the scene {scene!r}, which is not on"
    scene: str


@dataclass(frozen=True, slots=True)
class AboveLevel(Reason):
    code, step, text = "level", 5, "is of level {level}, and the setting takes entries up to {most}"
    level: float
    most: float


@dataclass(frozen=True, slots=True)
class NotPromoted(Reason):
    code, step, text = "not_promoted", 5, "is a proposal that nobody has promoted"


@dataclass(frozen=True, slots=True)
class Delayed(Reason):
    code, step, text = "delay", 6, "delayed until the chat has {delay} messages, it has {messages}"
    delay: float
    messages: int


@dataclass(frozen=True, slots=True)
class CoolingDown(Reason):
    code, step, text = "cooldown", 7, "cooling down until the chat has {until} messages, it has {messages}"
    until: float
    messages: int


@dataclass(frozen=True, slots=True)
class WaitsForRecursion(Reason):
    code, step, text = "waits_for_recursion", 8, "is only looked at in recursion (level {level})"
    level: float


@dataclass(frozen=True, slots=True)
class WaitsForLevel(Reason):
    code, step, text = "waits_for_level", 9, "waits for recursion level {level}, the scan is at {current}"
    level: float
    current: float


@dataclass(frozen=True, slots=True)
class NotInRecursion(Reason):
    code, step, text = "not_in_recursion", 10, "may not be activated by recursion"


@dataclass(frozen=True, slots=True)
class Suppressed(Reason):
    code, step, text = "suppressed", 12, "its content says @@dont_activate"


@dataclass(frozen=True, slots=True)
class NoKeys(Reason):
    code, step, text = "no_keys", 16, "has no keys and is not constant"


@dataclass(frozen=True, slots=True)
class NoKeyMatched(Reason):
    code, step, text = "no_key_matched", 17, "none of its keys is in the text that is scanned for it"


@dataclass(frozen=True, slots=True)
class RegexTimedOut(Reason):
    """`limit_seconds` 0: it was not run at all, because the others had used up the time."""

    code, step, text = "regex_timeout", 18, "regex key {key!r} was given up after {limit_seconds} s"
    key: str
    limit_seconds: float

    @property
    def sentence(self) -> str:
        if not self.limit_seconds:
            return f"regex key {_Quoted(self.key)!r} was not run, because other regex keys used up the time of the turn"
        return super(RegexTimedOut, self).sentence


@dataclass(frozen=True, slots=True)
class SecondaryVeto(Reason):
    """`key` is the secondary key that decided; None when no single one did (and_any: none matched)."""

    code, step, text = "secondary_veto", 19, "key {primary!r} matched, but secondary key {key!r} refused ({logic})"
    primary: str
    logic: str
    key: str | None

    @property
    def sentence(self) -> str:
        if self.key is None:
            return f"key {_Quoted(self.primary)!r} matched, but its secondary keys did not let it pass ({self.logic})"
        return super(SecondaryVeto, self).sentence


@dataclass(frozen=True, slots=True)
class Overruled(Reason):
    """`to` is the id of the entry of a higher tier that speaks of the same subject."""

    code, step, text = "overruled", 20, "is {tier}, and {to} is {to_tier} on the same subject {subject!r}"
    subject: str
    to: str
    to_tier: str
    tier: str


@dataclass(frozen=True, slots=True)
class LostGroup(Reason):
    """`to` is the id of the entry that won, if one did; `how`: sticky, timers, score, earlier, override, draw,
    bystander."""

    code, step, text = "lost_group", 20, "lost its place in group {group!r} to {to} ({how})"
    group: str
    to: str | None
    how: str

    @property
    def sentence(self) -> str:
        if self.to is None:
            return f"was taken out with group '{self.group}' ({self.how})"
        return super(LostGroup, self).sentence


@dataclass(frozen=True, slots=True)
class DrawFailed(Reason):
    """Both numbers are shares of 1; `chance` None: the entry has no number there, so no draw can pass."""

    code, step, text = "draw_failed", 21, "draw {draw:.2f} > {chance}"
    draw: float
    chance: float | None

    @property
    def sentence(self) -> str:
        if self.chance is None:
            return f"draw {self.draw:.2f}, and the entry has no number as its chance"
        return f"draw {self.draw:.2f} {'>' if self.draw > self.chance else '='} {self.chance:.2f}"


@dataclass(frozen=True, slots=True)
class OverCap(Reason):
    code, step, text = "over_cap", 22, "{limit} entries are in already, as many as the setting allows"
    limit: int


@dataclass(frozen=True, slots=True)
class AfterOverflow(Reason):
    code, step, text = "after_overflow", 22, "the budget was already full when its turn came"


@dataclass(frozen=True, slots=True)
class OverBudget(Reason):
    code, step, text = "over_budget", 23, "needs {needed_tokens} tokens, {left_tokens} are left"
    needed_tokens: int
    left_tokens: int


@dataclass(frozen=True, slots=True)
class ForcedIn(Reason):
    code, step, activates, text = "forced", 30, True, "switched on from outside"


@dataclass(frozen=True, slots=True)
class IsDecorated(Reason):
    code, step, activates, text = "decorated", 30, True, "its content says @@activate"


@dataclass(frozen=True, slots=True)
class IsConstant(Reason):
    code, step, activates, text = "constant", 30, True, "is constant"


@dataclass(frozen=True, slots=True)
class IsSticky(Reason):
    code, step, activates, text = "sticky", 30, True, "is sticky until the chat has {until} messages"
    until: float


@dataclass(frozen=True, slots=True)
class KeyMatched(Reason):
    """`key` as the entry has it; `secondary` is the secondary key that decided, if one did."""

    code, step, activates, text = "key_matched", 30, True, "key {key!r} matched"
    key: str
    logic: str | None = None
    secondary: str | None = None
