"""Regular expressions that code hands over to find titles with: they run outside of its sandbox, so they get little time."""

from __future__ import annotations

from typing import Final

from lorewright.core.protocols import Regexes
from lorewright.errors import RegexError, RegexTimeout
from lorewright.templates.ejs.scene import Pattern

__all__ = ["PatternSearch"]

_SECONDS: Final = 0.05


class PatternSearch:
    """Looks for patterns in short texts. Nothing is raised: one that is wrong is in no text, and one that took longer
    than `_SECONDS` once is not tried again."""

    def __init__(self, regexes: Regexes) -> None:
        self._regexes = regexes
        self._given_up: set[Pattern] = set()

    def is_in(self, text: str, pattern: Pattern) -> bool:
        """Whether the pattern matches somewhere in the text."""
        if pattern in self._given_up:
            return False
        try:
            return self._regexes.compile(*pattern).search(text, _SECONDS) is not None
        except (RegexError, RegexTimeout):
            self._given_up.add(pattern)
            return False
