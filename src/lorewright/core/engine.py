"""`assemble`: a turn, the lore and the state in; the assembly and the next state out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lorewright.core.activation import Activated, Activation, Machine
from lorewright.core.budget import Budget
from lorewright.core.checks import Circumstances
from lorewright.core.draw import draw_for
from lorewright.core.gates import Knowledge, gates_before, is_open
from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.model import AuthorsNote, Report, State, Turn
from lorewright.core.place import Placed, place_entries, place_with_constraint
from lorewright.core.protocols import RenderContext, Tools
from lorewright.core.scan import scan_turn
from lorewright.core.timers import finish_timers, start_timers
from lorewright.core.trace import Trace

__all__ = ["Assembly", "assemble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What one turn gave.

    activated: in order of activation. state: what to hand to the next turn. counter: the name of the token counter
    that the limits were measured with. used_tokens: tokens of the texts that were let in, each counted by itself.
    """

    profile: str
    activated: tuple[Activated, ...]
    placed: Placed
    state: State
    trace: Trace
    counter: str
    limit_tokens: int
    used_tokens: int
    reports: tuple[Report, ...]


def assemble(turn: Turn, lore: Lore, state: State, tools: Tools) -> Assembly:
    """Decide which entries of the lore enter the prompt of this turn, and where they stand.

    Pure: the same turn, lore, state and draws give the same assembly. `lore` carries the policy it was made for.
    """
    known = Knowledge.of(turn, state)
    lore = lore.open_to(known, turn.character)
    turn = _without_closed(turn, lore, known)
    scan = scan_turn(turn, lore.policy, lambda text, messages: _render(text, turn, lore, tools, messages))
    chance = tools.draw or draw_for(turn, len(scan.messages), lore)
    messages = turn.earlier_messages + len(scan.messages)
    effects = start_timers(state, lore, messages, dry_run=turn.dry_run)
    now = Circumstances.of(turn, lore.policy, effects)
    budget = Budget(lore.policy, tools.counter, turn.context_tokens)
    empty = not lore.entries or lore.emptied_by is not None
    search = tools.matcher.open(lore, scan)
    activation = Activation() if empty else Machine(lore, turn, scan, search, now, budget, tools, chance).run()
    activated = tuple(activation.activated.values())
    place = place_with_constraint if lore.uses_authority else place_entries
    return Assembly(
        profile=lore.policy.name,
        activated=activated,
        placed=_untouched(turn.authors_note) if empty else place(activated, turn.authors_note, lore.policy),
        state=finish_timers(effects, (item.entry for item in activated), dry_run=turn.dry_run),
        trace=Trace(lore, scan, now, activation, tools.regexes),
        counter=tools.counter.name,
        limit_tokens=budget.limit,
        used_tokens=budget.used,
        reports=(*lore.reports, *_reports(search.timed_out, lore)),
    )


def _untouched(note: AuthorsNote | None) -> Placed:
    """Without any entries the author's note is left alone."""
    return Placed(authors_note=note.text if note else None)


def _without_closed(turn: Turn, lore: Lore, known: Knowledge) -> Turn:
    """The turn without entries forced from outside that are closed."""
    if not turn.forced:
        return turn
    books = {book.book.name: book.book for book in lore.books}
    forced = tuple(
        item
        for item in turn.forced
        if item.book in books
        and lore.find(f"{item.book}.{item.entry.uid}")
        and all(is_open(gate, known) for gate in gates_before(item.entry, books[item.book]))
    )
    return turn if len(forced) == len(turn.forced) else replace(turn, forced=forced)


def _render(text: str, turn: Turn, lore: Lore, tools: Tools, messages: int) -> str:
    if not tools.renderer.is_template(text):
        return text
    chance = tools.draw or draw_for(turn, messages)
    count = iter(range(2**31))
    context = RenderContext(turn, lambda: chance.number("", "macro", next(count)), lore.open_books)
    return tools.renderer.render(text, context).text


def _reports(timed_out: Mapping[Key, float], lore: Lore) -> list[Report]:
    return [
        Report(
            code="regex_timeout",
            message=f"Regex key /{key.text}/{key.flags} "
            + (f"took longer than {limit} s" if limit else "was not run, because others used up the time of the turn,")
            + " and counts as not matching. Make it simpler; nested repetition such as (a+)+ is the usual cause.",
            field="keys",
            book=lore.books[0].book.name if len(lore.books) == 1 else "",
        )
        for key, limit in timed_out.items()
    ]
