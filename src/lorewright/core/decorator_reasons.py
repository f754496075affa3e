"""Reasons that decorator lines and RisuAI's rows give (spec risu §8, spec formats §3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core.reasons import Reason

__all__ = [
    "ChildOff",
    "IsChild",
    "IsKept",
    "IsSpent",
    "KeysRefused",
    "NotThisTime",
    "TooEarly",
    "WrongGreeting",
]


@dataclass(frozen=True, slots=True)
class ChildOff(Reason):
    """`parent` is the id of the row whose text it would show; None: there is none."""

    code, step, text = "child_off", 11, "is a child of {parent}, which is in itself"
    parent: str | None

    @property
    def sentence(self) -> str:
        if self.parent is None:
            return "is a child, and no entry before it has its id"
        return super(ChildOff, self).sentence


@dataclass(frozen=True, slots=True)
class IsChild(Reason):
    code, step, activates, text = "child", 30, True, "is a child, and shows the text of an entry that is not in"


@dataclass(frozen=True, slots=True)
class WrongGreeting(Reason):
    """`greeting` None: it is not known which one the chat began with."""

    code, step, text = (
        "wrong_greeting",
        11,
        "works only in a chat that began with greeting {wanted}, not with {greeting}",
    )
    greeting: int | None
    wanted: int


@dataclass(frozen=True, slots=True)
class TooEarly(Reason):
    code, step, text = "too_early", 11, "works from {least} messages on, the chat has {messages}"
    least: int
    messages: int


@dataclass(frozen=True, slots=True)
class NotThisTime(Reason):
    code, step, text = "not_this_time", 11, "works at every multiple of {every} messages, the chat has {messages}"
    every: int
    messages: int


@dataclass(frozen=True, slots=True)
class KeysRefused(Reason):
    """`keys` are those of the decorator that were found."""

    code, step, text = "keys_refused", 19, "the keys of @@{decorator} refused (found: {keys})"
    decorator: str
    keys: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"the keys of @@{self.decorator} refused (found: {', '.join(self.keys) or 'none'})"


@dataclass(frozen=True, slots=True)
class IsKept(Reason):
    code, step, activates, text = "kept", 30, True, "its content says @@keep_activate_after_match, and it was in before"


@dataclass(frozen=True, slots=True)
class IsSpent(Reason):
    code, step, text = "spent", 12, "its content says @@dont_activate_after_match, and it was in before"
