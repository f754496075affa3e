"""Decorator lines of V3 cards in our own profile: most become settings of the entry (spec formats §3.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from lorewright.core.directives import MARK, Directives, Query, Step, read_directives
from lorewright.core.traits import Traits

__all__ = ["FOREVER", "Decoration", "decorate_traits", "read_decoration"]

FOREVER: Final = 1_000_000_000
"""So many messages no chat has."""
_AFTER: Final = 1
_BEFORE: Final = 0
_AT_DEPTH: Final = 4
_OUTLET: Final = 7
_SPOT: Final = "pt_"
_ROLES: Final = ("system", "user", "assistant")
_FIRST_TO_GO: Final = -1000


@dataclass(frozen=True, slots=True)
class Decoration:
    """What the lines ask for and no field can say.

    gates: lines that keep the entry out of some turns. queries: more keys that decide. yields: the others spend the
    budget first. from_oldest: the depth counts from the start of the chat. unused: lines of RisuAI that do nothing here.
    """

    text: str
    gates: tuple[Step, ...]
    queries: tuple[Query, ...]
    activate: bool
    suppress: bool
    yields: bool
    from_oldest: bool
    unused: tuple[str, ...]


def read_decoration(content: str, traits: Traits) -> tuple[Decoration, Traits]:
    """The lines of a text that begins with some, and the traits as they change them."""
    lines = read_directives(content, last_wins=False)
    names = {step.name for step in lines.steps}
    unused = [f"{MARK}{name}" for name in ("priority",) if lines.priority not in (None, _FIRST_TO_GO)]
    if lines.injection is not None:
        unused.append(f"{MARK}inject_{'lore' if lines.injection.into_lore else 'at'}")
    decoration = Decoration(
        text=lines.text,
        gates=tuple(step for step in lines.steps if step.name in _GATES),
        queries=lines.queries,
        activate="activate" in names,
        suppress="dont_activate" in names,
        yields=lines.priority == _FIRST_TO_GO,
        from_oldest=lines.place == "reverse_depth",
        unused=tuple(unused),
    )
    return decoration, decorate_traits(traits, lines)


_GATES: Final = frozenset({"activate_only_after", "activate_only_every", "is_greeting"})


def decorate_traits(traits: Traits, lines: Directives) -> Traits:
    """The traits with what the lines say over what the fields say."""
    names = {step.name for step in lines.steps}
    changes: dict[str, object] = {}
    place = lines.place
    if place in {"depth", "reverse_depth"}:
        changes |= {"position": _AT_DEPTH, "depth": max(0, lines.depth)}
    elif place == "before_desc":
        changes["position"] = _BEFORE
    elif place.startswith(_SPOT):
        changes |= {"position": _OUTLET, "outlet": place.removeprefix(_SPOT)}
    elif place:
        changes["position"] = _AFTER
    if lines.role is not None:
        changes["role"] = _ROLES.index(lines.role)
    if lines.scan_depth is not None and not math.isnan(lines.scan_depth):
        changes["scan_depth"] = lines.scan_depth
    if lines.whole_words is not None:
        changes["whole_words"] = lines.whole_words
    if lines.recursive is not None:
        changes["prevent_recursion"] = not lines.recursive
    if not lines.reads_recursion:
        changes["exclude_recursion"] = True
    chance = next((step.number for step in lines.steps if step.name == "probability"), math.nan)
    if not math.isnan(chance):
        changes |= {"rolls": True, "chance": chance}
    if "keep_activate_after_match" in names:
        changes["sticky"] = FOREVER
    if "dont_activate_after_match" in names:
        changes["cooldown"] = FOREVER
    return replace(traits, **changes) if changes else traits  # type: ignore[arg-type]
