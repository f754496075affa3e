"""What the conversations of a stream were remembered by before a turn, without going through all turns before it each time.

Every turn's trail says which nodes it made or changed. Where each node stands is listed once, and goes on when there are
more turns; what a node was before a turn is read when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from lorewright.core.chain import Node
from lorewright.ledger.events import MemoryKept, ReplyReceived, TextErased, TurnAssembled
from lorewright.ledger.ledger import FAILED, IMAGE, NODES_FROM, Ledger
from lorewright.storage.image import Ref, find_refs
from lorewright.storage.kept import Kept
from lorewright.storage.memory import unpack_nodes

__all__ = ["Past", "Then"]

_MOST_KEPT: Final = 4000
"""Nodes that were read."""


class _Stand(NamedTuple):
    """Where a node stands: the turn, its trail, the place in that."""

    turn: int
    trail: str
    place: int


class Past:
    """The trails of a stream, as far as they were read. Call `refresh` to go on."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._begin()

    def _begin(self) -> None:
        self._erasures = self.ledger.erasures
        self._next = 1
        self._next_reply = 1
        self._stands: dict[str, list[_Stand]] = {}
        self._keys: defaultdict[tuple[str, str] | str, list[str]] = defaultdict(list)
        """By parent and digest, and by digest: in the order in which they came first."""
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        self._gone: list[int] = []
        """Turns of which something was erased that they were remembered by."""
        self._failures: list[tuple[int, int]] = []
        """Turns that failed, each behind the number of the event that says so."""
        self._nodes: Kept[tuple[str, int], Node] = Kept(_MOST_KEPT, lambda *_: 1)

    def refresh(self) -> None:
        """Read what was appended; all of it again if texts were erased."""
        self.ledger.refresh()
        if self.ledger.erasures != self._erasures:
            self._begin()
        store, stream = self.ledger.store, self.ledger.stream
        for row in store.events_of(stream, ReplyReceived.__name__, self._next_reply):
            self._next_reply = row.number + 1
            reply = IMAGE.decode(row.body)
            if reply.ending == FAILED:
                self._failures.append((row.number, reply.turn))
        kept = {one.turn: one.trail for one in self.ledger.of_kind(MemoryKept)} if self._next == 1 else {}
        has_erased = any(store.last_event_of(name, TextErased.__name__) for name in store.streams())
        for row in store.events_of(stream, TurnAssembled.__name__, self._next):
            self._next = row.number + 1
            turn = IMAGE.decode(row.body)
            self._read(turn, kept.get(turn.turn, turn.trail), has_erased=has_erased)

    def _read(self, turn: TurnAssembled, trail: Ref, *, has_erased: bool) -> None:
        store = self.ledger.store
        data = store.text(trail.commitment)
        is_whole = data is not None and not (has_erased and any(map(store.is_erased, _below(self.ledger, data))))
        if trail != turn.trail or not is_whole:
            self._gone.append(turn.turn)
        if data is None or not is_whole:
            return
        _, _, *nodes = IMAGE.decode(data)
        for place, node in enumerate(nodes, start=NODES_FROM):
            if node.key not in self._stands:
                self._stands[node.key] = []
                self._keys[node.parent, node.digest].append(node.key)
                self._keys[node.digest].append(node.key)
                self._children[node.parent].append(node.key)
            self._stands[node.key].append(_Stand(turn.turn, trail.commitment, place))

    def failed_before(self, event: int) -> frozenset[int]:
        """The turns of which it was known at an event that they had failed."""
        return frozenset(turn for number, turn in self._failures[: bisect_left(self._failures, (event, 0))])

    def has_gaps(self, number: int, failed: frozenset[int]) -> bool:
        """Whether something is gone that was remembered before a turn."""
        return any(turn < number and turn not in failed for turn in self._gone)

    def before(self, number: int, failed: frozenset[int]) -> Then:
        """What was remembered before a turn, when these had failed."""
        return Then(self, number, failed)

    def stands(self, key: str) -> Sequence[_Stand]:
        """Where a node stands, in the order of the turns."""
        return self._stands.get(key, ())

    def keys(self, name: tuple[str, str] | str) -> Sequence[str]:
        """The nodes below a parent with a digest, or with a digest wherever they stand."""
        return self._keys.get(name, ())

    def children(self, key: str) -> Sequence[str]:
        return self._children.get(key, ())

    def load(self, stand: _Stand) -> Node:
        """A node as it stands there."""
        found = self._nodes.get((stand.trail, stand.place))
        if found is None:
            _, _, *packed = self.ledger.texts.get(Ref(stand.trail))
            (found,) = unpack_nodes((packed[stand.place - NODES_FROM],), self.ledger.texts.get)
            self._nodes.put((stand.trail, stand.place), found)
        return found


class Then:
    """A `Memory` as it was before a turn."""

    def __init__(self, past: Past, number: int, failed: frozenset[int]) -> None:
        self.past = past
        self.number = number
        self.failed = failed

    def node(self, key: str) -> Node | None:
        """See `Memory.node`."""
        stands = self.past.stands(key)
        last = bisect_left(stands, (self.number,))
        found = next((stands[at] for at in range(last - 1, -1, -1) if stands[at].turn not in self.failed), None)
        return None if found is None else self.past.load(found)

    def versions(self, parent: str, digest: str) -> Sequence[Node]:
        """See `Memory.versions`."""
        return list(self._nodes(self.past.keys((parent, digest))))

    def with_digest(self, digest: str) -> Sequence[Node]:
        """See `Memory.with_digest`."""
        first = {key: stand for key in self.past.keys(digest) if (stand := self._first(key))}
        return list(self._nodes(sorted(first, key=first.__getitem__, reverse=True)))

    def only_way(self, key: str, digests: Sequence[str]) -> Sequence[Node]:
        """See `Memory.only_way`."""
        found: list[Node] = []
        for digest in digests:
            versions = self.versions(key, digest)
            if len(versions) != 1:
                break
            key = versions[0].key
            found += versions
        return found

    def has_children(self, key: str) -> bool:
        """See `Memory.has_children`."""
        return any(self._first(child) for child in self.past.children(key))

    def _first(self, key: str) -> tuple[int, int] | None:
        """Where a node came first: turn and place; None: it was not there yet."""
        stands = (stand for stand in self.past.stands(key) if stand.turn not in self.failed)
        found = next(stands, None)
        return (found.turn, found.place) if found and found.turn < self.number else None

    def _nodes(self, keys: Sequence[str]) -> Iterator[Node]:
        return (node for key in keys if (node := self.node(key)))


def _below(ledger: Ledger, data: bytes) -> Iterator[str]:
    """The texts that a trail is read with."""
    for name in find_refs(data):
        yield name
        yield from find_refs(ledger.store.text(name) or b"")
