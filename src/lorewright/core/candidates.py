"""One sweep: which entries are candidates (spec world-info §4), and what was decided about each."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from lorewright.core.authority import TIERS
from lorewright.core.checks import Circumstances, Sweep, check_entry
from lorewright.core.code_reasons import CodeRefused, ConditionFailed, NotText
from lorewright.core.decorator_reasons import KeysRefused
from lorewright.core.keys import Key, parse_key
from lorewright.core.logic import Verdict, judge
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.prepared import Prepared, prepare_entry
from lorewright.core.program import Program
from lorewright.core.protocols import CodeRefusal, Draw, RenderContext, Rendered, Search, Tools
from lorewright.core.reasons import KeyMatched, NoKeyMatched, Reason, RegexTimedOut, SecondaryVeto
from lorewright.core.replaces import Allowance
from lorewright.core.rewriting import Rewriter
from lorewright.core.scan import BLANK, View, view_depth
from lorewright.core.variables import Values, Write

__all__ = ["CandidateFinder", "Candidates", "Decision", "KeyDecision", "Sure", "Writer", "view_of"]


_NO_KEY: Final = NoKeyMatched()


class Decision(NamedTuple):
    """What one loop decided about an entry. `view` and `key` tell where a key matched, if one did."""

    loop: int
    reason: Reason
    view: View | None = None
    key: Key | None = None


class KeyDecision(NamedTuple):
    """A decision that keys made, as it is noted down: which primary key matched (by place), as what it was searched,
    and what the secondary keys said. `decision` puts it into words; most are never asked for."""

    loop: int
    view: View
    place: int
    key: Key
    verdict: Verdict | None

    def decision(self, entry: Prepared) -> Decision:
        """The same with its reason."""
        primary = entry.written_key(self.place)
        verdict = self.verdict
        if verdict is None:
            return Decision(self.loop, KeyMatched(primary), self.view, self.key)
        shown = None if verdict.place is None else entry.written_secondary(verdict.place)
        logic = entry.traits.logic or "unknown"
        reason = KeyMatched(primary, logic, shown) if verdict.passes else SecondaryVeto(primary, logic, shown)
        return Decision(self.loop, reason, self.view, self.key)


def view_of(entry: Prepared, sweep: Sweep, lore: Lore) -> View:
    """The part of the scan text that an entry sees in a loop."""
    own = entry.traits.scan_depth
    depth = view_depth(lore.policy.settings.scan_depth + sweep.skew if own is None else own, lore.policy)
    return BLANK if depth is None else View(depth, entry.traits.extras, sweep.chunks)


class Writer:
    """Renders texts of entries for one turn, counts the random numbers each entry's macros take, and keeps what the
    texts that are let in write."""

    def __init__(self, turn: Turn, lore: Lore, tools: Tools, draw: Draw, variables: Values) -> None:
        self.turn = turn
        self.rewriter = Rewriter(tools.regexes, Allowance(lore.policy.settings.replace_seconds))
        self.variables = variables
        self._first = variables
        self._writes: dict[str, tuple[Write, ...]] = {}
        self.lore = lore
        self.renderer = tools.renderer
        self.draw = draw
        self.active: Collection[str] = ()
        """Ids of the entries that are in so far."""
        self.ready: dict[str, Rendered] = {}
        """Contents that were rendered before their turn came, by id."""
        self._taken: dict[str, int] = {}

    def render(self, entry: Prepared, text: str, kind: Literal["content", "code", "key"] = "content") -> Rendered:
        """The text with its macros expanded, and, but for a key, with its code run. `code`: it is no content."""
        if kind == "content" and entry.id in self.ready:
            return self.ready[entry.id]

        def draw() -> float:
            index = self._taken.get(entry.id, 0)
            self._taken[entry.id] = index + 1
            return self.draw.number(entry.id, "macro", index)

        context = RenderContext(
            self.turn,
            draw,
            self.lore.open_books,
            self.lore.policy.name,
            self.variables,
            entry.book,
            entry.entry if kind != "key" else None,
            self.active,
            self.lore.policy.code_books,
        )
        return self.renderer.render(text, context)

    def text_of(self, entry: Prepared) -> Rendered:
        """The entry's text: its macros expanded, then its own replacements made."""
        found = self.render(entry, entry.content) if entry.is_template else Rendered(entry.content)
        if not entry.replaces or found.refusal:
            return found
        return found._replace(text=self.rewriter.change(found.text, "content", [entry]).text)

    def let_in(self, entry: str, writes: tuple[Write, ...]) -> None:
        """What an entry's text wrote is true from now on."""
        if writes:
            self._writes[entry] = writes
            self.variables = self.variables.after(writes)

    def put_out(self, entry: str) -> None:
        """What it wrote is not true any longer."""
        if self._writes.pop(entry, ()):
            self.variables = self._first.after(self.writes)

    @property
    def writes(self) -> tuple[Write, ...]:
        """Everything that is written now, in order."""
        return tuple(write for writes in self._writes.values() for write in writes)


