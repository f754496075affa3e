"""The timed effects that a SillyTavern chat keeps, as the engine's state and back (ADR 0031).

The records are tied to the text of an entry by a hash, and the two programs hash different texts. SillyTavern's is made
here too, so that it knows the effects that are written into its chats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lorewright.core.decorators import read_decorators
from lorewright.core.lore import Lore
from lorewright.core.model import Report, State, Timer
from lorewright.core.prepared import Prepared, entry_hash
from lorewright.formats.world_info_entry import write_entry
from lorewright.templates.seeded import text_hash
from lorewright.templates.variables import json_text

__all__ = ["adopt_timers", "entry_text", "timers_for_chat"]


def entry_text(entry: Prepared) -> str:
    """The text whose hash is SillyTavern's for an entry: its JSON with its uid and book in front, its content without
    decorator lines, and these (spec world-info §2)."""
    fields = dict(write_entry(entry.entry, from_file=False))
    content = fields.get("content")
    decorated = read_decorators(content if isinstance(content, str) else "")
    found = {"uid": fields.pop("uid"), "world": entry.book, **fields}
    return json_text(found | {"decorators": list(decorated.lines), "content": decorated.content})


def adopt_timers(timers: State, lore: Lore) -> tuple[State, tuple[Report, ...]]:
    """The effects of a chat as those of the entries that are loaded, and reports where an entry is not as it was.

    An effect whose entry is not loaded keeps its own hash, so it waits for its end and does nothing.
    """
    changed: dict[str, Report] = {}

    def adopt(identity: str, timer: Timer) -> Timer:
        entry = lore.find(identity)
        if entry is None:
            return timer
        if timer.entry_hash != _their_hash(entry):
            message = (
                f"The chat keeps a timed effect of `{entry.title}`, whose entry was another text then or stood in "
                "another form; it goes on."
            )
            changed[identity] = Report(
                code="chat_timer_of_other_text", message=message, level="info", book=entry.book, entry=identity
            )
        return replace(timer, entry_hash=entry_hash(entry))

    sticky, cooldown = (
        {key: adopt(key, timer) for key, timer in of.items()} for of in (timers.sticky, timers.cooldown)
    )
    return State(sticky, cooldown), tuple(changed.values())


def timers_for_chat(state: State, kept: State, lore: Lore) -> State:
    """The effects of a state as a chat keeps them. `kept` are those that it has; what did not change stays the same."""
    adopted, _ = adopt_timers(kept, lore)

    def give_back(
        timers: Mapping[str, Timer], ours: Mapping[str, Timer], theirs: Mapping[str, Timer]
    ) -> dict[str, Timer]:
        return {
            key: theirs[key] if timer == ours.get(key) else _given_back(key, timer, lore)
            for key, timer in timers.items()
        }

    return State(
        give_back(state.sticky, adopted.sticky, kept.sticky),
        give_back(state.cooldown, adopted.cooldown, kept.cooldown),
    )


def _given_back(identity: str, timer: Timer, lore: Lore) -> Timer:
    entry = lore.find(identity)
    known = entry is not None and entry_hash(entry) == timer.entry_hash
    return replace(timer, entry_hash=_their_hash(entry)) if entry is not None and known else timer


def _their_hash(entry: Prepared) -> str:
    return str(text_hash(entry_text(entry)))
