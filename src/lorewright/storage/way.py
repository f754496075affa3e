"""A long run of messages of which each stands in one version only, so that it need not be looked up message by message."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.core.chain import Node

__all__ = ["Way"]


class Way:
    """The nodes behind `start`, one after the other; `digests` begin with theirs."""

    def __init__(self, start: str, digests: Sequence[str], nodes: Sequence[Node]) -> None:
        self.start = start
        self._nodes = list(nodes)
        self._digests = list(digests[: len(nodes)])
        self._places = {node.key: at for at, node in enumerate(nodes)}

    def __len__(self) -> int:
        return len(self._nodes)

    def along(self, digests: Sequence[str]) -> list[Node]:
        """The nodes as far as these digests are theirs."""
        most = min(len(self._nodes), len(digests))
        mine, given = self._digests[:most], list(digests[:most])
        if mine != given:
            most = next(at for at, digest in enumerate(mine) if digest != given[at])
        return self._nodes[:most]

    def take(self, node: Node) -> None:
        """A node is new, or stands in place of what it was. Where it is another version the way ends."""
        at = self._places.get(node.key)
        if at is not None and at < len(self._nodes):
            self._nodes[at] = node
            return
        at = 0 if node.parent == self.start else self._places.get(node.parent, len(self._nodes)) + 1
        if at < len(self._nodes) and self._digests[at] == node.digest:
            del self._nodes[at:]
