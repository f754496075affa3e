"""What active entries replace in texts of a request (spec injection-engine §8.6).

`content`: in the entry's own text, before it is counted and placed. `system`: in every text of the system prompt, as it
is sent in this turn. `user`: in what the user has said since the last reply; that stays as it was sent, like a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lorewright.core.model import Report
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Regexes
from lorewright.core.replaces import Allowance, Target, apply_replaces

__all__ = ["Changed", "Rewriter"]


class Changed(NamedTuple):
    """A text after replacing, and the entries that changed it, in their order."""

    text: str
    by: tuple[str, ...] = ()


class Rewriter:
    """Makes the replacements of one turn, within what they may use together. `left` is what is left of that; what is
    given up is in `reports`."""

    def __init__(self, regexes: Regexes, left: Allowance) -> None:
        self.regexes = regexes
        self.left = left
        self.reports: list[Report] = []

    def change(self, text: str, target: Target, entries: Iterable[Prepared]) -> Changed:
        """The text after the replacements of entries, each applied to the outcome of the one before."""
        by: list[str] = []
        for entry in entries:
            found = tuple(one for one in entry.replaces if one.target == target)
            if not found:
                continue
            done = apply_replaces(text, found, self.regexes, self.left)
            self.left = done.left
            self.reports += [one.report(entry.book, entry.id) for one in done.given_up]
            if done.text != text:
                by.append(entry.id)
            text = done.text
        return Changed(text, tuple(by))
