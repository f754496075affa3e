"""The usual tools in one place, and the way from books to a lore."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING, Literal

from lorewright.core.counter import EstimateCounter
from lorewright.core.lore import Loaded, Lore, gather
from lorewright.core.match import ReferenceMatcher
from lorewright.core.model import ActiveBook
from lorewright.core.policy import NATIVE, Policy
from lorewright.core.prepared import prepare_book
from lorewright.core.protocols import Counter, Draw, Matcher, Tools
from lorewright.fast.matcher import FastMatcher
from lorewright.fast.memo import KeptMemo
from lorewright.fast.regexes import default_regexes
from lorewright.mvu.keeper import MvuKeeper
from lorewright.templates.code import CodeRenderer
from lorewright.templates.dialects import Dialect, DialectRenderer, ProfileRenderer
from lorewright.templates.prompts import SillyTavernPrompts
from lorewright.templates.scripting import SillyTavernScripts

if TYPE_CHECKING:
    from lorewright.templates.ejs import Sandbox

__all__ = ["Engine", "load_lore", "make_tools", "shelve"]

Engine = Literal["fast", "core"]
"""`fast` for use, `core` for the reference matcher that it is compared with."""


def make_tools(
    *,
    engine: Engine = "fast",
    counter: Counter | None = None,
    draw: Draw | None = None,
    dialect: Dialect | None = None,
    sandbox: Sandbox | None = None,
) -> Tools:
    """Everything the engine needs from outside. Make it once and keep it: the matcher keeps what it has compiled.

    Without a `counter` tokens are estimated; without a `draw` every draw is reproducible, from the turn's session
    and number. `dialect` is that of the macros; without one the profile of the books chooses. Code of the books that
    the policy names runs in the `sandbox`; without one it is refused. Close the sandbox when you need it no more.
    """
    regexes = default_regexes()
    matcher: Matcher = FastMatcher(regexes) if engine == "fast" else ReferenceMatcher(regexes)
    macros = ProfileRenderer() if dialect is None else DialectRenderer(dialect)
    renderer = CodeRenderer(macros, regexes, sandbox)
    scripts = SillyTavernScripts(regexes, thread_time, legacy=dialect == "sillytavern-legacy")
    memo = KeptMemo()
    return Tools(
        matcher,
        regexes,
        renderer,
        counter or EstimateCounter(),
        draw,
        scripts,
        MvuKeeper(),
        SillyTavernPrompts(memo),
        memo,
    )


def shelve(books: Iterable[ActiveBook], policy: Policy) -> tuple[ActiveBook, ...]:
    """The books as a policy takes them: one that plays rows takes rows. A ledger keeps them in this form."""
    if policy.rows is None:
        return tuple(books)
    from lorewright.formats.risu_rows import as_rows

    return tuple(replace(active, book=as_rows(active.book)) for active in books)


def load_lore(books: Iterable[ActiveBook], tools: Tools, policy: Policy = NATIVE) -> Lore:
    """Prepare the books for a policy and merge them by priority. Do it once per set of books, not once per turn."""
    loaded = [
        Loaded(prepare_book(active.book, policy, tools.regexes, tools.renderer), active.source)
        for active in shelve(books, policy)
    ]
    return gather(loaded, policy)
