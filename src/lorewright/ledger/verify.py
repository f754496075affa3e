"""Is everything in a ledger as it was written? If not: which event says so."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.errors import LedgerError
from lorewright.ledger.events import MemoryKept, ReplyReceived, TextErased, TurnAssembled
from lorewright.ledger.ledger import FAILED, IMAGE, NODES_FROM
from lorewright.storage.hash_chain import GENESIS, commit, link
from lorewright.storage.image import Ref, find_refs
from lorewright.storage.packing import unpack
from lorewright.storage.sqlite import EventRow, NodeRow, Store, TextRow

__all__ = ["Problem", "Removal", "Verified", "verify"]

_NOTHING: Final = (None, None, None, None)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong. event: the number of the event that it shows at; None: at none of them."""

    stream: str
    event: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Removal:
    """Texts that were erased. at: in seconds since 1970. turns: those that were forgotten as a whole. texts: how many."""

    stream: str
    event: int
    at: float
    rule: str
    turns: tuple[int, ...]
    texts: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at, what is wrong, and what was removed. heads: number and hash of each stream's last event; note them elsewhere,
    and you can tell later that nothing was cut off."""

    events: int
    texts: int
    erased: int
    heads: dict[str, tuple[int, str]]
    problems: tuple[Problem, ...]
    removed: tuple[Removal, ...] = ()


@dataclass(slots=True)
class _Check:
    store: Store
    problems: list[Problem] = field(default_factory=list)
    texts: dict[str, bytes | None] = field(default_factory=dict)
    """Whole texts; None: erased."""
    broken: dict[str, str] = field(default_factory=dict)
    erased_by_event: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)
    removed: list[Removal] = field(default_factory=list)
    events: int = 0


def verify(store: Store, head: str | None = None) -> Verified:
    """Check every event, every text and every node of a file. Reads only.

    `head` is the hash of an event that was noted earlier and must still be there: who can write the file could
    otherwise write another chain.
    """
    check = _Check(store)
    heads: dict[str, tuple[int, str]] = {}
    damage = store.check_file()
    streams: list[str] = []
    try:
        for row in store.texts():
            _check_text(check, row)
        streams = store.streams()
    except (LedgerError, TypeError, ValueError, AttributeError) as error:
        check.problems.append(Problem("", None, f"The file cannot be read: {error}"))
    for stream in streams:
        try:
            heads[stream] = _check_stream(check, stream)
            _check_nodes(check, stream)
        except (LedgerError, TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            check.problems.append(Problem(stream, None, f"The stream cannot be read on: {error}"))
    check.problems += [
        Problem("", None, f"The text {name} is erased, but no event says so.")
        for name, data in check.texts.items()
        if data is None and name not in check.erased_by_event
    ]
    check.problems += [
        Problem("", None, f"The text {name} belongs to no event.") for name in check.texts if name not in check.seen
    ]
    if head is not None and head.lower() not in check.hashes:
        check.problems.append(Problem("", None, f"No event has the hash {head} that was noted."))
    check.problems += [Problem("", None, f"The file is damaged: {line}") for line in damage]
    erased = sum(data is None for data in check.texts.values())
    return Verified(check.events, len(check.texts), erased, heads, tuple(check.problems), tuple(check.removed))


def _check_text(check: _Check, row: TextRow) -> None:
    name = row.commitment
    check.texts[name] = b""
    if row[1:] == _NOTHING:
        check.texts[name] = None
        return
    try:
        data = unpack(row.packing, row.data, name)
    except LedgerError as error:
        check.broken[name] = error.message
        return
    if data is None or row.salt is None or row.hash is None:
        check.broken[name] = f"The text {name} is erased in part."
    elif commit(row.salt, data).hex() != name or hashlib.sha256(data).digest() != row.hash:
        check.broken[name] = f"The text {name} is not what was recorded: its bytes, its salt or its hash were changed."
    else:
        check.texts[name] = data


def _check_stream(check: _Check, stream: str) -> tuple[int, str]:
    before, expected = GENESIS, 1
    turns = 0
    for row in check.store.events(stream):
        check.events += 1
        check.hashes.add(row.hash.hex())
        if row.number != expected:
            missing = f"{expected}" if row.number == expected + 1 else f"{expected} to {row.number - 1}"
            check.problems.append(
                Problem(stream, row.number, f"Before event {row.number} is missing: event {missing}.")
            )
        elif link(before, stream, row.number, row.kind, row.body) != row.hash:
            check.problems.append(
                Problem(stream, row.number, f"Event {row.number} ({row.kind}) is not what was recorded.")
            )
        before, expected = row.hash, row.number + 1
        event = _decode(check, stream, row)
        if isinstance(event, TurnAssembled):
            turns += 1
            if event.turn != turns:
                check.problems.append(
                    Problem(stream, row.number, f"Event {row.number} says it is turn {event.turn}, and it is {turns}.")
                )
        _check_refs(check, stream, row)
    head = check.store.head(stream)
    if head != (expected - 1, before):
        said = "has no entry" if head is None else f"says event {head[0]} is the last one, with another hash or number"
        check.problems.append(
            Problem(stream, expected - 1 or None, f"The head {said}; the last event is {expected - 1}.")
        )
    return expected - 1, before.hex()


def _decode(check: _Check, stream: str, row: EventRow) -> Any:
    try:
        event = IMAGE.decode(row.body)
    except LedgerError as error:
        check.problems.append(Problem(stream, row.number, f"Event {row.number} cannot be read: {error.message}"))
        return None
    if type(event).__name__ != row.kind:
        check.problems.append(Problem(stream, row.number, f"Event {row.number} is no {row.kind}."))
    if isinstance(event, TextErased):
        refs = (*event.texts, *event.with_them)
        check.erased_by_event.update(ref.commitment for ref in refs)
        rule = event.rule or "erase"
        check.removed.append(Removal(stream, row.number, event.at, rule, event.turns, len(refs)))
    return event


def _check_refs(check: _Check, stream: str, row: EventRow) -> None:
    """The texts that an event refers to, and those that these refer to."""
    waiting = deque(find_refs(row.body))
    while waiting:
        name = waiting.popleft()
        if name in check.seen:
            continue
        check.seen.add(name)
        if name in check.broken:
            check.problems.append(Problem(stream, row.number, f"Event {row.number}: {check.broken[name]}"))
        elif name not in check.texts:
            check.problems.append(Problem(stream, row.number, f"Event {row.number}: the text {name} is missing."))
        elif data := check.texts[name]:
            waiting += find_refs(data)


def _check_nodes(check: _Check, stream: str) -> None:
    """The table of nodes is what the trails say that are left."""
    expected: dict[str, NodeRow] = {}
    trails: dict[int, Ref] = {}
    failed: set[int] = set()
    for row in check.store.events(stream):
        event = IMAGE.decode(row.body)
        if isinstance(event, (TurnAssembled, MemoryKept)):
            trails[event.turn] = event.trail
        elif isinstance(event, ReplyReceived) and event.ending == FAILED:
            failed.add(event.turn)
    for trail in (trail for turn, trail in trails.items() if turn not in failed):
        if data := check.texts.get(trail.commitment):
            for node in _rows(trail, data, expected):
                expected[node.key] = node
    found = {node.key: node for node in check.store.all_nodes(stream)}
    keyed = {key: node._replace(number=0) for key, node in found.items()}
    if keyed != {key: node._replace(number=0) for key, node in expected.items()}:
        names = sorted(key for key in {*found, *expected} if keyed.get(key) != _bare(expected.get(key)))
        event_number = _event_of(check, stream, expected.get(names[0]))
        check.problems.append(
            Problem(stream, event_number, f"The table of nodes is not what the events say: node {names[0]}.")
        )
    elif [node.key for node in check.store.all_nodes(stream)] != list(expected):
        check.problems.append(Problem(stream, None, "The nodes are not in the order in which they came."))


def _bare(node: NodeRow | None) -> NodeRow | None:
    return node._replace(number=0) if node else None


def _rows(trail: Ref, data: bytes, known: dict[str, NodeRow]) -> Iterator[NodeRow]:
    packed = IMAGE.decode(data)
    for place, node in enumerate(packed[NODES_FROM:], start=NODES_FROM):
        number = known[node.key].number if node.key in known else 0
        yield NodeRow(node.key, node.parent, node.digest, number, trail.commitment, place)


def _event_of(check: _Check, stream: str, node: NodeRow | None) -> int | None:
    if node is None:
        return None
    wanted = node.holder
    return next((row.number for row in check.store.events(stream) if wanted in find_refs(row.body)), None)
