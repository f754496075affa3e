"""The books of the last task, kept for a moment (spec mvu-filter §8)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, NamedTuple

from lorewright.tasks.collect import Collected

__all__ = ["CacheKey", "Found", "WorldCache"]

_TTL_MS: Final = 3000


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What makes two readings of books the same. The chat's text is no part of it, nor what the books hold, but for the
    `shelf`'s own state."""

    chat: str
    character: Hashable
    books: tuple[str, ...]
    shelf: Hashable
    filter_mode: str
    keywords: tuple[str, ...]


class Found(NamedTuple):
    """What the cache had, and for how long."""

    collected: Collected
    age_ms: int


class WorldCache:
    """One slot. What it holds lives `ttl_ms` from when it was read, however often it is asked for.

    It hands out copies. `shares` hands out the kept one itself, as the recorded program does: what a task then
    remembers of books that its code asked for, later tasks remember, too.
    """

    def __init__(self, ttl_ms: int = _TTL_MS, *, shares: bool = False) -> None:
        self.ttl_ms = ttl_ms
        self._shares = shares
        self._key: CacheKey | None = None
        self._since_ms = 0
        self._held = Collected()

    def get(self, key: CacheKey, now_ms: int) -> Found | None:
        """What is held for the key; None: nothing, or no longer."""
        age = now_ms - self._since_ms
        if key != self._key or age >= self.ttl_ms:
            return None
        return Found(self._held if self._shares else self._held.copy(), max(age, 0))

    def put(self, key: CacheKey, collected: Collected, now_ms: int) -> None:
        """Hold this in place of what was held."""
        self._key, self._held, self._since_ms = key, collected.copy(), now_ms