class Sure(NamedTuple):
    """Entries (by rank) of which a loop knows that a key matches in a view; which one is derived when asked for."""

    loop: int
    view: View
    ranks: Collection[int]


class Candidates(NamedTuple):
    """The candidates of a sweep in order, and whether any of them is in an inclusion group or has a subject."""

    entries: list[Prepared]
    grouped: bool


class CandidateFinder:
    """Checks entries and their keys, loop after loop.

    `log` grows by one decision for each entry looked at, `sure` by one record for each loop.
    """

    def __init__(self, lore: Lore, search: Search, now: Circumstances, writer: Writer, tools: Tools) -> None:
        self.lore = lore
        self.policy = lore.policy
        self.search = search
        self.now = now
        self.writer = writer
        self.tools = tools
        self.log: list[tuple[Prepared, Decision | KeyDecision]] = []
        self.sure: list[Sure] = []
        self.refused: list[tuple[Prepared, CodeRefusal]] = []
        """Entries whose code could not be asked whether they come in."""
        self._enabled: dict[str, Prepared] = {}
        self._conditions: dict[str, Reason | None] = {}
        self._switched_on = {
            lore.ranks[identity] for identity in (*now.effects.sticky, *now.forced) if identity in lore.ranks
        }
        self._forced = {
            f"{item.book}.{item.entry.uid}": prepare_entry(
                item.book,
                item.entry,
                self.policy,
                tools.regexes,
                tools.renderer,
                next((book.book for book in lore.books if book.book.name == item.book), None),
            )
            for item in writer.turn.forced
        }

    def enable(self, entry: Prepared, *, force: bool) -> None:
        """Let code enable an entry, or switch it on."""
        enabled = replace(entry, simple=False, traits=replace(entry.traits, disabled=False))
        self._enabled[entry.id] = enabled
        self._switched_on.add(self.lore.ranks[entry.id])
        if force:
            self._forced[entry.id] = enabled
            self.now = replace(self.now, forced=self.now.forced | {entry.id})

    def find(self, sweep: Sweep, settled: AbstractSet[int]) -> Candidates:
        """The candidates of a sweep: active sticky entries, forced ones, then by priority (in `native` constants
        before the others).

        Entries whose ranks are `settled` are in already, or out for good, and are not looked at.
        """
        depth = view_depth(self.policy.settings.scan_depth + sweep.skew, self.policy)
        usual = View(depth or 0, 0, sweep.chunks, blank=depth is None)
        sure, maybe = self.search.worth_checking(usual)
        sure = set(sure).difference(settled, self._switched_on)
        self.sure.append(Sure(sweep.number, usual, sure))
        sticky: list[Prepared] = []
        forced: list[Prepared] = []
        keyed = list(sure)
        constants: list[Prepared] = []
        grouped = False
        constants_first = not self.policy.switches.budget_ignores_constants
        for rank in sorted(self._switched_on.union(maybe).difference(settled, sure)):
            entry = self.lore.entries[rank]
            entry = self._enabled.get(entry.id, entry)
            decision = self._decide(entry, sweep, usual)
            self.log.append((entry, decision))
            is_forced = False
            if not _lets_in(decision):
                continue
            if isinstance(decision, Decision) and decision.reason.code == "forced":
                is_forced = True
                entry = self._forced[entry.id]
            grouped = grouped or bool(entry.traits.groups or entry.traits.standing.subject)
            if entry.id in self.now.effects.sticky:
                sticky.append(entry)
            elif is_forced:
                forced.append(entry)
            elif constants_first and entry.traits.constant:
                constants.append(entry)
            else:
                keyed.append(rank)
        keyed.sort()
        by_key = [self.lore.entries[rank] for rank in keyed]
        if self.lore.uses_authority:
            for group in (sticky, forced, constants, by_key):
                group.sort(key=lambda entry: self._precedence(entry, sweep))
        ordered = [*sticky, *forced, *constants, *by_key]
        if any(entry.decoration is not None and entry.decoration.yields for entry in ordered):
            ordered.sort(key=lambda entry: entry.decoration is not None and entry.decoration.yields)
        return Candidates(ordered, grouped)

    def _precedence(self, entry: Prepared, sweep: Sweep) -> tuple[float, int, int, float, str]:
        """The place in the order of authority: effective weight, tier, matching keys, order, id (DESIGN §7)."""
        standing = entry.traits.standing
        view = view_of(entry, sweep, self.lore)
        hits = sum(self._test(entry, key, view) is not None for key in entry.keys)
        weight = standing.effective_weight(self.policy.settings.authority_discount)
        return -weight, TIERS.index(standing.tier), -hits, -entry.order, entry.id

    def score(self, entry: Prepared, sweep: Sweep) -> int:
        """How many keys match; secondary keys count by the entry's logic (spec world-info §5.2, phase 2)."""
        view = view_of(entry, sweep, self.lore)
        if not entry.scoring_keys:
            return 0
        primary = sum(self._test(entry, key, view) is not None for key in entry.scoring_keys)
        if entry.traits.logic not in ("and_any", "and_all"):
            return primary
        secondary = sum(self._test(entry, key, view) is not None for key in entry.scoring_secondary)
        if entry.traits.logic == "and_all" and secondary < len(entry.scoring_secondary):
            return primary
        return primary + secondary

    def _decide(self, entry: Prepared, sweep: Sweep, usual: View) -> Decision | KeyDecision:
        found = self._decide_by_fields(entry, sweep, usual)
        if entry.program is None or not _lets_in(found):
            return found
        if entry.id not in self._conditions:
            self._conditions[entry.id] = self._check_program(entry, entry.program)
        refused = self._conditions[entry.id]
        return Decision(sweep.number, refused) if refused else found

    def _check_program(self, entry: Prepared, program: Program) -> Reason | None:
        """What the entry's code says against it. Where it could not be asked, `refused` tells."""
        if program.locked:
            return self._refuse(entry, program.locked)
        if program.refused:
            return CodeRefused("not_played", f"`{program.refused}` is not played here")
        if program.initial:
            return NotText()
        if not program.condition:
            return None
        found = self.writer.render(entry, f"<%= ({program.condition}) ? 1 : '' %>", "code")
        if found.refusal:
            return self._refuse(entry, found.refusal)
        return None if found.text else ConditionFailed(program.condition)

    def _refuse(self, entry: Prepared, refusal: CodeRefusal) -> Reason:
        self.refused.append((entry, refusal))
        return CodeRefused(*refusal)

    def _decide_by_fields(self, entry: Prepared, sweep: Sweep, usual: View) -> Decision | KeyDecision:
        if entry.simple and entry.id not in self._forced:
            return self._match(entry, sweep.number, usual)
        reason = check_entry(entry, sweep, self.now)
        if reason is not None:
            return Decision(sweep.number, reason)
        return self._match(entry, sweep.number, view_of(entry, sweep, self.lore))

    def _match(self, entry: Prepared, number: int, view: View) -> Decision | KeyDecision:
        """Steps 17 and 18: the keys decide."""
        place, key = self._first_match(entry, view)
        if key is None:
            return Decision(number, self._no_match(entry))
        if entry.queries and (refused := self._query(entry, view)):
            return Decision(number, refused, view, key)
        if not entry.secondary:
            return KeyDecision(number, view, place, key, None)
        verdict = judge(entry.traits.logic, entry.secondary, lambda second: self._test(entry, second, view) is not None)
        return KeyDecision(number, view, place, key, verdict)

    def _query(self, entry: Prepared, view: View) -> Reason | None:
        """What the keys of decorator lines say: the first line that refuses."""
        for wanted in entry.queries:
            found = [key.text for key in wanted.keys if self._test(entry, key, view) is not None]
            holds = bool(found) and (not wanted.every or len(found) == len(wanted.keys))
            if holds is wanted.excludes:
                return KeysRefused(wanted.name, tuple(found))
        return None

    def _first_match(self, entry: Prepared, view: View) -> tuple[int, Key | None]:
        for place, key in enumerate(entry.keys):
            if found := self._test(entry, key, view):
                return place, found
        return -1, None

    def _test(self, entry: Prepared, key: Key, view: View) -> Key | None:
        """The key as it was searched (macros expanded) if it matches."""
        if key.kind == "template":
            key = self._expand(entry, key)
        return key if self.search.matches(key, view) else None

    def _expand(self, entry: Prepared, key: Key) -> Key:
        return parse_key(
            self.writer.render(entry, key.text, "code" if entry.program and entry.program.preprocess else "key").text,
            case_sensitive=key.case_sensitive,
            whole_words=key.whole_words,
            policy=self.policy,
            regexes=self.tools.regexes,
        )

    def _no_match(self, entry: Prepared) -> Reason:
        timed_out = self.search.timed_out
        slow = next((key for key in entry.keys if key in timed_out), None) if timed_out else None
        return _NO_KEY if slow is None else RegexTimedOut(f"/{slow.text}/{slow.flags}", timed_out[slow])


def _lets_in(decision: Decision | KeyDecision) -> bool:
    if isinstance(decision, KeyDecision):
        return decision.verdict is None or decision.verdict.passes
    return decision.reason.activates
