"""The loop: sweep over the entries, settle groups, draw, spend the budget, go on (spec world-info §5)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from lorewright.core.authority import LABELS, constraint_for, label_text
from lorewright.core.budget import Budget, is_placed
from lorewright.core.candidates import CandidateFinder, Decision, KeyDecision, Sure, Writer
from lorewright.core.checks import Circumstances, Phase, Sweep
from lorewright.core.code_reasons import CodeRefused
from lorewright.core.draw import hits
from lorewright.core.groups import GroupRules, settle_groups
from lorewright.core.lore import Lore
from lorewright.core.model import Report, Turn
from lorewright.core.prelude import start_programs
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import CodeRefusal, Draw, Search, Tools
from lorewright.core.reasons import AfterOverflow, DrawFailed, OverBudget, OverCap
from lorewright.core.rewriting import Rewriter
from lorewright.core.scan import Chunk, Scan
from lorewright.core.subjects import Subjects
from lorewright.core.variables import Values, Write

if TYPE_CHECKING:
    from lorewright.core.active_rows import RowOutcome

__all__ = ["Activated", "Activation", "Loop", "Machine"]


_TOO_LATE: Final = Report(
    code="activated_too_late",
    message="The code switches on entries after the search for entries has begun, which has no effect. Put it into an "
    "entry with the line `@@generate_before`.",
)


class Activated(NamedTuple):
    """An entry that is in, with its rendered text and the label of its tier. volatile: the text can be another one next
    turn. reads: what its macros read. pulled: ids of entries whose words its code put in. scripts: the ids of the regex scripts that changed a text that is the same in every
    turn."""

    entry: Prepared
    text: str
    volatile: bool = False
    reads: frozenset[str] = frozenset()
    scripts: tuple[str, ...] = ()
    pulled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """What one loop did. `survivors` are the entries left after the groups, in order; the others are ids."""

    sweep: Sweep
    next: Phase | None
    survivors: tuple[Prepared, ...]
    added: tuple[str, ...]
    failed: tuple[str, ...]
    level: float | str
    overflowed: bool


@dataclass
class Activation:
    """The outcome of all loops: who is in, in order of activation, what was decided on the way, the variables after the
    texts that are in, what these wrote and what rendering them reported; and of entries whose code was refused what is to
    be said. `rewriter` makes the replacements of the turn, and knows what those that were made have left to the others.
    `rows` is there if entries are rows
    (`core/passes.py`)."""

    activated: dict[str, Activated] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    log: list[tuple[Prepared, Decision | KeyDecision]] = field(default_factory=list)
    sure: list[Sure] = field(default_factory=list)
    rows: RowOutcome | None = None
    variables: Values = field(default_factory=Values)
    writes: tuple[Write, ...] = ()
    reports: dict[str, tuple[Report, ...]] = field(default_factory=dict)
    refused: list[tuple[Prepared, tuple[Report, ...]]] = field(default_factory=list)
    rewriter: Rewriter | None = None

    @cached_property
    def decisions(self) -> Mapping[str, list[Decision]]:
        """The log by entry id. Survivors that were not tried because the budget was full are added to it."""
        found: defaultdict[str, list[Decision]] = defaultdict(list)
        tried: set[tuple[str, int]] = set()
        for entry, noted in self.log:
            identity = entry.id
            decision = noted.decision(entry) if isinstance(noted, KeyDecision) else noted
            found[identity].append(decision)
            if decision.reason.step >= DrawFailed.step and not decision.reason.activates:
                tried.add((identity, decision.loop))
        for loop in self.loops:
            number, added = loop.sweep.number, set(loop.added)
            for identity in (entry.id for entry in loop.survivors):
                if identity not in added and (identity, number) not in tried:
                    found[identity].append(Decision(number, AfterOverflow()))
        return dict(found)


class Machine:
    """The loops of one evaluation. `chance` gives every random number."""

    def __init__(
        self,
        lore: Lore,
        turn: Turn,
        scan: Scan,
        search: Search,
        now: Circumstances,
        budget: Budget,
        tools: Tools,
        chance: Draw,
        variables: Values,
    ) -> None:
        self.lore = lore
        self.policy = lore.policy
        self.settings = lore.policy.settings
        self.scan = scan
        self.now = now
        self.budget = budget
        self.chance = chance
        self.writer = Writer(turn, lore, tools, self.chance, variables)
        self.finder = CandidateFinder(lore, search, now, self.writer, tools)
        self.outcome = Activation(log=self.finder.log, sure=self.finder.sure)
        self.writer.active = self.outcome.activated
        self.ranks = lore.ranks
        self.labels = lore.uses_authority
        self.sentence = ""
        """The sentence about authority, once a text with a label is in; it counts in the budget with that text."""
        self.subjects = Subjects()
        self.settled: set[int] = set()
        """Ranks of entries that are in, or out for good."""
        self.out_for_good: set[str] = set()
        self.open_levels = list(lore.levels)
        self.level: float | str = self.open_levels.pop(0) if self.open_levels else 0
        self.skew = 0

    def run(self) -> Activation:
        """Run the loops until nothing more can be activated."""
        start_programs(self.lore, self.writer, self.finder, self.outcome)
        phase: Phase | None = "initial"
        limit = self.settings.max_recursion_steps
        while phase and not (limit and len(self.outcome.loops) >= limit):
            phase = self.run_loop(phase)
        self.outcome.variables = self.writer.variables
        self.outcome.writes = self.writer.writes
        self.outcome.refused += ((entry, (_of_code(refusal),)) for entry, refusal in self.finder.refused)
        self.outcome.rewriter = self.writer.rewriter
        return self.outcome

    def run_loop(self, phase: Phase) -> Phase | None:
        number = len(self.outcome.loops) + 1
        chunks = 0 if phase == "min_activations" else len(self.scan.chunks)
        sweep = Sweep(number, phase, self.level, self.skew, chunks)
        candidates, grouped = self.finder.find(sweep, self.settled)
        survivors = self.settle(candidates, sweep) if grouped else candidates
        texts: dict[str, str] = {}
        added, failed = self.admit(survivors, number, texts)
        following = self.next_phase(phase, survivors)
        if following:
            self.recurse(survivors, texts)
        self.settled.update(self.ranks[identity] for identity in (*added, *self.out_for_good))
        self.outcome.loops.append(
            Loop(sweep, following, tuple(survivors), tuple(added), tuple(failed), self.level, self.budget.overflowed)
        )
        return following

    def record(self, entry: Prepared, decision: Decision) -> None:
        self.outcome.log.append((entry, decision))

    def settle(self, candidates: list[Prepared], sweep: Sweep) -> list[Prepared]:
        """Conflicts about a subject, then inclusion groups."""
        if self.policy.authority:
            candidates = self.settle_subjects(candidates, sweep.number)
        rules = GroupRules(
            policy=self.policy,
            sticky=self.now.effects.sticky,
            cooldown=self.now.effects.cooldown,
            activated=(item.entry for item in self.outcome.activated.values()),
            score=lambda entry: self.finder.score(entry, sweep),
            draw=lambda name: self.chance.number(name, "group", sweep.number),
        )
        survivors, losses = settle_groups(candidates, rules)
        for entry, loss in losses:
            self.record(entry, Decision(sweep.number, loss))
        return survivors

    def settle_subjects(self, candidates: list[Prepared], loop: int) -> list[Prepared]:
        """Without those that a higher tier overrules. One that was let in by an earlier loop goes out again."""
        before = [item.entry for item in self.outcome.activated.values()]
        lost = set()
        for entry, loss in self.subjects.settle(candidates, before):
            lost.add(entry.id)
            self.out_for_good.add(entry.id)
            self.record(entry, Decision(loop, loss))
            if (item := self.outcome.activated.pop(entry.id, None)) is not None:
                self.budget.refund(item.entry, item.text)
                self.writer.put_out(entry.id)
        if self.sentence and not any(self.has_label(item) for item in self.outcome.activated.values()):
            self.budget.refund_text(f"{self.sentence}\n")
            self.sentence = ""
        return [entry for entry in candidates if entry.id not in lost]

    def admit(self, survivors: list[Prepared], loop: int, texts: dict[str, str]) -> tuple[list[str], list[str]]:
        """Draw and spend for each survivor in order; returns the ids that came in and those that failed the draw.

        `texts` receives the rendered text of every entry that was tried.
        """
        added: list[str] = []
        failed: list[str] = []
        budget = self.budget
        budget.start_loop()
        for entry in survivors:
            if budget.closed and not entry.traits.ignores_budget:
                continue
            if (cap := self.settings.max_entries) and len(self.outcome.activated) >= cap:
                self.out_for_good.add(entry.id)
                self.record(entry, Decision(loop, OverCap(cap)))
                continue
            if refused := self.draw(entry):
                self.out_for_good.add(entry.id)
                failed.append(entry.id)
                self.record(entry, Decision(loop, refused))
                continue
            rendered = self.writer.text_of(entry)
            if rendered.refusal:
                self.out_for_good.add(entry.id)
                self.record(entry, Decision(loop, CodeRefused(*rendered.refusal)))
                self.outcome.refused.append((entry, (*rendered.reports, _of_code(rendered.refusal))))
                continue
            text = rendered.text
            if self.labels:
                text = label_text(text, entry.traits.standing.tier)
            item = Activated(entry, text, rendered.volatile, rendered.reads, pulled=rendered.pulled)
            sentence = constraint_for(rendered.text) if not self.sentence and self.has_label(item) else ""
            counted = text if rendered.scanned is None else rendered.scanned
            is_code_done = rendered.scanned is None or (entry.program is not None and entry.program.preprocess)
            texts[entry.id] = rendered.text if is_code_done else counted
            refusal = budget.admit(entry, counted, f"{sentence}\n" if sentence else "")
            if refusal is None:
                self.sentence = self.sentence or sentence
                self.outcome.activated[entry.id] = item
                self.writer.let_in(entry.id, rendered.writes)
                if rendered.reports:
                    self.outcome.reports[entry.id] = rendered.reports
                if rendered.activates and entry.id not in self.writer.ready:
                    self.outcome.reports[entry.id] = (*rendered.reports, _TOO_LATE)
                added.append(entry.id)
                continue
            self.record(entry, Decision(loop, OverBudget(refusal.needed_tokens, refusal.left_tokens)))
            if not self.policy.switches.budget_stops_at_refusal:
                self.out_for_good.add(entry.id)
        return added, failed

    def has_label(self, item: Activated) -> bool:
        """Whether a text that will stand somewhere carries the label of its tier."""
        return self.labels and item.entry.traits.standing.tier in LABELS and is_placed(item.entry, item.text)

    def draw(self, entry: Prepared) -> DrawFailed | None:
        if not entry.traits.rolls or entry.id in self.now.effects.sticky:
            return None
        drawn = self.policy.switches.random_draws
        if not drawn and entry.traits.chance >= 100:  # nothing to draw
            return None
        number = self.chance.number(entry.id, "probability", 0)
        passes = number * 100 <= entry.traits.chance if drawn else hits(number, entry.traits.chance)
        return (
            None
            if passes
            else DrawFailed(number, None if math.isnan(entry.traits.chance) else entry.traits.chance / 100)
        )

    # -- what comes next ------------------------------------------------------------------------------------------

    def next_phase(self, phase: Phase, survivors: list[Prepared]) -> Phase | None:
        """Which loop follows (spec world-info §5, step f)."""
        following: Phase | None = None
        open_for_more = not self.budget.closed
        unread_text = phase == "min_activations" and self.scan.chunks
        if self.settings.recursive and open_for_more and (any(self.recursing(survivors)) or unread_text):
            following = "recursion"
        if following is None and open_for_more and self.wants_more():
            self.skew += 1
            following = "min_activations"
        if following is None and self.open_levels:
            self.level = self.open_levels.pop(0)
            following = "recursion"
        return following

    def recursing(self, survivors: Iterable[Prepared]) -> Iterator[Prepared]:
        """Those whose text later loops scan: the draw was passed and, in `native`, the budget too."""
        if self.policy.switches.refused_text_recurses:
            return (e for e in survivors if not e.traits.prevent_recursion and e.id not in self.out_for_good)
        return (e for e in survivors if not e.traits.prevent_recursion and e.id in self.outcome.activated)

    def wants_more(self) -> bool:
        """Whether to look one message deeper for minimum activations."""
        settings = self.settings
        if len(self.outcome.activated) >= settings.min_activations:
            return False
        depth = settings.scan_depth + self.skew
        if not self.policy.switches.deepen_one_too_far:
            depth += 1
        limit = settings.min_activations_max_depth
        return not ((limit and depth > limit) or depth > len(self.scan.messages))

    def recurse(self, survivors: list[Prepared], texts: dict[str, str]) -> None:
        """Add this loop's texts to what later loops scan."""
        chosen = list(self.recursing(survivors))
        chunk = Chunk(tuple(texts.get(e.id, e.content) for e in chosen), tuple(e.id for e in chosen))
        text = chunk.text
        if text:
            self.scan.chunks.append(chunk)
            self.budget.end_loop(text)


def _of_code(refusal: CodeRefusal) -> Report:
    return Report(code=refusal.code, message=refusal.message, level="error")
