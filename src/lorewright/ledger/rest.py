"""What a conversation is still remembered by when the texts of an entry go: its nodes without what was the entry's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorewright.core.model import State
from lorewright.ledger.events import TurnAssembled
from lorewright.ledger.ledger import IMAGE, Ledger
from lorewright.storage.image import Ref, find_refs

__all__ = ["Rest", "refs_below", "rests_of"]


@dataclass(frozen=True, slots=True)
class Rest:
    """The packed nodes of a turn as they stay. A state that changed stands in them itself, and is yet to be stored."""

    turn: int
    nodes: tuple[Any, ...]

    def refs(self) -> tuple[str, ...]:
        """The stored texts that it needs."""
        return find_refs(IMAGE.encode(self.nodes))


def rests_of(
    ledger: Ledger, turns: Sequence[TurnAssembled], gone: Collection[str], endings: tuple[str, ...]
) -> list[Rest]:
    """What stays of these turns of one stream, in order.

    Nothing stays of a turn that has an erased text of the client's, nor of those that went on from it: keys of nodes
    are hashes of what the client said. Nor where variables are kept: an entry may have written its words into them.
    """
    found: list[Rest] = []
    lost: set[int] = set()
    trails = ledger.trails()
    for turn in turns:
        trail = trails[turn.turn]
        is_there = trail.commitment not in gone and ledger.store.text(trail.commitment) is not None
        said = {*find_refs(IMAGE.encode(ledger.lines(turn.turn).messages)), *(ref.commitment for _, ref in turn.scene)}
        nodes = None
        if is_there and turn.parent not in lost and not said.intersection(gone):
            nodes = _strip(ledger, ledger.trail(trail)[2], gone, endings)
            scene = {name for _, ref in turn.scene for name in refs_below(ledger, ref.commitment)}
            if nodes is not None and scene.intersection(gone):
                nodes = tuple(replace(node, kept=None) for node in nodes)
        if nodes is None:
            lost.add(turn.turn)
        else:
            found.append(Rest(turn.turn, nodes))
    return found


def _strip(
    ledger: Ledger, nodes: Sequence[Any], gone: Collection[str], endings: tuple[str, ...]
) -> tuple[Any, ...] | None:
    """The nodes without what was of these entries or texts; None if that cannot be told apart."""
    found = []
    for node in nodes:
        if any(step.text.commitment in gone for step in node.steps):
            return None
        after = node.after
        if after is not None:
            data = ledger.store.text(after.commitment)
            state: State | None = None if data is None else IMAGE.decode(data)
            if state is None or state.variables or state.global_variables:
                return None
            if after.commitment in gone and (after := _without_timers(state, endings)) == state:
                return None
        worded = node.rewording
        if worded and (worded.text.commitment in gone or _any_of(worded.entries, endings)):
            worded = None
        records = tuple(
            record
            for record in node.records
            if record.text.commitment not in gone
            and not _any_of((record.entry, *record.holds, *record.pulled), endings)
        )
        shaped = tuple(one for one in node.shaped if not _any_of(one[:1], endings))
        kept = node.kept if _stays(ledger, node.kept, gone) else None
        found.append(replace(node, records=records, after=after, rewording=worded, shaped=shaped, kept=kept))
    return tuple(found)


def _stays(ledger: Ledger, kept: Ref | None, gone: Collection[str]) -> bool:
    """Whether what stands of a preset may be remembered: not if it has hashes of texts with lore in them."""
    data = None if kept is None or kept.commitment in gone else ledger.store.text(kept.commitment)
    return data is not None and all(message.parts for message in IMAGE.decode(data).messages)


def refs_below(ledger: Ledger, commitment: str) -> set[str]:
    """A text and all texts that it refers to, directly or not."""
    found: set[str] = set()
    waiting = [commitment]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += find_refs(ledger.store.text(name) or b"")
    return found


def _any_of(entries: Collection[str], endings: tuple[str, ...]) -> bool:
    return any(entry.endswith(endings) for entry in entries)


def _without_timers(state: State, endings: tuple[str, ...]) -> State:
    def rest(timers: Mapping[str, Any]) -> Mapping[str, Any]:
        return {entry: timer for entry, timer in timers.items() if not entry.endswith(endings)}

    return replace(state, sticky=rest(state.sticky), cooldown=rest(state.cooldown))
