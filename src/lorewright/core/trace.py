"""The answer to "why is this entry in, or not": one verdict for every entry of every book.

Decisions are stored for the entries that a loop looked at. What was decided about the others without looking at
keys (`disabled`, `no key matched` and the like) is derived when asked for, from the same inputs by the same checks.
Where a key matched is found again when asked for, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lorewright.core import reasons
from lorewright.core.activation import Activation
from lorewright.core.candidates import Decision
from lorewright.core.checks import Circumstances, check_entry
from lorewright.core.gates import Knowledge
from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.match import Haystack, RegexRunner, find_key
from lorewright.core.model import State, Turn
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Regexes
from lorewright.core.replaces import Done
from lorewright.core.scan import Scan, View

__all__ = ["Match", "Trace", "Verdict"]

_MOST_TEXTS = 16
"""Scan texts that are kept while a trace is read."""
_LATER_STEPS = range(reasons.LostGroup.step, reasons.OverBudget.step + 1)
"""Steps at which a candidate can still drop out."""


class Match(NamedTuple):
    """Where a key was found.

    source: `message`, `speaker` (it begins in the name before a message), an extra source such as
    `persona_description`, `inject` or `recursion`. message: index in `Turn.messages`. name: the speaker, the inject's
    name or, for `recursion`, the id of the entry whose text it is. start, end: code points of that source's original
    text, before trimming, prefixing and lower-casing; for `speaker`, of `Name: ` and the message together.
    text: what matched; where the match goes on behind its source, it is longer than the range.
    """

    source: str
    message: int | None
    name: str
    start: int
    end: int
    key: str
    text: str


class Verdict(NamedTuple):
    """The final word on one entry. loop: the sweep that decided, from 1 (0: none ran). badge: `rerouted` if it takes
    another channel than it asks for. replaced: what came of the replacements of an active entry, those in the client's
    texts once these are woven. Of a closed entry the title is empty."""

    entry: str
    title: str
    active: bool
    loop: int
    reason: reasons.Reason
    match: Match | None
    badge: str | None = None
    replaced: tuple[Done, ...] = ()


@dataclass(slots=True)
class Trace:
    """Everything needed to explain one evaluation."""

    lore: Lore
    scan: Scan
    now: Circumstances
    activation: Activation
    regexes: Regexes
    _haystacks: dict[View, Haystack] = field(default_factory=dict)

    def decisions(self, entry: str) -> tuple[Decision, ...]:
        """What each loop decided about an entry, stored or derived, in the order of the loops.

        Raises:
            KeyError: no active book has an entry with this id.
        """
        if entry in self.lore.closed:
            return (Decision(0, reasons.Closed()),)
        prepared = self._entry(entry)
        stored = [*self.activation.decisions.get(entry, ()), *self._sure(prepared)]
        if prepared.row is not None:
            return tuple(stored)
        seen = {decision.loop for decision in stored}
        found = list(stored)
        found += [
            Decision(loop.sweep.number, check_entry(prepared, loop.sweep, self.now) or reasons.NoKeyMatched())
            for loop in self.activation.loops
            if loop.sweep.number not in seen and not self._left_before(stored, loop.sweep.number)
        ]
        # In one loop an entry first becomes a candidate, then may lose its group, its draw, its place in the budget.
        return tuple(sorted(found, key=lambda d: (d.loop, not d.reason.activates, d.reason.step)))

    def why(self, entry: str) -> Verdict:
        """The verdict: of all decisions the one that came nearest to the prompt; the first of equals.

        Raises:
            KeyError: no active book has an entry with this id.
        """
        if entry in self.lore.closed:
            return Verdict(entry, "", False, 0, reasons.Closed(), None)
        prepared = self._entry(entry)
        found, slot = self._judge(prepared), prepared.traits.slot
        badge = slot.route.badge if slot else None
        rewriter = self.activation.rewriter if found.active else None
        return found._replace(badge=badge, replaced=rewriter.done_by(prepared) if rewriter else ())

    def _judge(self, prepared: Prepared) -> Verdict:
        entry = prepared.id
        active = entry in self.activation.activated
        emptied = self.lore.emptied_by
        if emptied is not None:
            return Verdict(entry, prepared.title, False, 0, reasons.BrokenContent(emptied.id), None)
        decisions = [d for d in self.decisions(entry) if active or not d.reason.activates]
        if not decisions:
            return Verdict(entry, prepared.title, False, 0, reasons.NoLoop(), None)
        chosen = max(decisions, key=lambda decision: (decision.reason.step, -decision.loop))
        return Verdict(
            entry, prepared.title, active, chosen.loop, chosen.reason, self.locate(self._found(chosen, entry))
        )

    def spoil(self, verdict: Verdict, turn: Turn) -> Verdict:
        """The verdict, of a closed entry with its title and the gates that are closed. `turn` is what the gates were
        measured against, with the variables of the conversation (`Woven.turn`)."""
        closed = self.lore.closed.get(verdict.entry)
        if closed is None:
            return verdict
        shut = self.lore.find_shut(verdict.entry, Knowledge.of(turn, State()), turn.character)
        return verdict._replace(title=closed.title, reason=reasons.ClosedBy(shut))

    def all(self) -> Iterator[Verdict]:
        """A verdict for every entry, in priority order; the closed ones at the end, in the order of their books."""
        return (self.why(identity) for identity in (*self.lore.ranks, *self.lore.closed))

    def _entry(self, entry: str) -> Prepared:
        if (found := self.lore.find(entry)) is None:
            raise KeyError(entry)
        return found

    def _sure(self, entry: Prepared) -> Iterator[Decision]:
        """Decisions of loops that only noted that one of the entry's keys matches."""
        rank = self.lore.ranks[entry.id]
        for loop, view, ranks in self.activation.sure:
            if rank in ranks:
                runner = RegexRunner(self.regexes)
                haystack = self._text(view)
                for place, key in enumerate(entry.keys):
                    if find_key(key, haystack, self.lore.policy, runner):
                        yield Decision(loop, reasons.KeyMatched(entry.written_key(place)), view, key)
                        break

    def _text(self, view: View) -> Haystack:
        found = self._haystacks.get(view)
        if found is None:
            if len(self._haystacks) >= _MOST_TEXTS:
                self._haystacks.clear()
            found = self._haystacks[view] = Haystack(self.scan.text(view))
        return found

    def _left_before(self, stored: list[Decision], loop: int) -> bool:
        """Whether the entry was already in, or out for good, before this loop."""
        final = {"draw_failed", "overruled", "over_cap"}
        if not self.lore.policy.switches.budget_stops_at_refusal:
            final.add("over_budget")
        let_in = {decision.loop for decision in stored if decision.reason.activates}
        lost = {decision.loop for decision in stored if decision.reason.step in _LATER_STEPS}
        return any(decision.loop < loop and decision.reason.code in final for decision in stored) or any(
            number < loop for number in let_in - lost
        )

    def _found(self, decision: Decision, entry: str) -> Decision:
        """The decision that knows the matching key: this one, or the one of the same loop that let the entry in."""
        if decision.key is not None:
            return decision
        same = (d for d in self.decisions(entry) if d.loop == decision.loop and d.key is not None)
        return next(same, decision)

    def locate(self, decision: Decision) -> Match | None:
        """Find the place of the key that a decision names; None for decisions that no key made."""
        key, view = decision.key, decision.view
        if key is None or view is None:
            return None
        written = decision.reason.data()
        return self.find(key, view, str(written.get("primary") or written.get("key") or key.text))

    def find(self, key: Key, view: View, raw: str) -> Match | None:
        """The first place of a key in a view."""
        haystack = self._text(view)
        span = find_key(key, haystack, self.lore.policy, RegexRunner(self.regexes))
        if span is None or key.kind == "always":
            return None
        place, start, end = self.scan.locate(view, *span)
        text = haystack.text[span[0] : span[1]]
        if place.source != "message":
            return Match(place.source, None, place.name, start, end, raw, text)
        if start < place.prefix:
            return Match("speaker", place.message, place.name, start, end, raw, text)
        return Match("message", place.message, place.name, start - place.prefix, end - place.prefix, raw, text)
