"""The loop: sweep over the entries, settle groups, draw, spend the budget, go on (spec world-info §5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from lorewright.core.budget import Budget, Refusal
from lorewright.core.checks import Circumstances, Phase, Sweep, check_entry
from lorewright.core.draw import draw_for, hits
from lorewright.core.groups import GroupRules, settle_groups
from lorewright.core.keys import Key, parse_key
from lorewright.core.logic import judge
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.prepared import Prepared, prepare_entry
from lorewright.core.protocols import Draw, Search, Tools
from lorewright.core.reasons import (
    AfterOverflow,
    DrawFailed,
    KeyMatched,
    NoKeyMatched,
    OverBudget,
    Reason,
    RegexTimedOut,
    SecondaryVeto,
)
from lorewright.core.scan import BLANK, Chunk, Scan, View, view_depth

__all__ = ["Activated", "Activation", "Decision", "Loop", "activate", "view_of"]


class Decision(NamedTuple):
    """What one loop decided about an entry. `view` and `key` tell where a key matched, if one did."""

    loop: int
    reason: Reason
    view: View | None = None
    key: Key | None = None


class Activated(NamedTuple):
    """An entry that is in, with its rendered text."""

    entry: Prepared
    text: str


@dataclass(frozen=True, slots=True)
class Loop:
    """What one loop did; entries by id. `survivors` are those left after the groups, in order."""

    sweep: Sweep
    next: Phase | None
    survivors: tuple[str, ...]
    added: tuple[str, ...]
    failed: tuple[str, ...]
    level: float | str
    overflowed: bool


@dataclass(slots=True)
class Activation:
    """The outcome of all loops: who is in, in order of activation, and every decision by entry id."""

    activated: dict[str, Activated] = field(default_factory=dict)
    decisions: dict[str, list[Decision]] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)


def view_of(entry: Prepared, sweep: Sweep, lore: Lore) -> View:
    """The part of the scan text that an entry sees in a loop."""
    own = entry.scan_depth
    depth = view_depth(lore.policy.settings.scan_depth + sweep.skew if own is None else own, lore.policy)
    return BLANK if depth is None else View(depth, entry.extras, sweep.chunks)


def activate(
    lore: Lore, turn: Turn, scan: Scan, search: Search, now: Circumstances, budget: Budget, tools: Tools
) -> Activation:
    """Run the loops until nothing more can be activated."""
    return _Machine(lore, turn, scan, search, now, budget, tools).run()


class _Machine:
    """The state of one evaluation."""

    def __init__(
        self, lore: Lore, turn: Turn, scan: Scan, search: Search, now: Circumstances, budget: Budget, tools: Tools
    ) -> None:
        self.lore = lore
        self.policy = lore.policy
        self.settings = lore.policy.settings
        self.turn = turn
        self.scan = scan
        self.search = search
        self.now = now
        self.budget = budget
        self.tools = tools
        self.chance: Draw = tools.draw or draw_for(turn)
        self.outcome = Activation()
        self.failed: set[str] = set()
        self.open_levels = list(lore.levels)
        self.level: float | str = self.open_levels.pop(0) if self.open_levels else 0
        self.skew = 0
        self.macro_draws: dict[str, int] = {}
        self.switched_on = {
            lore.ranks[identity] for identity in (*now.effects.sticky, *now.forced) if identity in lore.ranks
        }
        """Ranks of entries that are in play without any key, in this turn only."""
        self.forced = {
            f"{item.book}.{item.entry.uid}": prepare_entry(
                item.book, item.entry, self.policy, tools.regexes, tools.renderer
            )
            for item in turn.forced
        }

    def run(self) -> Activation:
        phase: Phase | None = "initial"
        limit = self.settings.max_recursion_steps
        while phase and not (limit and len(self.outcome.loops) >= limit):
            phase = self.run_loop(phase)
        return self.outcome

    def run_loop(self, phase: Phase) -> Phase | None:
        number = len(self.outcome.loops) + 1
        chunks = 0 if phase == "min_activations" else len(self.scan.chunks)
        sweep = Sweep(number, phase, self.level, self.skew, chunks)
        survivors = self.settle(self.find_candidates(sweep), sweep)
        texts: dict[str, str] = {}
        added, failed = self.admit(survivors, number, texts)
        following = self.next_phase(phase, survivors)
        if following:
            self.recurse(survivors, texts)
        self.outcome.loops.append(
            Loop(
                sweep,
                following,
                tuple(entry.id for entry in survivors),
                tuple(added),
                tuple(failed),
                self.level,
                self.budget.overflowed,
            )
        )
        return following

    # -- one sweep ------------------------------------------------------------------------------------------------

    def find_candidates(self, sweep: Sweep) -> list[Prepared]:
        """Check the entries in priority order; sticky ones come first, forced ones before all others."""
        entries = self.lore.entries
        activated = self.outcome.activated
        first: list[Prepared] = []
        forced: list[Prepared] = []
        rest: list[Prepared] = []
        sticky = self.now.effects.sticky
        for rank in self.ranks(sweep):
            entry = entries[rank]
            identity = entry.id
            if identity in activated or identity in self.failed:
                continue
            decision = self.decide(entry, sweep)
            self.record(identity, decision)
            if not decision.reason.activates:
                continue
            if decision.reason.code == "forced":
                entry = self.forced[identity]
            (first if identity in sticky else forced if decision.reason.code == "forced" else rest).append(entry)
        if not self.policy.switches.budget_ignores_constants:
            rest.sort(key=lambda entry: not entry.constant)
        return first + forced + rest

    def ranks(self, sweep: Sweep) -> list[int]:
        """Which entries to look at, in priority order."""
        depth = view_depth(self.settings.scan_depth + sweep.skew, self.policy) or 0
        worth = self.search.worth_checking(depth, sweep.chunks)
        return sorted(self.switched_on.union(worth)) if self.switched_on else sorted(worth)

    def decide(self, entry: Prepared, sweep: Sweep) -> Decision:
        reason = check_entry(entry, sweep, self.now)
        if reason is not None:
            return Decision(sweep.number, reason)
        view = view_of(entry, sweep, self.lore)
        place, key = self.first_match(entry, view)
        if key is None:
            return Decision(sweep.number, self.no_match(entry))
        primary = self.raw_key(entry, place)
        if not entry.secondary:
            return Decision(sweep.number, KeyMatched(primary), view, key)
        verdict = judge(entry.logic, entry.secondary, lambda second: self.test(entry, second, view) is not None)
        shown = None if verdict.place is None else self.raw_secondary(entry, verdict.place)
        logic = entry.logic or "unknown"
        if verdict.passes:
            return Decision(sweep.number, KeyMatched(primary, logic, shown), view, key)
        return Decision(sweep.number, SecondaryVeto(primary, logic, shown), view, key)

    def first_match(self, entry: Prepared, view: View) -> tuple[int, Key | None]:
        for place, key in enumerate(entry.keys):
            if found := self.test(entry, key, view):
                return place, found
        return -1, None

    def test(self, entry: Prepared, key: Key, view: View) -> Key | None:
        """The key as it was searched (macros expanded) if it matches."""
        if key.kind == "template":
            key = self.expand(entry, key)
        if key.kind == "never":
            return None
        return key if key.kind == "always" or self.search.matches(key, view) else None

    def expand(self, entry: Prepared, key: Key) -> Key:
        return parse_key(
            self.render(entry.id, key.text),
            case_sensitive=key.case_sensitive,
            whole_words=key.whole_words,
            policy=self.policy,
            regexes=self.tools.regexes,
        )

    def no_match(self, entry: Prepared) -> Reason:
        for key in entry.keys:
            if key in self.search.timed_out:
                return RegexTimedOut(f"/{key.text}/{key.flags}", self.search.timed_out[key])
        return NoKeyMatched()

    @staticmethod
    def raw_key(entry: Prepared, place: int) -> str:
        raw = entry.entry.keys
        return raw[place] if isinstance(raw, tuple) else entry.keys[place].text

    @staticmethod
    def raw_secondary(entry: Prepared, place: int) -> str:
        raw = entry.entry.secondary
        return raw[place] if isinstance(raw, tuple) else entry.secondary[place].text

    def render(self, identity: str, text: str) -> str:
        if not self.tools.renderer.is_template(text):
            return text

        def draw() -> float:
            index = self.macro_draws.get(identity, 0)
            self.macro_draws[identity] = index + 1
            return self.chance.number(identity, "macro", index)

        return self.tools.renderer.render(text, self.turn, draw)

    def record(self, identity: str, decision: Decision) -> None:
        self.outcome.decisions.setdefault(identity, []).append(decision)

    # -- groups, chance, budget -------------------------------------------------------------------------------------

    def settle(self, candidates: list[Prepared], sweep: Sweep) -> list[Prepared]:
        rules = GroupRules(
            policy=self.policy,
            sticky=self.now.effects.sticky,
            cooldown=self.now.effects.cooldown,
            activated=[item.entry for item in self.outcome.activated.values()],
            score=lambda entry: self.score(entry, view_of(entry, sweep, self.lore)),
            draw=lambda name: self.chance.number(name, "group", sweep.number),
        )
        survivors, losses = settle_groups(candidates, rules)
        for entry, loss in losses:
            self.record(entry.id, Decision(sweep.number, loss))
        return survivors

    def score(self, entry: Prepared, view: View) -> int:
        """How many keys match; secondary keys count by the entry's logic (spec world-info §5.2, phase 2)."""
        test: Callable[[Key], bool] = lambda key: self.test(entry, key, view) is not None  # noqa: E731
        if not entry.scoring_keys:
            return 0
        primary = sum(map(test, entry.scoring_keys))
        if entry.logic not in ("and_any", "and_all"):
            return primary
        secondary = sum(map(test, entry.scoring_secondary))
        if entry.logic == "and_all" and secondary < len(entry.scoring_secondary):
            return primary
        return primary + secondary

    def admit(self, survivors: list[Prepared], loop: int, texts: dict[str, str]) -> tuple[list[str], list[str]]:
        """Draw and spend for each survivor in order; returns the ids that came in and those that failed the draw."""
        added: list[str] = []
        failed: list[str] = []
        self.budget.start_loop()
        for entry in survivors:
            if self.budget.skips(entry):
                self.record(entry.id, Decision(loop, AfterOverflow()))
                continue
            if refused := self.draw(entry):
                self.failed.add(entry.id)
                failed.append(entry.id)
                self.record(entry.id, Decision(loop, refused))
                continue
            text = texts[entry.id] = self.render(entry.id, entry.content)
            refusal = self.budget.admit(entry, text)
            if refusal is None:
                self.outcome.activated[entry.id] = Activated(entry, text)
                added.append(entry.id)
            else:
                self.refuse(entry, loop, refusal)
        return added, failed

    def draw(self, entry: Prepared) -> DrawFailed | None:
        if not entry.rolls or entry.id in self.now.effects.sticky:
            return None
        drawn = self.policy.switches.random_draws
        if not drawn and entry.chance >= 100:  # nothing to draw
            return None
        number = self.chance.number(entry.id, "probability", 0)
        passes = number * 100 <= entry.chance if drawn else hits(number, entry.chance)
        return None if passes else DrawFailed(number, None if math.isnan(entry.chance) else entry.chance / 100)

    def refuse(self, entry: Prepared, loop: int, refusal: Refusal) -> None:
        self.record(entry.id, Decision(loop, OverBudget(refusal.needed_tokens, refusal.left_tokens)))
        if not self.policy.switches.budget_stops_at_refusal:
            self.failed.add(entry.id)

    # -- what comes next ------------------------------------------------------------------------------------------

    def next_phase(self, phase: Phase, survivors: list[Prepared]) -> Phase | None:
        """Which loop follows (spec world-info §5, step f)."""
        switches = self.policy.switches
        open_for_more = not (self.budget.overflowed and switches.budget_stops_at_refusal)
        following: Phase | None = None
        if self.settings.recursive and open_for_more:
            if any(not entry.prevent_recursion for entry in self.recursing(survivors)):
                following = "recursion"
            elif phase == "min_activations" and self.scan.chunks:
                following = "recursion"
        if following is None and open_for_more and self.wants_more():
            self.skew += 1
            following = "min_activations"
        if following is None and self.open_levels:
            self.level = self.open_levels.pop(0)
            following = "recursion"
        return following

    def recursing(self, survivors: list[Prepared]) -> list[Prepared]:
        """Those whose text may be scanned by later loops: the draw was passed and, in `native`, the budget too."""
        if self.policy.switches.refused_text_recurses:
            return [entry for entry in survivors if entry.id not in self.failed]
        return [entry for entry in survivors if entry.id in self.outcome.activated]

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
        chosen = [entry for entry in self.recursing(survivors) if not entry.prevent_recursion]
        chunk = Chunk(tuple(texts.get(e.id, e.content) for e in chosen), tuple(e.id for e in chosen))
        text = chunk.text
        if text:
            self.scan.chunks.append(chunk)
            self.budget.end_loop(text)
