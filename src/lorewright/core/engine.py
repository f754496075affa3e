"""`assemble`: a turn, the lore and the state in; the assembly and the next state out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from lorewright.core import javascript
from lorewright.core.activation import Activated, Activation, Machine
from lorewright.core.budget import Budget
from lorewright.core.checks import Circumstances
from lorewright.core.draw import draw_for
from lorewright.core.gates import Knowledge, gates_before, is_open
from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.lore_scripts import rewrite_lore
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import AuthorsNote, Report, State, Turn
from lorewright.core.place import Placed, place_entries, place_with_constraint
from lorewright.core.policy import RowRules
from lorewright.core.prepared import Prepared
from lorewright.core.protocols import Opening, RenderContext, Tools
from lorewright.core.scan import scan_turn
from lorewright.core.timers import Effects, finish_timers, start_timers
from lorewright.core.trace import Trace
from lorewright.core.variables import Values

__all__ = ["Assembly", "assemble"]

_SHOWN_ROUTES: Final = 20


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


def assemble(
    turn: Turn, lore: Lore, state: State, tools: Tools, scanned: Turn | None = None, memo: Memo = ANEW
) -> Assembly:
    """Decide which entries of the lore enter the prompt of this turn, and where they stand.

    Pure: the same turn, lore, state and draws give the same assembly. `lore` carries the policy it was made for.
    `scanned` is the turn with the messages in which keys are looked for, if these are other ones. `memo` keeps
    what was made of messages in earlier turns.
    """
    with _opened(tools) as opened:
        return _assemble(turn, lore, state, opened, scanned or turn, memo)


@contextmanager
def _opened(tools: Tools) -> Iterator[Tools]:
    """The tools for one evaluation."""
    if not isinstance(tools.renderer, Opening):
        yield tools
        return
    with tools.renderer.open() as renderer:
        yield replace(tools, renderer=renderer)


def _assemble(turn: Turn, lore: Lore, state: State, tools: Tools, seen: Turn, memo: Memo) -> Assembly:
    known = Knowledge.of(turn, state)
    lore = lore.open_to(known, turn.character)
    if lore.policy.rows is not None:
        return _assemble_rows(turn, lore, state, tools, lore.policy.rows)
    turn = _without_closed(turn, lore, known)
    variables = Values.of(turn, state)
    scan = scan_turn(
        seen, lore.policy, lambda text, messages: _render(text, turn, lore, tools, messages, variables), memo
    )
    chance = tools.draw or draw_for(turn, len(scan.messages), lore)
    messages = turn.earlier_messages + len(scan.messages)
    effects = start_timers(state, lore, messages, dry_run=turn.dry_run)
    now = Circumstances.of(turn, lore.policy, effects)
    budget = Budget(lore.policy, tools.counter, turn.context_tokens)
    empty = not lore.entries or lore.emptied_by is not None
    search = tools.matcher.open(lore, scan)
    activation = (
        Activation(variables=variables)
        if empty
        else Machine(lore, turn, scan, search, now, budget, tools, chance, variables).run()
    )
    activated = rewrite_lore(
        [_with_depth(item, len(scan.messages)) for item in activation.activated.values()],
        activation, lore, turn, tools, chance,
    )  # fmt: skip
    place = place_with_constraint if lore.uses_authority else place_entries
    return Assembly(
        profile=lore.policy.name,
        activated=activated,
        placed=_untouched(turn.authors_note) if empty else place(activated, turn.authors_note, lore),
        state=_finish(
            finish_timers(effects, (item.entry for item in activated), dry_run=turn.dry_run), activation, turn
        ),
        trace=Trace(lore, scan, now, activation, tools.regexes),
        counter=tools.counter.name,
        limit_tokens=budget.limit,
        used_tokens=budget.used,
        reports=(
            *lore.reports,
            *_of_routes(lore),
            *_reports(search.timed_out, lore),
            *_of_texts(activation),
            *_of_replaces(activation),
        ),
    )


def _assemble_rows(turn: Turn, lore: Lore, state: State, tools: Tools, rules: RowRules) -> Assembly:
    """The same with entries that are rows of RisuAI: they have no timers, and remember in variables."""
    # Loaded with the first of them: most programs never play one.
    from lorewright.core.active_rows import RowOutcome
    from lorewright.core.passes import Passes
    from lorewright.core.row_places import as_placed, place_rows
    from lorewright.core.row_scan import chat_length, scan_rows

    scan = scan_rows(turn)
    chance = tools.draw or draw_for(turn, len(scan.messages), lore)
    count = chat_length(turn, scan)
    passes = Passes(lore, turn, scan, tools, chance, Values.of(turn, state), count)
    activation = passes.run()
    outcome = activation.rows or RowOutcome()
    activated = rewrite_lore(tuple(activation.activated.values()), activation, lore, turn, tools, chance)
    texts = {item.entry.id: item.text for item in activated}
    visible = sum(not message.hidden for message in turn.messages)
    note = turn.authors_note.text if turn.authors_note else None
    now = Circumstances.of(turn, lore.policy, Effects(count, {}, {}, state))
    reports = [*lore.reports, *_reports(passes.search.runner.timed_out, lore)]
    if passes.failed_by is not None:
        reports.append(_bare_position(passes.failed_by))
    return Assembly(
        profile=lore.policy.name,
        activated=activated,
        placed=as_placed(place_rows(outcome, texts, rules), visible, note),
        state=_finish(state, activation, turn),
        trace=Trace(lore, scan, now, activation, tools.regexes),
        counter=tools.counter.name,
        limit_tokens=outcome.limit_tokens,
        used_tokens=outcome.used_tokens,
        reports=(*reports, *_of_texts(activation)),
    )


def _bare_position(entry: Prepared) -> Report:
    return Report(
        code="position_without_place",
        level="error",
        message="`@@position` names no place. RisuAI fails then, so no entry of any book is used in this turn. "
        "Name a place, such as after_desc.",
        book=entry.book,
        entry=entry.id,
        field="content",
    )


def _with_depth(item: Activated, messages: int) -> Activated:
    """With the depth from the end of the chat, where a decorator line counts from its start."""
    entry = item.entry
    if entry.decoration is None or not entry.decoration.from_oldest:
        return item
    depth = max(0, messages - int(javascript.number(entry.traits.depth)))
    return item._replace(entry=replace(entry, traits=replace(entry.traits, depth=depth)))


def _finish(state: State, activation: Activation, turn: Turn) -> State:
    """The state with what the texts wrote. What the turn said of variables is the turn's."""
    if turn.dry_run or not activation.writes:
        return state
    values = Values(state.variables, state.global_variables).after(activation.writes)
    return replace(state, variables=values.local, global_variables=values.shared)


