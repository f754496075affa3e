"""How long several searches took together, without what was done between them."""

from __future__ import annotations

from time import perf_counter

__all__ = ["Stopwatch"]


class Stopwatch:
    """Adds up the seconds between `start` and `stop`; it runs when it is made."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = perf_counter()

    def start(self) -> None:
        """Run on."""
        self._began = perf_counter()

    def stop(self) -> float:
        """The seconds so far."""
        self.seconds += perf_counter() - self._began
        return self.seconds
