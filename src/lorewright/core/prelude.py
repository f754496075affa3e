"""What code does before entries are looked for: it gives variables their first values, and enables entries (spec
templates §2)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from lorewright.core.model import Report
from lorewright.core.prepared import Prepared
from lorewright.core.variables import Values, Write

if TYPE_CHECKING:
    from lorewright.core.activation import Activation
    from lorewright.core.candidates import CandidateFinder, Writer
    from lorewright.core.lore import Lore

__all__ = ["start_programs"]

_BROKEN: Final = Report(
    code="initial_variables_broken",
    message="The entry holds the first values of variables, but its content is no JSON object. They are left out.",
)


def start_programs(lore: Lore, writer: Writer, finder: CandidateFinder, outcome: Activation) -> None:
    """Read the first values of variables, then render the constant entries that stand in front, and let those enable
    others. Their texts are ready when their turn comes."""
    entries = [entry for entry in lore.programs if not entry.traits.disabled]
    for entry in entries:
        if entry.program and entry.program.initial:
            writes = _first_values(entry, writer)
            if writes is None:
                outcome.refused.append((entry, (_BROKEN,)))
            else:
                writer.let_in(entry.id, writes)
    for entry in entries:
        if entry.program and entry.program.place == "before" and entry.traits.constant and entry.is_template:
            found = writer.ready[entry.id] = writer.render(entry, entry.content)
            for identity, force in found.activates:
                if (target := lore.find(identity)) is not None:
                    finder.enable(target, force=force)


def _first_values(entry: Prepared, writer: Writer) -> tuple[Write, ...] | None:
    """The variables that have no value yet; None if the content is no JSON object."""
    try:
        values = json.loads(writer.render(entry, entry.content, "code").text if entry.is_template else entry.content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict):
        return None
    return tuple(Write("cache", name, value) for name, value in values.items() if not _is_known(name, writer.variables))


def _is_known(name: str, variables: Values) -> bool:
    return name in variables.local or name in variables.shared
