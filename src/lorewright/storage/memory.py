"""The conversations of a stream as `Memory`: nodes in the file, the ones in use beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.chain import Node
from lorewright.errors import LedgerError
from lorewright.storage.image import Image, Ref
from lorewright.storage.sqlite import NodeRow, Store

__all__ = ["StoreMemory", "pack_nodes", "unpack_nodes"]

_MOST_KEPT: Final = 20_000
_ANYWHERE: Final = "*"
"""In place of a parent."""


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


class StoreMemory:
    """What a stream's conversations are remembered by. Reads what it needs and keeps it until it is told to forget."""

    def __init__(self, store: Store, stream: str, image: Image) -> None:
        self.store = store
        self.stream = stream
        self.image = image
        self._nodes: dict[str, Node | None] = {}
        self._places: dict[str, NodeRow] = {}
        """Of nodes that are kept."""
        self._rows: dict[tuple[str, str], list[NodeRow]] = {}
        self._found: dict[tuple[str, str], Sequence[Node]] = {}
        self._parents: dict[str, bool] = {}
        self._last: int | None = None
        """The highest number of a node."""

    def make_room(self) -> None:
        """Forget what is kept beside the file if it is much. Call it before each turn."""
        if len(self._nodes) + len(self._rows) > _MOST_KEPT:
            self.forget()

    def forget(self) -> None:
        """Forget what is kept beside the file."""
        self._nodes.clear()
        self._places.clear()
        self._rows.clear()
        self._found.clear()
        self._parents.clear()
        self._last = None

    def node(self, key: str) -> Node | None:
        """See `Memory.node`."""
        if key not in self._nodes:
            row = self.store.node(self.stream, key) if key else None
            self._nodes[key] = self._load(row) if row else None
        return self._nodes[key]

    def holder(self, key: str) -> str | None:
        """The text that holds a node; None: it is not known."""
        return self._places[key].holder if self.node(key) else None

    def versions(self, parent: str, digest: str) -> Sequence[Node]:
        """See `Memory.versions`."""
        found = self._found.get((parent, digest))
        if found is None:
            found = self._all((parent, digest), lambda: self.store.nodes_below(self.stream, parent, digest))
        return found

    def with_digest(self, digest: str) -> Sequence[Node]:
        """See `Memory.with_digest`."""
        found = self._found.get((_ANYWHERE, digest))
        if found is None:
            found = self._all((_ANYWHERE, digest), lambda: self.store.nodes_with(self.stream, digest))
        return found

    def only_way(self, key: str, digests: Sequence[str]) -> Sequence[Node]:
        """See `Memory.only_way`."""
        found: list[Node] = []
        for following in digests:
            versions = self.versions(key, following)
            if len(versions) != 1:
                break
            key = versions[0].key
            found.append(versions[0])
        return found

    def has_children(self, key: str) -> bool:
        """See `Memory.has_children`."""
        if key not in self._parents:
            self._parents[key] = self.store.has_children(self.stream, key)
        return self._parents[key]

    def put(self, holder: str, nodes: Sequence[Node], first_place: int) -> None:
        """Note nodes that stand in the text `holder` from a place on. Only inside of a transaction."""
        if self._last is None:
            self._last = self.store.last_node(self.stream)
        for place, node in enumerate(nodes, start=first_place):
            known = self._places.get(node.key) if self.node(node.key) else None
            if known is None:
                self._last += 1
            number = known.number if known else self._last
            row = NodeRow(node.key, node.parent, node.digest, number, holder, place)
            self.store.put_node(self.stream, row)
            self._nodes[node.key] = node
            self._places[node.key] = row
            self._parents[node.parent] = True
            for name in ((node.parent, node.digest), (_ANYWHERE, node.digest)):
                self._found.pop(name, None)
                if known is None and name in self._rows:
                    self._rows[name].insert(0, row)

    def _all(self, name: tuple[str, str], read: Callable[[], list[NodeRow]]) -> Sequence[Node]:
        rows = self._rows.get(name)
        if rows is None:
            rows = self._rows[name] = read()
        for row in rows:
            if self._nodes.get(row.key) is None:
                self._nodes[row.key] = self._load(row)
        found = self._found[name] = [node for row in rows if (node := self._nodes[row.key]) is not None]
        return found

    def _load(self, row: NodeRow) -> Node:
        packed = self._text(row.holder)
        (node,) = unpack_nodes((packed[row.place],), lambda ref: self._text(ref.commitment))
        self._places[row.key] = row
        return node

    def _text(self, commitment: str) -> Any:
        data = self.store.text(commitment)
        if data is None:
            raise LedgerError(f"{self.store.path}: the text {commitment} was erased.", text=commitment)
        return self.image.decode(data)
