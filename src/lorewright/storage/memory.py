"""The conversations of a stream as `Memory`: nodes in the file, the ones in use beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from lorewright.core.chain import Node
from lorewright.errors import LedgerError
from lorewright.storage.image import Image, Ref
from lorewright.storage.kept import Kept
from lorewright.storage.sqlite import NodeRow, Store
from lorewright.storage.way import Way

__all__ = ["StoreMemory", "pack_nodes", "unpack_nodes"]

_MOST_BYTES: Final = 2_500_000
"""Of nodes that are kept, and of lists of them: some 2,500 nodes, and a chat of 2,000 messages has 2,000."""
_MOST_PARENTS: Final = 1000
_BYTES_OF_A_NODE: Final = 700
_BYTES_OF_A_LIST: Final = 300
_BYTES_OF_A_VALUE: Final = 100
_ANYWHERE: Final = "*"
"""In place of a parent."""
_LONG_WAY: Final = 32
"""Nodes; a shorter one is looked up."""
_MOST_ON_WAYS: Final = 10_000
"""Nodes."""


def pack_nodes(nodes: Iterable[Node], put: Callable[[object], Ref]) -> tuple[Any, ...]:
    """Nodes as they are stored: each text that is sent, of ours or in place of the client's, and each state by itself, because these come again and
    again."""
    packed: list[Any] = []
    for node in nodes:
        records: Any = tuple(_with(record, text=put(record.text)) for record in node.records)
        steps: Any = tuple(_with(step, text=put(step.text)) for step in node.steps)
        worded: Any = _with(node.rewording, text=put(node.rewording.text)) if node.rewording else None
        after = None if node.after is None else put(node.after)
        kept: Any = None if node.kept is None else put(node.kept)
        packed.append(_with(node, records=records, steps=steps, rewording=worded, after=after, kept=kept))
    return tuple(packed)


def unpack_nodes(packed: Iterable[Any], get: Callable[[Ref], Any]) -> tuple[Node, ...]:
    """The nodes again.

    Raises:
        LedgerError: a text of theirs was erased.
    """
    found: list[Node] = []
    for node in packed:
        records: Any = tuple(_with(record, text=get(record.text)) for record in node.records)
        steps: Any = tuple(_with(step, text=get(step.text)) for step in node.steps)
        worded: Any = _with(node.rewording, text=get(node.rewording.text)) if node.rewording else None
        after = None if node.after is None else get(node.after)
        kept = None if node.kept is None else get(node.kept)
        found.append(_with(node, records=records, steps=steps, rewording=worded, after=after, kept=kept))
    return tuple(found)


def _with(thing: Any, **changes: Any) -> Any:
    return replace(thing, **changes)


class _Known(NamedTuple):
    """A node, its number in the stream, and the text that holds it. node: None if there is none of this key."""

    node: Node | None
    number: int = 0
    holder: str = ""


def _weigh(_: str, known: _Known) -> int:
    return _weigh_nodes("", (known.node,) if known.node else ())


def _weigh_nodes(_: object, nodes: Sequence[Node]) -> int:
    return _BYTES_OF_A_LIST + sum(map(_weigh_node, nodes))


def _weigh_node(node: Node) -> int:
    texts = sum(len(record.text) for record in node.records) + sum(len(step.text) for step in node.steps)
    return _BYTES_OF_A_NODE + texts + (_size(node.after.variables) if node.after and node.after.variables else 0)


def _size(value: object) -> int:
    """About how large a value of a variable is."""
    if isinstance(value, str):
        return _BYTES_OF_A_VALUE + len(value)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return _BYTES_OF_A_VALUE + sum(map(_size, inner))


class StoreMemory:
    """What a stream's conversations are remembered by. Reads what it needs and keeps it until it is told to forget, or
    others have taken its place."""

    def __init__(self, store: Store, stream: str, image: Image) -> None:
        self.store = store
        self.stream = stream
        self.image = image
        self._known: Kept[str, _Known] = Kept(_MOST_BYTES, _weigh)
        self._found: Kept[tuple[str, str], Sequence[Node]] = Kept(_MOST_BYTES, _weigh_nodes)
        self._parents: Kept[str, bool] = Kept(_MOST_PARENTS, lambda *_: 1)
        self._ways: dict[str, Way] = {}
        self._last: int | None = None
        """The highest number of a node."""

    def forget(self) -> None:
        """Forget what is kept beside the file."""
        self._known.forget()
        self._found.forget()
        self._parents.forget()
        self._ways.clear()
        self._last = None

    def node(self, key: str) -> Node | None:
        """See `Memory.node`."""
        return self._look_up(key).node if key else None

    def holder(self, key: str) -> str | None:
        """The text that holds a node; None: it is not known."""
        return self._look_up(key).holder or None

    def versions(self, parent: str, digest: str) -> Sequence[Node]:
        """See `Memory.versions`."""
        found = self._found.get((parent, digest))
        if found is None:
            found = self._read((parent, digest), self.store.nodes_below(self.stream, parent, digest))
        return found

    def with_digest(self, digest: str) -> Sequence[Node]:
        """See `Memory.with_digest`."""
        found = self._found.get((_ANYWHERE, digest))
        if found is None:
            found = self._read((_ANYWHERE, digest), self.store.nodes_with(self.stream, digest))
        return found

    def only_way(self, key: str, digests: Sequence[str]) -> Sequence[Node]:
        """See `Memory.only_way`."""
        way = self._ways.get(key)
        found = way.along(digests) if way else []
        start = found[-1].key if found else key
        for following in digests[len(found) :]:
            versions = self.versions(start, following)
            if len(versions) != 1:
                break
            start = versions[0].key
            found.append(versions[0])
        if len(found) >= _LONG_WAY:
            self._keep_way(Way(key, digests, found))
        return found

    def has_children(self, key: str) -> bool:
        """See `Memory.has_children`."""
        known = self._parents.get(key)
        return self._parents.put(key, self.store.has_children(self.stream, key)) if known is None else known

    def put(self, holder: str, nodes: Sequence[Node], first_place: int) -> None:
        """Note nodes that stand in the text `holder` from a place on. Only inside of a transaction."""
        for place, node in enumerate(nodes, start=first_place):
            known = self._look_up(node.key)
            is_new = known.node is None
            number = self._place(node, None if is_new else known.number, holder, place)
            self._known.put(node.key, _Known(node, number, holder))
            self._parents.put(node.parent, True)
            for way in self._ways.values():
                way.take(node)
            for name in ((node.parent, node.digest), (_ANYWHERE, node.digest)):
                found = self._found.get(name)
                if found is not None:
                    others = [node if one.key == node.key else one for one in found]
                    self._found.put(name, [node, *others] if is_new else others)

    def place_anew(self, trails: Iterable[tuple[str, Sequence[Node]]], first_place: int) -> None:
        """Note where all nodes stand that are left, each trail with its nodes as they are packed. Only inside of a
        transaction."""
        self.forget()
        self.store.drop_nodes(self.stream)
        numbers: dict[str, int] = {}
        for holder, nodes in trails:
            for place, node in enumerate(nodes, start=first_place):
                numbers[node.key] = self._place(node, numbers.get(node.key), holder, place)
        self.forget()

    def _keep_way(self, way: Way) -> None:
        self._ways.pop(way.start, None)
        self._ways[way.start] = way
        while len(self._ways) > 1 and sum(map(len, self._ways.values())) > _MOST_ON_WAYS:
            del self._ways[next(iter(self._ways))]

    def _place(self, node: Node, number: int | None, holder: str, place: int) -> int:
        """Note where a node stands; without a number it is the newest. Gives its number."""
        if number is None:
            last = self.store.last_node(self.stream) if self._last is None else self._last
            number = self._last = last + 1
        self.store.put_node(self.stream, NodeRow(node.key, node.parent, node.digest, number, holder, place))
        return number

    def _look_up(self, key: str) -> _Known:
        known = self._known.get(key)
        if known is None:
            row = self.store.node(self.stream, key)
            known = self._load(row) if row else self._known.put(key, _Known(None))
        return known

    def _read(self, name: tuple[str, str], rows: Iterable[NodeRow]) -> Sequence[Node]:
        known = (self._known.get(row.key) or self._load(row) for row in rows)
        return self._found.put(name, [one.node for one in known if one.node])

    def _load(self, row: NodeRow) -> _Known:
        packed = self._text(row.holder)
        (node,) = unpack_nodes((packed[row.place],), lambda ref: self._text(ref.commitment))
        return self._known.put(row.key, _Known(node, row.number, row.holder))

    def _text(self, commitment: str) -> Any:
        data = self.store.text(commitment)
        if data is None:
            raise LedgerError(f"{self.store.path}: the text {commitment} was erased.", text=commitment)
        return self.image.decode(data)
