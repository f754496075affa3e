"""Rendering a text: one call from outside, with everything that came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lorewright.templates.card_texts import CardTexts
from lorewright.templates.context import Call, Context
from lorewright.templates.rendered import Rendered
from lorewright.templates.signs import of_sillytavern as is_template
from lorewright.templates.sillytavern.core_macros import CORE_MACROS
from lorewright.templates.sillytavern.engine import Engine
from lorewright.templates.sillytavern.registry import by_name
from lorewright.templates.sillytavern.run import KEPT, Defects, Limits, Run
from lorewright.templates.sillytavern.state_macros import STATE_MACROS
from lorewright.templates.sillytavern.variable_macros import VARIABLE_MACROS

__all__ = ["MACROS", "is_template", "render"]

MACROS: Final = (*CORE_MACROS, *STATE_MACROS, *VARIABLE_MACROS)
"""All rows; spec macros §C."""

_TABLE: Final = by_name(MACROS)
_LIMITS: Final = Limits()


def render(text: str, context: Context, limits: Limits = _LIMITS, defects: Defects = KEPT) -> Rendered:
    """Run the macros of a text.

    Nothing is raised for any text: what cannot run stays as text, and a report says why.

    Args:
        text: any text; the result is the text itself where it holds no macro.
        context: what can be read; it stays as it is.
        limits: past them a macro, or the whole text, stays as it is.
        defects: which bugs of SillyTavern are kept.
    """
    if not is_template(text):
        return Rendered(text, local_variables=context.local_variables, global_variables=context.global_variables)
    run = _open(context, limits, defects, text, None)
    try:
        result = Engine(run, _TABLE).evaluate(text)
    except RecursionError:
        run.record.report("macro_too_deep", "The macros are nested too deep; the whole text stays as it is.", "error")
        return Rendered(
            text,
            local_variables=context.local_variables,
            global_variables=context.global_variables,
            reports=run.record.reports,
        )
    return run.rendered(text, result)


def _open(context: Context, limits: Limits, defects: Defects, hashed: str, parent: Run | None) -> Run:
    """A run whose card texts are runs of their own, with the chat's names and without card macros."""

    def card_text(text: str, char: str) -> str:
        inner = replace(context, char=char, call=Call(card=False))
        return Engine(_open(inner, limits, defects, text, run), _TABLE).evaluate(text)

    run = Run(context, limits, defects, hashed, parent)
    run.cards = CardTexts(context, card_text, run.record)
    return run
