"""`lay_out`: a preset, a scene and the lore of a turn in; the final messages out (spec prompt-assembly)."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core.layout.account import Account, LeftOut
from lorewright.core.layout.assembly import assemble_prompt
from lorewright.core.layout.build import Build
from lorewright.core.layout.collection import collect
from lorewright.core.layout.defects import NATIVE_LAYOUT, Defects
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Budget, Overflow
from lorewright.core.layout.macros import Macros, Reading
from lorewright.core.layout.message import LaidMessage, lay_message
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.reasons import AfterEnd, NothingLeft, OutletUnread
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.squash import squash
from lorewright.core.layout.stage import set_stage
from lorewright.core.layout.stock import line_up
from lorewright.core.layout.strand import Source
from lorewright.core.model import Report
from lorewright.core.place import Placed
from lorewright.core.protocols import Counter
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
    variables: as the texts left them.
    """

    messages: tuple[LaidMessage, ...]
    left_out: tuple[LeftOut, ...]
    overrun: Overrun | None
    overridden: tuple[str, ...]
    variables: Values
    reports: tuple[Report, ...]


def lay_out(
    scene: Scene,
    preset: Preset,
    lore: Placed,
    *,
    macros: Macros,
    counter: Counter,
    variables: Values | None = None,
    defects: Defects = NATIVE_LAYOUT,
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
    """
    account = Account()
    pen = Pen(macros, Reading(variables=variables or Values()), scene.preferences, defects)
    desk = Desk(scene, pen, account, defects)
    stage = set_stage(desk, preset, lore)
    lineup = line_up(preset, defects)
    collection = collect(desk, preset, lineup, stage)
    join_cost = counter.count("\n") if preset.squash and not defects.squashes_for_free else 0
    budget = Budget(preset.limits.context_tokens - preset.limits.response_tokens, counter, join_cost)
    build = Build(desk=desk, preset=preset, lineup=lineup, stage=stage, collection=collection, budget=budget)
    overrun = None
    try:
        assemble_prompt(build)
    except Overflow as overflow:
        overrun = Overrun(overflow.what, overflow.needed_tokens, overflow.left_tokens)
    drafts = list(build.slots)
    for draft in drafts:
        if not draft.content.text:
            account.leave(draft.content, NothingLeft())
    runs = squash(drafts, defects) if preset.squash else [[draft] for draft in drafts if draft.content.text]
    messages = tuple(lay_message(run, budget) for run in runs)
    close_outlets(lore, account)
    return LaidOut(
        messages=messages,
        left_out=account.close(
            (source for message in messages for block in message.blocks for source in block.sources),
            AfterEnd(overrun.what) if overrun else None,
        ),
        overrun=overrun,
        overridden=tuple(collection.overridden),
        variables=pen.reading.variables,
        reports=tuple(dict.fromkeys(pen.reports)),
    )


def close_outlets(lore: Placed, account: Account) -> None:
    """Say of the texts of outlets that nobody asked for them, unless somebody knows better."""
    for name, texts in lore.outlets.items():
        for text in texts:
            account.leave(Source("entry", text.entry), OutletUnread(name))
