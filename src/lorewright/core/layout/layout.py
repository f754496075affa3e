"""`lay_out`: a preset, a scene and the lore of a turn in; the final messages out (spec prompt-assembly)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from operator import not_

from lorewright.core.layout.account import Account, LeftOut
from lorewright.core.layout.assembly import assemble_prompt
from lorewright.core.layout.build import Build
from lorewright.core.layout.collection import collect
from lorewright.core.layout.defects import NATIVE_LAYOUT, Defects
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Budget, Costs, Draft, Overflow
from lorewright.core.layout.macros import Macros, Reading
from lorewright.core.layout.message import BLOCKS, LaidMessage, lay_messages, lay_runs, sources_of
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import AfterEnd, NothingLeft, OutletUnread
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.spread import Spread, kept_of, parts_of, settle
from lorewright.core.layout.squash import squash
from lorewright.core.layout.stage import set_stage
from lorewright.core.layout.standing import Standing
from lorewright.core.layout.stock import lineup_of
from lorewright.core.layout.strand import Source
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Report
from lorewright.core.place import Placed
from lorewright.core.protocols import Counter
from lorewright.core.record import KeptMessage
from lorewright.core.variables import Values

__all__ = ["LaidOut", "Overrun", "close_outlets", "lay_out"]


@dataclass(frozen=True, slots=True)
class Overrun:
    """The text at which the assembly ended, and the tokens that it needed and that were left."""

    what: str
    needed_tokens: int
    left_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOut:
    """What came of a scene.

    messages: to be sent, oldest first. left_out: every other text that was handed in, with its reason. overrun: the
    budget ended the assembly, and the messages are what was there by then. overridden: prompts that the card replaced.
    variables: as the texts left them. Of a prompt that stands: kept are its messages before the chat, for the next turn;
    borders say at which message the chat begins, and at which one what comes and goes;
    places are those of the scene's messages that stand in it.
    """

    messages: tuple[LaidMessage, ...]
    left_out: tuple[LeftOut, ...]
    overrun: Overrun | None
    overridden: tuple[str, ...]
    variables: Values
    reports: tuple[Report, ...]
    kept: tuple[KeptMessage, ...] = ()
    borders: tuple[int, int] = (0, 0)
    places: frozenset[int] = frozenset()


def lay_out(
    scene: Scene,
    preset: Preset,
    lore: Placed,
    *,
    macros: Macros,
    counter: Counter,
    variables: Values | None = None,
    defects: Defects = NATIVE_LAYOUT,
    standing: Standing | None = None,
    memo: Memo = ANEW,
) -> LaidOut:
    """Lay out one request.

    Pure: the same arguments give the same messages. Nothing is raised for any preset, card or chat: what does not fit
    or has no place is left out with a reason.

    Args:
        scene: who is there and what was said.
        preset: prompts and their order.
        lore: the texts of the lorebooks that are active in this turn, rendered.
        macros: the macro engine, for this scene.
        counter: a message costs what its content costs, and its name.
        variables: as the turns before left them.
        defects: which defects of SillyTavern are kept.
        standing: what stands of the conversation's prompt; None: every prompt is laid out anew.
        memo: keeps what was made of the chat in earlier turns.

    Raises:
        NeedsRoom: what stands does not fit; lay it out again with less of it.
    """
    account = Account()
    pen = Pen(macros, Reading(variables=variables or Values()), scene.preferences, defects, memo)
    desk = Desk(scene, pen, account, defects, memo)
    stage = set_stage(desk, preset, lore)
    lineup = lineup_of(preset, defects, memo)
    collection = collect(desk, preset, lineup, stage)
    join_cost = counter.count("\n") if preset.squash and not defects.squashes_for_free else 0
    costs = Costs(counter.count, join_cost, memo)
    budget = Budget(preset.limits.context_tokens - preset.limits.response_tokens, costs)
    build = Build(desk=desk, preset=preset, lineup=lineup, stage=stage, collection=collection, budget=budget)
    spread = None if standing is None else Spread(standing)
    overrun = None
    try:
        if spread is not None:
            settle(build, spread)
        assemble_prompt(build, spread)
    except Overflow as overflow:
        overrun = Overrun(overflow.what, overflow.needed_tokens, overflow.left_tokens)
    parts = [list(build.slots)] if spread is None else parts_of(build, spread)
    laid = [_lay(part, build) for part in parts]
    messages = tuple(chain.from_iterable(laid))
    ours, said = sources_of(messages, memo)
    close_outlets(lore, account)
    return LaidOut(
        messages=messages,
        left_out=account.close(ours, AfterEnd(overrun.what) if overrun else None, said),
        overrun=overrun,
        overridden=tuple(collection.overridden),
        variables=pen.reading.variables,
        reports=tuple(dict.fromkeys(pen.reports)),
        kept=kept_of(build, spread) if spread else (),
        places=frozenset(spread.places) if spread else frozenset(),
        borders=(len(laid[0]), len(laid[0]) + len(laid[1])) if spread else (0, 0),
    )


def _lay(drafts: Sequence[Draft], build: Build) -> list[LaidMessage]:
    """The messages of a part; of empty ones it is said that nothing is left."""
    costs = build.budget.costs
    if build.preset.squash:
        messages = lay_runs(squash(drafts, build.desk.defects), costs)
        empty: Iterable[Draft] = (draft for draft in drafts if not draft.content.has_text)
    else:
        laid = lay_messages(drafts, costs)
        messages = list(filter(BLOCKS, laid))
        empty = compress(drafts, map(not_, map(BLOCKS, laid))) if len(messages) < len(drafts) else ()
    for draft in empty:
        build.desk.account.leave(draft.content, NothingLeft())
    return messages


def close_outlets(lore: Placed, account: Account) -> None:
    """Say of the texts of outlets that nobody asked for them, unless somebody knows better."""
    for name, texts in lore.outlets.items():
        for text in texts:
            account.leave(Source("entry", text.entry), OutletUnread(name))
