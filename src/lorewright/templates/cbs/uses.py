"""Which macros of CBS a text has and what they read, told without a conversation.

In a prompt CBS writes nothing (spec risu §6), so no variable has to be followed. What stands in blocks that do not run
now is tried out by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lorewright.core.macro_use import MacroUse
from lorewright.templates.cbs.context import CbsContext
from lorewright.templates.cbs.scan import is_template, render

__all__ = ["macro_uses"]

_NOBODY: Final = CbsContext()
_INNERMOST: Final = re.compile(r"\{\{(?![#/:])[^{}]*\}\}")
_CHARACTERS: Final = 200_000


def macro_uses(text: str) -> tuple[MacroUse, ...]:
    """The macros of a text that have no others in them; then the text itself, if it reads more than they do.

    Nothing is raised for any text. One of more than 200,000 characters is not tried out, and says so.
    """
    if not is_template(text):
        return ()
    if len(text) > _CHARACTERS:
        return (MacroUse(text[:40], fault="untried"),)
    return tuple(_uses(text))


def _uses(text: str) -> Iterator[MacroUse]:
    known: set[str] = set()
    for source in dict.fromkeys(_INNERMOST.findall(text)):
        tried = render(source, _NOBODY)
        known |= tried.reads
        is_unknown = any(report.code == "macro_unknown" for report in tried.reports)
        yield MacroUse(source, tried.reads, fault="unknown" if is_unknown else "")
    rest = render(text, _NOBODY).reads - known
    if rest:
        yield MacroUse(text, rest)
