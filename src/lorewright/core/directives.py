"""What the decorator lines at the top of a text ask for (spec formats §3.4, spec risu §8.3).

Two programs read the same lines differently. By the V3 text the first line of a name counts and a position goes before a
depth; RisuAI lets the last line count, and its places share one slot. `read_directives` does either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from lorewright.core import javascript

__all__ = ["DECORATORS", "MARK", "Directives", "Injection", "Query", "Step", "read_directives"]

QueryKind = Literal["additional_keys", "exclude_keys", "exclude_keys_all"]
Operation = Literal["append", "prepend", "replace"]

MARK: Final = "@@"
_FALLBACK: Final = "@@@"
_ALWAYS_READ: Final = "@@@end"
"""To RisuAI this is the same as with two marks."""
_INTEGER: Final = re.compile(r"[+-]?(?:0[xX]([0-9a-fA-F]*)|[0-9]+)")
_MOST_DIGITS: Final = 300
_ROLES: Final = ("system", "user", "assistant")
_NAMED_PLACES: Final = ("after_desc", "before_desc", "personality", "scenario")
_SPOT: Final = "pt_"
_UI_PROMPTS: Final = ("system_prompt", "post_history_instructions")
_FIRST_TO_GO: Final = -1000
"""The priority that `@@ignore_on_max_context` gives."""


class Query(NamedTuple):
    """More keys that decide: any of `additional_keys` must be there, none of `exclude_keys`, not all of
    `exclude_keys_all`."""

    kind: QueryKind
    keys: tuple[str, ...]


class Step(NamedTuple):
    """A line whose effect depends on the turn: a gate or a draw with its number, or a line that forces."""

    name: str
    number: float = math.nan


@dataclass(frozen=True, slots=True)
class Injection:
    """A text that goes into another one: into that of the entry with the title `place` if `into_lore`, else into the
    part of the prompt with that name. `sought` is what `replace` replaces."""

    place: str = ""
    into_lore: bool = False
    operation: Operation = "append"
    sought: str = ""


@dataclass(frozen=True, slots=True)
class Directives:
    """The lines as data. None: not stated.

    text: what stands below the lines. place: `depth`, `reverse_depth`, `after_desc`, `before_desc`, `personality`,
    `scenario` or `pt_NAME`. steps: in the order of the text. lacks_position: a line `@@position` names none.
    """

    text: str
    place: str = ""
    depth: int = 0
    role: str | None = None
    scan_depth: float | None = None
    priority: float | None = None
    whole_words: bool | None = None
    recursive: bool | None = None
    reads_recursion: bool = True
    steps: tuple[Step, ...] = ()
    queries: tuple[Query, ...] = ()
    injection: Injection | None = None
    lacks_position: bool = False


def read_directives(content: str, *, last_wins: bool) -> Directives:
    """Read the lines that begin with `@@` from the top of the trimmed text, up to the first other line.

    A line `@@@name` is only read if the line before it was not understood. `last_wins`: as RisuAI reads; else as the
    V3 text says.
    """
    text = javascript.trim(content)
    if not text.startswith(MARK):
        return Directives(text)
    draft = _Draft(last_wins)
    lines = text.split("\n")
    waiting = False
    for place, raw in enumerate(lines):
        line = javascript.trim(raw)
        if not line.startswith(MARK):
            rest = lines[place:]
            break
        is_fallback = line.startswith(_FALLBACK) and not (last_wins and line.partition(" ")[0] == _ALWAYS_READ)
        if is_fallback and not waiting:
            continue
        name, _, arguments = line[len(_FALLBACK if line.startswith(_FALLBACK) else MARK) :].partition(" ")
        values = tuple(value for part in arguments.split(",") if (value := javascript.trim(part)))
        waiting = bool(name) and not draft.read(name, values)
    else:
        rest = []
    return draft.finish(javascript.trim("\n".join(rest)))


def _integer(values: tuple[str, ...]) -> float:
    """`parseInt` of the first value."""
    found = _INTEGER.match(values[0]) if values else None
    if found is None or found[1] == "" or len(found[0]) > _MOST_DIGITS:
        return math.nan
    return int(found[0], 16 if found[1] else 10)


@dataclass
class _Draft:
    """The lines read so far. `said` holds what may be said once: by slot the names and values in order."""

    last_wins: bool
    said: dict[str, list[tuple[str, float | str]]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    injections: list[tuple[str, str]] = field(default_factory=list)
    reads_recursion: bool = True
    lacks_position: bool = False

    def read(self, name: str, values: tuple[str, ...]) -> bool:
        """Take a line in; whether it was understood."""
        line = _LINES.get(name)
        return line is not None and line(self, name, values)

    def say(self, slot: str, name: str, value: float | str = "") -> bool:
        self.said.setdefault(slot, []).append((name, value))
        return True

    def finish(self, text: str) -> Directives:
        place, depth = self.place()
        return Directives(
            text,
            place,
            depth,
            role=self.text("role"),
            scan_depth=self.number("scan_depth"),
            priority=self.number("priority"),
            whole_words=self.flag("words", "match_full_word"),
            recursive=self.flag("recursion", "recursive"),
            reads_recursion=self.reads_recursion,
            steps=tuple(self.steps if self.last_wins else _firsts(self.steps)),
            queries=tuple(self.queries),
            injection=self.injection(),
            lacks_position=self.lacks_position,
        )

    def chosen(self, slot: str) -> tuple[str, float | str] | None:
        said = self.said.get(slot)
        return None if not said else said[-1 if self.last_wins else 0]

    def text(self, slot: str) -> str | None:
        found = self.chosen(slot)
        return None if found is None else str(found[1])

    def number(self, slot: str) -> float | None:
        found = self.chosen(slot)
        return None if found is None else javascript.number(found[1])

    def flag(self, slot: str, positive: str) -> bool | None:
        found = self.chosen(slot)
        return None if found is None else found[0] == positive

    def place(self) -> tuple[str, int]:
        """RisuAI: the place said last, and the number said last. V3: a position goes before a depth, and a depth before
        one from the start; of each the first."""
        said = self.said.get("place", [])
        depths = [int(value) for _, value in said if value != ""]
        if self.last_wins:
            return (said[-1][0], depths[-1] if depths else 0) if said else ("", 0)
        for wanted in (lambda name: name not in {"depth", "reverse_depth"}, "depth".__eq__, "reverse_depth".__eq__):
            for name, value in said:
                if wanted(name):
                    return name, int(value or 0)
        return "", 0

    def injection(self) -> Injection | None:
        if not self.injections:
            return None
        made = Injection()
        for name, text in self.injections:
            made = _INJECTIONS[name](made, text)
        return made


def _firsts(steps: list[Step]) -> list[Step]:
    return list({step.name: step for step in reversed(steps)}.values())[::-1]


# -- one function for each kind of line: takes it in, and says whether it was understood -----------------------------------

_Line = Callable[[_Draft, str, tuple[str, ...]], bool]


def _depth(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:
    found = _integer(values)
    return not math.isnan(found) and draft.say("place", name, found)


def _end(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001 - values mean nothing here
    return draft.say("place", "depth", 0)


def _position(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001 - all lines are called alike
    if not values:
        draft.lacks_position = True
        return False
    known = values[0] in _NAMED_PLACES or values[0].startswith(_SPOT)
    return known and draft.say("place", values[0])


def _role(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:
    return bool(values) and values[0] in _ROLES and draft.say("role", name, values[0])


def _any_number(slot: str) -> _Line:
    """No number is taken too, as NaN."""
    return lambda draft, name, values: draft.say(slot, name, _integer(values))


def _switch(slot: str) -> _Line:
    return lambda draft, name, values: draft.say(slot, name)  # noqa: ARG005


def _first_to_go(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
    return draft.say("priority", name, _FIRST_TO_GO)


def _alone(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
    draft.reads_recursion = False
    return True


def _gate(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:
    found = _integer(values)
    if not math.isnan(found):
        draft.steps.append(Step(name, found))
    return not math.isnan(found)


def _chance(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:
    draft.steps.append(Step(name, _integer(values)))
    return True


def _force(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
    draft.steps.append(Step(name))
    return True


def _mark(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
    """Has its effect, but counts as not understood in RisuAI, so that its fallback is read too."""
    draft.steps.append(Step(name))
    return not draft.last_wins


def _query(kind: QueryKind) -> _Line:
    def line(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
        draft.queries.append(Query(kind, values))
        return True

    return line


def _inject(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:
    draft.injections.append((name, " ".join(values)))
    return True


def _ui_prompt(draft: _Draft, name: str, values: tuple[str, ...]) -> bool:  # noqa: ARG001
    """Understood, without an effect."""
    return bool(values) and values[0] in _UI_PROMPTS


_LINES: Final[Mapping[str, _Line]] = {
    "depth": _depth,
    "reverse_depth": _depth,
    "end": _end,
    "position": _position,
    "role": _role,
    "scan_depth": _any_number("scan_depth"),
    "priority": _any_number("priority"),
    "ignore_on_max_context": _first_to_go,
    "match_full_word": _switch("words"),
    "match_partial_word": _switch("words"),
    "recursive": _switch("recursion"),
    "unrecursive": _switch("recursion"),
    "no_recursive_search": _alone,
    "activate_only_after": _gate,
    "activate_only_every": _gate,
    "is_greeting": _gate,
    "probability": _chance,
    "activate": _force,
    "dont_activate": _force,
    "keep_activate_after_match": _mark,
    "dont_activate_after_match": _mark,
    "additional_keys": _query("additional_keys"),
    "exclude_keys": _query("exclude_keys"),
    "exclude_keys_all": _query("exclude_keys_all"),
    "inject_lore": _inject,
    "inject_at": _inject,
    "inject_prepend": _inject,
    "inject_replace": _inject,
    "disable_ui_prompt": _ui_prompt,
}
DECORATORS: Final = frozenset(_LINES)
"""The names that have a meaning here."""
_INJECTIONS: Final[Mapping[str, Callable[[Injection, str], Injection]]] = {
    "inject_lore": lambda made, text: replace(made, place=text, into_lore=True),
    "inject_at": lambda made, text: replace(made, place=text, into_lore=False),
    "inject_prepend": lambda made, text: replace(made, operation="prepend"),  # noqa: ARG005
    "inject_replace": lambda made, text: replace(made, operation="replace", sought=text),
}
