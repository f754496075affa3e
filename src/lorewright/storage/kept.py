"""What was read or made lately, kept until others have taken its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Kept"]

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Keeps values by key, as many as weigh no more than `most` together; what was asked for last stays longest.

    It has two halves. What is put or found is in the new one; when that is full it becomes the old one, whose values are
    forgotten. `weigh`: about how many bytes a value keeps in memory, its key included. A single value may be heavier
    than all that is allowed; it is kept until others come.
    """

    def __init__(self, most: int, weigh: Callable[[K, V], int]) -> None:
        self._half = most // 2
        self._weigh = weigh
        self.forget()

    def forget(self) -> None:
        """Forget everything."""
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self._weight = 0

    def get(self, key: K) -> V | None:
        """The value; None if it was never put, or forgotten."""
        found = self._new.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def put(self, key: K, value: V) -> V:
        """Keep a value in place of the one with this key, and give it back."""
        weight = self._weigh(key, value)
        if self._weight + weight > self._half:
            self._old, self._new, self._weight = self._new, {}, 0
        self._new[key] = value
        self._weight += weight
        return value

    def __len__(self) -> int:
        """How many keys are known."""
        return len(self._old.keys() | self._new.keys())
