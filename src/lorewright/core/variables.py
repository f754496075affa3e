"""The variables of a conversation while a turn is assembled: read by macros, changed by those that are let in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from lorewright.core.model import ABSENT, EMPTY, State, Turn

__all__ = ["Scope", "Values", "Write"]

Scope = Literal["local", "global"]
"""`local`: variables of the conversation, which gates read, too. `global`: those of all conversations."""


class Write(NamedTuple):
    """A variable as a text left it; ABSENT: the text removed it."""

    scope: Scope
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Values:
    """All variables at one moment."""

    local: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    shared: Mapping[str, object] = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, turn: Turn, state: State) -> Values:
        """At the beginning of a turn. What the turn says counts before what is remembered."""
        return cls(
            {**state.variables, **turn.variables},
            {**state.global_variables, **turn.global_variables},
        )

    def after(self, writes: Iterable[Write]) -> Values:
        """After a text wrote these."""
        local, shared = dict(self.local), dict(self.shared)
        for scope, name, value in writes:
            held = local if scope == "local" else shared
            if value is ABSENT:
                held.pop(name, None)
            else:
                held[name] = value
        return Values(local, shared)
