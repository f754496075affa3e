"""What became of the turns that were recorded since the start, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from lorewright.providers.usage import Usage

__all__ = ["Tally"]


@dataclass(slots=True)
class Tally:
    """Threads count at the same time. turns: recorded ones. endings: of their replies, by name. Tokens are those of
    prompts whose provider said how many of them came from a cache."""

    turns: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count_turn(self) -> None:
        with self._lock:
            self.turns += 1

    def count_reply(self, ending: str, usage: Usage) -> None:
        with self._lock:
            self.endings[ending] += 1
            if usage.hit_ratio is not None:
                self.prompt_tokens += usage.input_tokens or 0
                self.cached_tokens += usage.read_tokens or 0

    def as_object(self) -> dict[str, Any]:
        """hitRatio: the share of prompt tokens that came from a cache, token-weighted; null while nobody said."""
        with self._lock:
            return {
                "recorded": self.turns,
                "replies": dict(sorted(self.endings.items())),
                "hitRatio": round(self.cached_tokens / self.prompt_tokens, 4) if self.prompt_tokens else None,
            }
