"""Whether a key stands in the trigger text (spec mvu-filter §6).

Plain keys are searched as in the profile `sillytavern` (core/match.py); what is a regular expression is decided
otherwise: slashes inside need no backslash.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import trim
from lorewright.core.keys import Key
from lorewright.core.match import Haystack, RegexRunner, find_key
from lorewright.core.policy import SILLYTAVERN
from lorewright.core.protocols import Regexes
from lorewright.errors import RegexError
from lorewright.tasks.entry import TaskEntry
from lorewright.templates.bme import is_template, substitute

__all__ = ["Trigger"]

_REGEX: Final = re.compile("/([^\n\r\u2028\u2029]*?)/([gimsuy]*)")
_SPACE: Final = re.compile(r"[\s\ufeff]")


class Trigger:
    """The text of one task, and what has been looked for in it. `timed_out` are keys that were given up."""

    def __init__(self, text: str, values: Mapping[str, Any], regexes: Regexes) -> None:
        self.text = text
        self._values = values
        self._runner = RegexRunner(regexes)
        self._haystack = Haystack(text)

    @property
    def timed_out(self) -> Mapping[Key, float]:
        return self._runner.timed_out

    def write(self, key: str) -> str:
        """The key with its paths filled in."""
        return substitute(key, self._values).text if is_template(key) else key

    def holds(self, key: str, entry: TaskEntry) -> bool:
        """Whether a key of an entry, as it stands, matches."""
        wanted = trim(key)
        parsed = self._as_regex(wanted) or _as_plain(wanted, entry)
        return parsed is not None and find_key(parsed, self._haystack, SILLYTAVERN, self._runner) is not None

    def _as_regex(self, text: str) -> Key | None:
        found = _REGEX.fullmatch(text) if text.startswith("/") else None
        if found is None:
            return None
        try:
            self._runner.regexes.compile(found[1], found[2])
        except RegexError:
            return None
        return Key("regex", text=found[1], flags=found[2])


def _as_plain(text: str, entry: TaskEntry) -> Key | None:
    if not text:
        return None
    needle = text if entry.case_sensitive else text.lower()
    whole = entry.whole_words and not _SPACE.search(needle)
    return Key("plain", text, "", needle, entry.case_sensitive, whole)
