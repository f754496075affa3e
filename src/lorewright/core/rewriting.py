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
from lorewright.core.replaces import Allowance, Done, Target, apply_replaces

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
        self._done: dict[tuple[str, int], Done] = {}
        """By entry and place in its `replaces`."""

    def change(self, text: str, target: Target, entries: Iterable[Prepared]) -> Changed:
        """The text after the replacements of entries, each applied to the outcome of the one before."""
        by: list[str] = []
        for entry in entries:
            places = [place for place, one in enumerate(entry.replaces) if one.target == target]
            if not places:
                continue
            done = apply_replaces(text, [entry.replaces[place] for place in places], self.regexes, self.left)
            self.left = done.left
            self.reports += [one.report(entry.book, entry.id) for one in done.given_up]
            self._note(entry, places, done.done)
            if done.text != text:
                by.append(entry.id)
            text = done.text
        return Changed(text, tuple(by))

    def done_by(self, entry: Prepared) -> tuple[Done, ...]:
        """What came of each replacement of an entry until now, in their order."""
        return tuple(self._done.get((entry.id, place), Done(one)) for place, one in enumerate(entry.replaces))

    def _note(self, entry: Prepared, places: Iterable[int], found: Iterable[Done]) -> None:
        """Texts of a target add up; but an entry has one text of its own, and the last one counts."""
        for place, new in zip(places, found, strict=True):
            old = self._done.get((entry.id, place))
            self._done[entry.id, place] = _added(old, new) if old and new.replace.target != "content" else new


def _added(old: Done, new: Done) -> Done:
    return Done(new.replace, old.times + new.times, old.given_up or new.given_up)