def _of_routes(lore: Lore) -> Iterator[Report]:
    """That entries take another channel than they ask for is never silent (spec injection-engine §8.5)."""
    if not lore.rerouted:
        return
    names = [f"`{entry.id}`" for entry in lore.rerouted]
    shown = ", ".join(names[:_SHOWN_ROUTES]) + (", …" if len(names) > _SHOWN_ROUTES else "")
    subject = "1 selective entry" if len(names) == 1 else f"{len(names)} selective entries"
    yield Report(
        code="cache_rerouted",
        message=f"{subject} of the channel `system` {'takes' if len(names) == 1 else 'take'} the channel `message`, so "
        f"that the beginning of the prompt stays as it is: {shown}. Set `cache_unsafe` on an entry, or `cache_safe: "
        "false` in the `defaults` of the book, to keep them in the system prompt.",
        book=lore.books[0].book.name if len(lore.books) == 1 else "",
        field="channel",
    )


def _of_texts(activation: Activation) -> Iterator[Report]:
    """What rendering reported: of the texts that are in, then of those whose code was refused."""
    for item in activation.activated.values():
        yield from _placed(activation.reports.get(item.entry.id, ()), item.entry)
    for entry, reports in activation.refused:
        yield from _placed(reports, entry)


def _placed(reports: Iterable[Report], entry: Prepared) -> Iterator[Report]:
    return (replace(report, book=entry.book, entry=entry.id, field="content") for report in reports)


def _of_replaces(activation: Activation) -> Iterator[Report]:
    if activation.rewriter is not None:
        yield from activation.rewriter.reports


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


def _render(text: str, turn: Turn, lore: Lore, tools: Tools, messages: int, variables: Values) -> str:
    if not tools.renderer.is_template(text):
        return text
    chance = tools.draw or draw_for(turn, messages)
    count = iter(range(2**31))
    context = RenderContext(
        turn, lambda: chance.number("", "macro", next(count)), lore.open_books, lore.policy.name, variables
    )
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
