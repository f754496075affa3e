"""What both regex backends need to replace matches: the pieces of the new text, and a limit for all matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import thread_time

from lorewright.core.protocols import RegexMatch
from lorewright.errors import RegexTimeout
from lorewright.fast.units import code_points

__all__ = ["Pieces", "Stopwatch"]


class Pieces:
    """A text (in code units where it holds characters of two) whose matches are replaced from left to right."""

    def __init__(self, text: str, replacement: Callable[[RegexMatch], str]) -> None:
        self.text = text
        self._replacement = replacement
        self._pieces: list[str] = []
        self._at = 0

    def add(
        self, start: int, end: int, matched: str, groups: Sequence[str | None], names: Mapping[str, str | None]
    ) -> None:
        """Replace the match between two offsets in code units."""
        match = RegexMatch(
            start,
            _whole(matched),
            tuple(None if group is None else _whole(group) for group in groups),
            {name: None if group is None else _whole(group) for name, group in names.items()},
        )
        self._pieces += (self.text[self._at : start], self._replacement(match))
        self._at = end

    def joined(self) -> str:
        """The new text."""
        return _whole("".join([*self._pieces, self.text[self._at :]]))


def _whole(text: str) -> str:
    return text if text.isascii() else code_points(text)


class Stopwatch:
    """Adds up the CPU time between `start` and `check`; it starts when it is made."""

    def __init__(self, limit_seconds: float) -> None:
        self._limit = limit_seconds
        self._spent = 0.0
        self._began = thread_time()

    def start(self) -> None:
        self._began = thread_time()

    def check(self, pattern: str) -> None:
        """Stop the watch.

        Raises:
            RegexTimeout: all searches together took longer than the limit.
        """
        self._spent += thread_time() - self._began
        if self._spent > self._limit:
            raise RegexTimeout(
                f"The regular expression `{pattern}` did not find all matches within {self._limit} s.",
                pattern=pattern,
                timeout_seconds=self._limit,
            )
