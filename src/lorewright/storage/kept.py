"""What was read or made lately, kept until others have taken its place."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Kept"]

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Keeps values by key, as many as weigh no more than `most` together; what was not asked for longest goes first.

    `weigh`: about how many bytes a value keeps in memory, its key included; always the same for the same value. A value
    that is heavier than all that is allowed is not kept.
    """

    def __init__(self, most: int, weigh: Callable[[K, V], int]) -> None:
        self._most = most
        self._weigh = weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0

    def forget(self) -> None:
        """Forget everything."""
        self._values.clear()
        self._weight = 0

    def get(self, key: K) -> V | None:
        """The value; None if it was never put, or forgotten."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> V:
        """Keep a value in place of the one with this key, and give it back."""
        if key in self._values:
            self._weight -= self._weigh(key, self._values.pop(key))
        self._values[key] = value
        self._weight += self._weigh(key, value)
        while self._weight > self._most:
            self._weight -= self._weigh(*self._values.popitem(last=False))
        return value

    def __len__(self) -> int:
        return len(self._values)
