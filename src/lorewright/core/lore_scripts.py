"""Regex scripts on the texts of active entries (spec world-info §8): after the budget, before they are placed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lorewright.core import javascript
from lorewright.core.activation import Activated, Activation
from lorewright.core.authority import label_text, without_label
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.place import DEFAULT_DEPTH, POSITION_NAMES
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Draw, RenderContext, Tools
from lorewright.core.regex_script import LORE, RegexScript, ScriptPlace
from lorewright.core.scripting import open_scripts

__all__ = ["rewrite_lore"]


def rewrite_lore(
    items: Sequence[Activated], activation: Activation, lore: Lore, turn: Turn, tools: Tools, chance: Draw
) -> tuple[Activated, ...]:
    """The active entries with the texts that the policy's scripts for prompts make of them.

    What the scripts wrote and reported is added to `activation`. The budget has counted the text before, and recursion
    has scanned it (spec world-info §6).
    """
    scripts = [script for script in lore.policy.scripts if ScriptPlace(LORE, for_prompt=True).takes(script)]
    if not scripts:
        return tuple(items)
    return tuple(_Writer(scripts, activation, lore, turn, tools, chance).write(items))


class _Writer:
    """The texts of one evaluation while scripts run on them."""

    def __init__(
        self,
        scripts: Sequence[RegexScript],
        activation: Activation,
        lore: Lore,
        turn: Turn,
        tools: Tools,
        chance: Draw,
    ) -> None:
        self.scripts = scripts
        self.activation = activation
        self.lore = lore
        self.turn = turn
        self.chance = chance
        self.run = open_scripts(tools)

    def write(self, items: Sequence[Activated]) -> Iterator[Activated]:
        for item in items:
            place = ScriptPlace(LORE, for_prompt=True, depth=_depth(item.entry))
            yield self._rewrite(item, [script for script in self.scripts if place.takes(script)])

    def _rewrite(self, item: Activated, scripts: Sequence[RegexScript]) -> Activated:
        entry, activation, labels = item.entry, self.activation, self.lore.uses_authority
        tier = entry.traits.standing.tier
        text = without_label(item.text, tier) if labels else item.text
        volatile, reads = item.volatile, item.reads
        changed: tuple[str, ...] = ()
        drawn = iter(range(2**31))
        for script in scripts if text else ():
            context = RenderContext(
                self.turn,
                lambda: self.chance.number(entry.id, "script", next(drawn)),
                self.lore.open_books,
                self.lore.policy.name,
                activation.variables,
            )
            found = self.run.run(script, text, context)
            if found.reports:
                activation.reports[entry.id] = (*activation.reports.get(entry.id, ()), *found.reports)
            if found.writes:
                activation.variables = activation.variables.after(found.writes)
                activation.writes = (*activation.writes, *found.writes)
            if found.text != text:
                changed = (*changed, script.id)
            text, volatile, reads = found.text, volatile or found.volatile, reads | found.reads
        return item._replace(
            text=label_text(text, tier) if labels else text,
            volatile=volatile,
            reads=reads,
            scripts=() if volatile else changed,
        )


def _depth(entry: Prepared) -> float | None:
    """How deep the text stands; None where it stands at no depth, so that limits do not matter."""
    position = entry.traits.position
    if entry.traits.slot is not None or position is None or POSITION_NAMES[position] != "at_depth":
        return None
    depth = javascript.number(DEFAULT_DEPTH if entry.traits.depth is None else entry.traits.depth)
    return None if math.isnan(depth) else depth
