"""Forget turns: their texts go where nothing else needs them, and an event says which turns, when and by which rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.ledger.erase import erase, store_rest, streams_of
from lorewright.ledger.events import (
    FactProposed,
    MemoryKept,
    ReplyReceived,
    RequestSent,
    TextErased,
    TurnAssembled,
    VariablesChanged,
)
from lorewright.ledger.facts import list_facts
from lorewright.ledger.ledger import IMAGE, NODES_FROM, Ledger
from lorewright.ledger.rest import Rest
from lorewright.storage.image import Ref, find_refs

__all__ = ["Forgetting", "forget", "plan_forgetting"]

_OF_TURN: Final = (TurnAssembled, VariablesChanged, RequestSent, ReplyReceived, MemoryKept)
_PROPOSAL: Final = "proposal"
_MOST_TRIES: Final = 4


@dataclass(frozen=True, slots=True)
class Forgetting:
    """turns: which are forgotten, by stream. texts: what goes of each stream. facts: how many proposals of theirs, which
    nobody has accepted, go with them. kept: what of their nodes other turns go on from. clean: nothing of the texts is
    left in the file or its log."""

    turns: Mapping[str, tuple[int, ...]]
    texts: Mapping[str, tuple[str, ...]]
    facts: int
    kept: Mapping[str, tuple[Rest, ...]]
    clean: bool = True

    @property
    def all_texts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.texts.values() for name in names))


def plan_forgetting(file: Ledger, turns: Mapping[str, Collection[int]]) -> Forgetting:
    """What forgetting these turns means, by stream. Turns that were forgotten before are left out.

    A text goes if no event but those of forgotten turns leads to it: what another turn says, too, and what books,
    presets and settings say, stays. Nodes that a turn that stays goes on from are kept, without the seal of the turn
    that made them.
    """
    parts = {stream.stream: _Part(stream, turns.get(stream.stream, ())) for stream in streams_of(file)}
    needed: set[str] = set()
    for part in parts.values():
        _follow(file, part.needed(), needed)
    asked = {name: part for name, part in parts.items() if part.fresh}
    texts: dict[str, tuple[str, ...]] = {}
    for name, part in asked.items():
        own: set[str] = set()
        _follow(file, part.own(), own)
        texts[name] = tuple(text for text in sorted(own - needed) if file.store.text(text) is not None)
    return Forgetting(
        turns={name: tuple(sorted(part.fresh)) for name, part in asked.items()},
        texts=texts,
        facts=sum(len(part.proposals) for part in asked.values()),
        kept={name: tuple(part.rests) for name, part in asked.items()},
    )


def forget(file: Ledger, turns: Mapping[str, Collection[int]], rule: str) -> Forgetting:
    """Forget turns, by stream; `rule` is written into the events that say so.

    Raises:
        LedgerError: the file cannot be written.
    """
    facts = 0
    for stream in streams_of(file):
        proposals = _open_facts(stream, turns.get(stream.stream, ()))
        if proposals:
            facts += len(proposals)
            erase(stream, proposals, rule)
    found = _do(file, turns, rule)
    file.refresh()
    return replace(found, facts=facts, clean=file.store.sweep())


def _do(file: Ledger, turns: Mapping[str, Collection[int]], rule: str) -> Forgetting:
    """Other programs can write while it is found out what goes; if one did, that is found out again, and at last with
    nobody else writing."""
    for _ in range(_MOST_TRIES):
        file.refresh()
        seen = file.store.revision()
        found = plan_forgetting(file, turns)
        with file.store.transaction():
            if file.store.revision() == seen:
                _apply(file, found, rule)
                return found
    with file.store.transaction():
        file.refresh()
        found = plan_forgetting(file, turns)
        _apply(file, found, rule)
        return found


def _apply(file: Ledger, found: Forgetting, rule: str) -> None:
    for name in found.turns:
        _forget_of(Ledger(file.store, name, file.clock), found, rule)


def _forget_of(stream: Ledger, found: Forgetting, rule: str) -> None:
    """Say what is forgotten of a stream, erase it, and store what stays of its nodes."""
    store, own = stream.store, found.texts[stream.stream]
    erased = TextErased(at=stream.clock(), texts=tuple(map(Ref, own)), rule=rule, turns=found.turns[stream.stream])
    trails = stream.trails()
    moved: dict[tuple[str, str], tuple[str, int]] = {}
    stream.append(erased)
    store.erase(own)
    for rest in found.kept[stream.stream]:
        trail = store_rest(stream, rest)
        stream.append(MemoryKept(at=stream.clock(), turn=rest.turn, trail=trail))
        for place, node in enumerate(rest.nodes, start=NODES_FROM):
            moved[trails[rest.turn].commitment, node.key] = trail.commitment, place
    gone = set(own)
    for node in store.all_nodes(stream.stream):
        if node.holder in gone:
            place_of = moved.get((node.holder, node.key))
            if place_of is None:
                store.drop_node(stream.stream, node.key)
            else:
                store.put_node(stream.stream, node._replace(holder=place_of[0], place=place_of[1]))


class _Part:
    """A stream with the turns that are to be forgotten. fresh: those that were not before; gone: all that then are.
    rests: the nodes that have to be stored in place of theirs; proposals: texts of facts that go with the fresh ones."""

    def __init__(self, stream: Ledger, turns: Collection[int]) -> None:
        self.stream = stream
        before = {number for erased in stream.of_kind(TextErased) for number in erased.turns}
        self.fresh = set(turns).intersection(range(1, stream.count_turns() + 1)) - before
        self.gone = self.fresh | before
        self.proposals = _open_facts(stream, self.fresh)
        self.rests: list[Rest] = []
        self._trails: list[str] = []
        """Nodes without a seal that stay as they are."""
        if self.gone:
            self._keep_nodes()

    def needed(self) -> Iterator[str]:
        """What events lead to that are not of turns that are gone, and what the other turns are put together from."""
        proposals = set(self.proposals)
        for row, event in self.stream.events():
            is_gone = isinstance(event, _OF_TURN) and event.turn in self.gone
            if not is_gone and not (isinstance(event, FactProposed) and event.entry.commitment in proposals):
                yield from find_refs(row.body)
        yield from self._trails
        for rest in self.rests:
            yield from rest.refs()
        if self.gone:
            lines: set[Any] = set()
            for number in (number for number in range(1, self.stream.count_turns() + 1) if number not in self.gone):
                lines |= self._lines(number)
            yield from find_refs(IMAGE.encode(tuple(lines)))

    def own(self) -> Iterator[str]:
        """What events of turns that are gone lead to, by themselves and as whole lists of messages."""
        yield from self.proposals
        for row, event in self.stream.events():
            if isinstance(event, _OF_TURN) and event.turn in self.gone:
                yield from find_refs(row.body)
                if isinstance(event, TurnAssembled):
                    yield from find_refs(IMAGE.encode(tuple(self._lines(event.turn))))

    def _lines(self, number: int) -> set[Any]:
        found = self.stream.lines(number)
        return {*found.messages, *found.sent}

    def _keep_nodes(self) -> None:
        """Of the turns that are gone the nodes that those that stay go on from, or have in another version."""
        trails = self.stream.trails()
        wanted: set[str] = set()
        ancestors: set[int] = set()
        for turn in reversed(list(self.stream.turns())):
            if turn.turn not in self.gone or turn.turn in ancestors:
                ancestors.add(turn.parent)
                wanted |= {node.key for node in self._nodes(trails[turn.turn])[1]}
        failed = {turn for _, turn in self.stream.failures()}
        for number in sorted(self.gone - failed):
            seal, nodes = self._nodes(trails[number])
            kept = tuple(node for node in nodes if node.key in wanted)
            if kept and kept == nodes and not seal:
                self._trails.append(trails[number].commitment)
            elif kept:
                self.rests.append(Rest(number, kept))

    def _nodes(self, trail: Ref) -> tuple[bytes, tuple[Any, ...]]:
        """Seal and nodes; nothing of a trail that was erased."""
        if self.stream.store.text(trail.commitment) is None:
            return b"", ()
        seal, _, nodes = self.stream.trail(trail)
        return seal, nodes


def _open_facts(stream: Ledger, gone: Collection[int]) -> list[str]:
    """The texts of facts that replies to these turns proposed, and that nobody has accepted."""
    if not gone:
        return []
    closed = {fact.fact for fact in list_facts(stream) if fact.authority in ("", _PROPOSAL) and fact.entry is not None}
    proposed = (fact for fact in stream.of_kind(FactProposed) if fact.turn in gone and fact.fact in closed)
    return [fact.entry.commitment for fact in proposed]


def _follow(file: Ledger, names: Iterable[str], found: set[str]) -> None:
    """Add these texts, and all that they refer to, directly or not."""
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += find_refs(file.store.text(name) or b"")
