"""The table of CBS: every registered name and alias, and the names that RisuAI only shows or explains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lorewright.templates.cbs.chance import CHANCE
from lorewright.templates.cbs.chat import CHAT
from lorewright.templates.cbs.facts import FACTS
from lorewright.templates.cbs.lists import LISTS
from lorewright.templates.cbs.logic import LOGIC
from lorewright.templates.cbs.numbers import NUMBERS
from lorewright.templates.cbs.state import Macro
from lorewright.templates.cbs.stored import STORED
from lorewright.templates.cbs.texts import TEXTS
from lorewright.templates.cbs.times import TIMES

__all__ = ["DOCUMENTED", "MACROS", "TABLE"]

_SHOWN: Final = (
    Macro("button", "label::action", "display", None),
    Macro("risu", "size?", "display", None),
    Macro("tex", "formula", "display", None, ("latex", "katex")),
    Macro("ruby", "text::reading", "display", None, ("furigana",)),
    Macro("codeblock", "language?::code", "display", None),
)

TABLE: Final = (*FACTS, *CHAT, *TIMES, *STORED, *LOGIC, *TEXTS, *LISTS, *NUMBERS, *CHANCE, *_SHOWN)

MACROS: Final[Mapping[str, Macro]] = {name: macro for macro in TABLE for name in (macro.name, *macro.aliases)}
"""By every reduced name."""

DOCUMENTED: Final = frozenset(
    (
        "// ? asset emotion audio bg bgm video video-img image img path raw inlay inlayed inlayeddata source "
        "#if #if_pure #when :else #pure #puredisplay :each #each slot position"
    ).split()
)
"""Names RisuAI explains in its help; none of them is a macro (blocks, the arithmetic and images are read elsewhere)."""
