"""The variables of a conversation while a turn is assembled: read by macros, changed by those that are let in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from lorewright.core.model import ABSENT, EMPTY, State, Turn

__all__ = ["Scope", "Values", "Write"]

Scope = Literal["local", "global", "cache", "defined"]
"""`local`: variables of the conversation, which gates read, too. `global`: those of all conversations. The others live
until the turn is assembled: `cache` for variables, `defined` for what code of a book defines (by `book` and name)."""


_PLAIN: Final = (str, int, float, bool)


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
    cache: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    defined: Mapping[str, object] = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, turn: Turn, state: State) -> Values:
        """At the beginning of a turn. What the turn says counts before what is remembered."""
        return cls(
            {**state.variables, **turn.variables},
            {**state.global_variables, **turn.global_variables},
        )

    def after(self, writes: Iterable[Write]) -> Values:
        """After a text wrote these; the same object if nothing is another value now."""
        writes = tuple(writes)
        if all(map(self._holds, writes)):
            return self
        held: dict[Scope, dict[str, object]] = {
            "local": dict(self.local),
            "global": dict(self.shared),
            "cache": dict(self.cache),
            "defined": dict(self.defined),
        }
        for scope, name, value in writes:
            if value is ABSENT:
                held[scope].pop(name, None)
            else:
                held[scope][name] = value
        return Values(held["local"], held["global"], held["cache"], held["defined"])

    def _holds(self, write: Write) -> bool:
        """Whether a variable has the very value that is written. Lists and objects are not looked into."""
        scope, name, written = write  # from a ledger it is a plain tuple
        held = {"local": self.local, "global": self.shared, "cache": self.cache, "defined": self.defined}[scope]
        value = held.get(name, ABSENT)
        return value is written or (isinstance(value, _PLAIN) and type(value) is type(written) and value == written)
