"""How long several searches took together, without what was done between them or by other programs."""

from __future__ import annotations

from time import thread_time

__all__ = ["Stopwatch"]


class Stopwatch:
    """Adds up the seconds of CPU time between `start` and `stop`; it runs when it is made."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = thread_time()

    def start(self) -> None:
        """Run on."""
        self._began = thread_time()

    def stop(self) -> float:
        """The seconds so far."""
        self.seconds += thread_time() - self._began
        return self.seconds
