"""A text to be completed, in place of messages. It has no frozen form: every turn lays it out anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from lorewright.core.draw import draw_for
from lorewright.core.layout.plan import Plan, scene_of
from lorewright.core.layout.text_layout import LaidText, lay_out_text
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.model import Report
from lorewright.core.policy import Policy
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven
from lorewright.templates.handlebars import Handlebars

__all__ = ["Completion", "complete", "laid_anew", "told_of_text"]


@dataclass(frozen=True, slots=True)
class Completion:
    """What a text is laid out by. Of `plan` the scene counts, and what there is to know of its messages."""

    preset: TextPreset
    plan: Plan


def laid_anew(policy: Policy, reports: list[Report]) -> Policy:
    """The policy with texts at their positions; where it would let them stand, that is reported."""
    if policy.placement != "sillytavern":
        message = (
            "A text completion has no frozen form: texts stand anew in every turn at their positions, as with "
            "--placement sillytavern."
        )
        reports.append(Report(code="text_not_frozen", level="info", message=message))
    return replace(policy, placement="sillytavern")


def complete(completion: Completion, woven: Woven, tools: Tools) -> LaidText:
    """The text of a request, from what is active in it and what regex scripts made of its messages."""
    assert tools.prompts is not None, "a text completion needs `Tools.prompts`"
    rewritten = {
        message.index: piece.text
        for message in woven.messages
        for piece in message.pieces
        if message.index is not None and piece.kind == "rewritten"
    }
    turn = woven.turn
    scene = scene_of(turn, completion.plan, rewritten)
    chance = tools.draw or draw_for(turn, len(turn.messages))
    draws: Callable[[], float] = partial(next, (chance.number("", "prompt", at) for at in count()))
    return lay_out_text(
        scene,
        completion.preset,
        woven.assembly.placed.by_position(),
        story=Handlebars(),
        macros=tools.prompts.open(scene, turn, draws, repaired=True),
        counter=tools.counter,
        variables=woven.assembly.trace.activation.variables,
    )


def told_of_text(laid: LaidText) -> tuple[Report, ...]:
    """What is to be reported of a text: of its macros, and whether it fits."""
    if laid.overrun is None:
        return laid.reports
    over = laid.overrun
    message = (
        f"The text is longer than the context: what must stand needs {over.needed_tokens} tokens where "
        f"{over.left_tokens} are left. Give more by --context-tokens."
    )
    return (*laid.reports, Report(code="prompt_too_long", message=message))
