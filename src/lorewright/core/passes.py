"""RisuAI's way of activating rows: pass after pass over those that are not in yet (spec risu §8.2 to §8.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lorewright.core import javascript, reasons
from lorewright.core.activation import Activated, Activation, Loop
from lorewright.core.active_rows import ActiveRow, RowOutcome, inject_rows, limit_tokens
from lorewright.core.candidates import Decision, Writer
from lorewright.core.checks import Sweep, check_gate
from lorewright.core.decorator_reasons import ChildOff, IsChild, IsKept, IsSpent, KeysRefused
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.policy import RowRules
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Counter, Draw, Rendered, Tools
from lorewright.core.row_search import Hit, RowSearch, row_view
from lorewright.core.rows import KeySet, Row
from lorewright.core.scan import Chunk, Scan, View
from lorewright.core.variables import Values, Write

__all__ = ["KEPT", "SPENT", "Passes"]

KEPT: Final = "__internal_ka_"
SPENT: Final = "__internal_da_"
"""What the names of the variables begin with that remember an activation, and the value they get."""
_YES: Final = "true"
_NO_KEY: Final = reasons.NoKeyMatched()


class Passes:
    """The passes of one evaluation. `variables` are those before it; `count` is the chat's length with the greeting."""

    def __init__(
        self,
        lore: Lore,
        turn: Turn,
        scan: Scan,
        tools: Tools,
        chance: Draw,
        variables: Values,
        count: int,
    ) -> None:
        self.lore = lore
        self.rules = lore.policy.rows or RowRules()
        self.settings = lore.policy.settings
        self.turn = turn
        self.scan = scan
        self.counter: Counter = tools.counter
        self.writer = Writer(turn, lore, tools, chance, variables)
        self.is_template = tools.renderer.is_template
        self.chance = chance
        self.variables = variables
        self.count = count
        self.search = RowSearch(scan, tools.regexes, self.rules)
        self.outcome = Activation()
        self.active: dict[str, ActiveRow] = {}
        self.hits: list[Hit] = []
        self.memories: dict[str, str] = {}
        self.leaking: set[str] = set()
        self.failed_by: Prepared | None = None
        """The row on whose account all fail."""
        self.fresh = -1, ""
        self.last_began = 0
        """How many texts of rows there were when the last pass began."""
        self.draws: dict[str, int] = {}
        self.said: dict[str, reasons.Reason] = {}
        self.rows = [(entry, entry.row) for entry in lore.entries if entry.row is not None]

    def run(self) -> Activation:
        """Run passes until one activates no row whose text is scanned; then spend the budget and put the texts in
        order."""
        while self.run_pass():
            pass
        if self.failed_by is not None:
            return Activation(variables=self.variables)
        self.finish()
        return self.outcome

    def run_pass(self) -> bool:
        number = len(self.outcome.loops) + 1
        before = len(self.scan.chunks)
        self.fresh = -1, ""
        added: list[str] = []
        for place, (entry, row) in enumerate(self.rows):
            if entry.id in self.active or self.still_waits(entry, row):
                continue
            reason, hit, shown = self.look(entry, row)
            if self.failed_by is not None:
                return False
            self.note(entry, Decision(number, reason, hit.view if hit else None, hit.key if hit else None))
            if reason.activates:
                added.append(entry.id)
                self.activate(entry, row, shown, place)
        recursed = len(self.scan.chunks) > before
        self.last_began = before
        sweep = Sweep(number, "recursion" if number > 1 else "initial", 0, 0, len(self.scan.chunks))
        survivors = tuple(entry for entry, _ in self.rows if entry.id in added)
        self.outcome.loops.append(
            Loop(sweep, "recursion" if recursed else None, survivors, tuple(added), (), 0, overflowed=False)
        )
        return recursed

    def still_waits(self, entry: Prepared, row: Row) -> bool:
        """Whether a row that no key let in before waits for keys alone, and none is in the texts that came since the
        last pass began."""
        if not row.waits_for or self.said.get(entry.id) != _NO_KEY:
            return False
        if self.fresh[0] != len(self.scan.chunks):
            self.fresh = len(self.scan.chunks), self.search.fresh(self.last_began)
        return not any(needle in self.fresh[1] for needle in row.waits_for)

    def note(self, entry: Prepared, decision: Decision) -> None:
        """Keep a decision that says something new."""
        if self.said.get(entry.id) != decision.reason:
            self.said[entry.id] = decision.reason
            self.outcome.log.append((entry, decision))

    # -- one row -------------------------------------------------------------------------------------------------------

    def look(self, entry: Prepared, row: Row) -> tuple[reasons.Reason, Hit | None, Row]:
        """Why a row comes in or stays out in this pass; the key that decided; and the row whose text is shown."""
        if entry.traits.disabled:
            return reasons.Disabled(), None, row
        if row.is_skipped:
            return reasons.NoKeys(), None, row
        shown, always = row, row.always
        refused: reasons.Reason | None = None
        if row.is_child:
            parent = next((pair for pair in self._before(entry) if pair[1].id == row.id), None)
            if parent is None or parent[0].id in self.active:
                refused = ChildOff(parent[0].id if parent else None)
            else:
                shown, always = parent[1], True
        forced, gate = self.step(entry, row, shown)
        refused = refused or gate
        if forced:
            return forced, None, shown
        if refused:
            return refused, None, shown
        if always:
            return (IsChild() if row.is_child else reasons.IsConstant()), None, shown
        reason, hit = self.match(row)
        return reason, hit, shown

    def _before(self, entry: Prepared) -> Iterator[tuple[Prepared, Row]]:
        for pair in self.rows:
            if pair[0] is entry:
                return
            if not pair[0].traits.disabled:
                yield pair

    def step(self, entry: Prepared, row: Row, shown: Row) -> tuple[reasons.Reason | None, reasons.Reason | None]:
        """Go through the lines that depend on the turn: what forces the row, and what keeps it out. Every draw is
        taken."""
        if shown.directives.lacks_position and self.rules.bare_position_fails:
            self.failed_by = entry
        forced: reasons.Reason | None = None
        refused: reasons.Reason | None = None
        for name, number in shown.directives.steps:
            found: reasons.Reason | None = None
            match name:
                case "activate":
                    forced = reasons.IsDecorated()
                case "dont_activate":
                    forced = reasons.Suppressed()
                case "keep_activate_after_match":
                    if self.remembers(KEPT + row.mark(shown.full_text)):
                        forced = IsKept()
                    else:
                        self.leaking.add(KEPT)
                case "dont_activate_after_match":
                    if self.remembers(SPENT + row.mark(shown.full_text)):
                        forced = IsSpent()
                    else:
                        self.leaking.add(SPENT)
                case "probability":
                    drawn = self.draw(entry.id)
                    if drawn * 100 > number:
                        found = reasons.DrawFailed(drawn, number / 100)
                case _:
                    found = check_gate(name, number, self.count, self.turn.greeting or 0)
            refused = refused or found
        return forced, refused

    def remembers(self, name: str) -> bool:
        return _YES in (self.memories.get(name), self.variables.local.get(name))

    def draw(self, identity: str) -> float:
        """A number for a row and a pass. The first one is that of §8.4 of spec injection-engine."""
        index = self.draws.get(identity, 0)
        self.draws[identity] = index + 1
        return self.chance.number(identity, "pass" if index else "probability", index)

    def match(self, row: Row) -> tuple[reasons.Reason, Hit | None]:
        """Every set of keys must hold; the first that does not decides."""
        view = self.view(row)
        first: Hit | None = None
        secondary: str | None = None
        for wanted in row.key_sets:
            if wanted.every and not row.by_regex:
                holds, hits = self.search.find_all(wanted, view)
            else:
                hit = self.search.find_any(wanted, view, by_regex=row.by_regex)
                holds, hits = hit is not None, [hit] if hit else []
            self.hits += hits
            if holds is wanted.excludes:
                return _refusal(wanted, first, hits), hits[0] if hits else first
            if not wanted.name:
                first = hits[0]
            elif wanted.name == "secondary":
                secondary = hits[0].written
        written = first.written if first else ""
        return reasons.KeyMatched(written, "and_any" if secondary else None, secondary), first

    def view(self, row: Row) -> View:
        depth = row.directives.scan_depth
        chunks = len(self.scan.chunks) if row.directives.reads_recursion else 0
        return row_view(
            self.settings.scan_depth if depth is None else depth, len(self.scan.messages), chunks, self.rules
        )

    def activate(self, entry: Prepared, row: Row, shown: Row, place: int) -> None:
        directives = shown.directives
        text = directives.text
        self.active[entry.id] = ActiveRow(
            entry=entry,
            source=shown.title or f"lorebook {place}",
            text=text,
            directives=directives,
            order=row.order,
            priority=row.order if directives.priority is None else directives.priority,
            tokens=self.counter.count(text),
            verbatim=shown.verbatim,
        )
        own = {KEPT: "keep_activate_after_match", SPENT: "dont_activate_after_match"}
        for prefix, name in own.items():
            memory = prefix + row.mark(shown.full_text)
            wants = any(step.name == name for step in directives.steps) and not self.remembers(memory)
            if wants or (self.rules.marks_leak and prefix in self.leaking):
                self.memories[memory] = _YES
        if self.settings.recursive if directives.recursive is None else directives.recursive:
            self.scan.chunks.append(Chunk((text,), (entry.id,)))

    # -- budget, order, output -----------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Keep what fits, by priority; sort by order; put texts into others; render."""
        limit = limit_tokens(self.settings.budget_percent, self.settings.budget_cap_tokens, self.turn.context_tokens)
        used = 0
        kept: list[ActiveRow] = []
        for row in javascript.sort_descending(self.active.values(), lambda row: row.priority):
            if used + row.tokens > limit:
                refusal = reasons.OverBudget(row.tokens, limit - used)
                self.outcome.log.append((row.entry, Decision(len(self.outcome.loops), refusal)))
                continue
            used += row.tokens
            kept.append(row)
        ordered = javascript.sort_descending(kept, lambda row: row.order)
        rows, injected, lost = inject_rows(ordered)
        for row in reversed(rows):
            render = not row.verbatim and self.is_template(row.text)
            found = self.writer.render(row.entry, row.text) if render else Rendered(row.text)
            self.outcome.activated[row.entry.id] = Activated(row.entry, found.text, found.volatile, found.reads)
            self.writer.let_in(row.entry.id, found.writes)
            if found.reports:
                self.outcome.reports[row.entry.id] = found.reports
        for entry in (row.entry for row in ordered if row.entry.id in injected | lost):
            self.outcome.activated[entry.id] = Activated(entry, "")
        memories = tuple(Write("local", name, value) for name, value in self.memories.items())
        self.outcome.variables = self.writer.variables.after(memories)
        self.outcome.writes = (*self.writer.writes, *memories)
        self.outcome.rows = RowOutcome(
            rows=tuple(reversed(rows)),
            hits=tuple(self.hits),
            lost=lost,
            injected=injected,
            variables=self.memories,
            sources={identity: row.source for identity, row in self.active.items()},
            limit_tokens=limit,
            used_tokens=used,
        )


def _refusal(wanted: KeySet, first: Hit | None, hits: list[Hit]) -> reasons.Reason:
    if wanted.name == "secondary":
        return reasons.SecondaryVeto(first.written if first else "", "and_any", None)
    if wanted.name:
        return KeysRefused(wanted.name, tuple(hit.written for hit in hits))
    return reasons.NoKeyMatched()
