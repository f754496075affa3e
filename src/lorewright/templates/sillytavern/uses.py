"""Which macros a text has and what they touch, told without a conversation: each macro is tried out by itself.

A branch that does not run now may run later, so all branches of an `if` are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lorewright.core.macro_use import MacroUse
from lorewright.templates.context import Context
from lorewright.templates.rendered import Rendered
from lorewright.templates.sillytavern.bodies import pair
from lorewright.templates.sillytavern.cleanup import rewrite_old_syntax
from lorewright.templates.sillytavern.registry import Macro, by_name
from lorewright.templates.sillytavern.render import MACROS, is_template, render
from lorewright.templates.sillytavern.run import REPAIRED, Limits
from lorewright.templates.sillytavern.syntax import Tag, parse

__all__ = ["macro_uses"]

_TABLE: Final = by_name(MACROS)
_NOBODY: Final = Context()
_LIMITS: Final = Limits(output=10_000)
"""A macro is tried out to see what it touches; nobody wants its long result."""
_TRIED_CHARACTERS: Final = 400_000
_TRIED_SHARE: Final = 8
"""So often a text may be tried out in all: macros in macros are tried with those around them, too."""
_OF_LETTER: Final = {"R": "random", "T": "clock"}
"""What a macro of a kind reads even where it cannot answer, because its arguments are not known yet."""
_ASSIGNMENTS: Final = frozenset({"=", "+=", "-="})
_SCOPES: Final = ("local:", "global:")


def macro_uses(text: str) -> tuple[MacroUse, ...]:
    """The macros of a text in the order in which they run: what stands in an argument before what it is for.

    As `native` reads them. Nothing is raised for any text; macros that are nested deeper than the engine goes are text.
    """
    if not is_template(text):
        return ()
    text = rewrite_old_syntax(text)
    return tuple(_Reader(text).uses(parse(text, skips=REPAIRED.skips_stuck_characters), 0))


class _Reader:
    """Reads one text. A macro that stands in it several times is tried out once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tried: dict[str, Rendered] = {}
        self._left = min(_TRIED_CHARACTERS, _TRIED_SHARE * len(text) + 1_000)

    def uses(self, tags: Sequence[Tag], depth: int) -> Iterator[MacroUse]:
        if depth > _LIMITS.nesting:
            return
        partners = pair(tags, _takes_body)
        next_place = 0
        for place, tag in enumerate(tags):
            if place < next_place or tag.closing:
                continue
            partner = partners.get(place)
            body = () if partner is None else tags[place + 1 : partner]
            closer = None if partner is None else tags[partner]
            next_place = place + 1 if partner is None else partner + 1
            if tag.key == "if" and not tag.scope:
                yield from self._condition(tag, body, closer, depth + 1)
            else:
                yield from self._macro(tag, body, closer, depth + 1)

    def _macro(self, tag: Tag, body: Sequence[Tag], closer: Tag | None, depth: int) -> Iterator[MacroUse]:
        macro = None if tag.scope else _TABLE.get(tag.key)
        inner = [use for argument in tag.arguments for use in self.uses(argument.tags, depth)]
        inner += self.uses(body, depth)
        if macro is None and not tag.scope:
            yield from inner
            yield MacroUse(self._source(tag), fault="unknown")
            return
        letters = {name for letter, name in _OF_LETTER.items() if macro and letter in macro.kind}
        source = self._source(tag)
        tried = self._try(source + (f"{{{{/{tag.name}}}}}" if closer else ""))
        if tried is None:
            yield from inner
            yield MacroUse(source, _reads(inner) | letters, fault="untried")
            return
        silent = tag.operator in _ASSIGNMENTS if macro is None else _is_silent(macro, tried)
        yield from (use._replace(shown=use.shown and not silent) for use in inner)
        yield MacroUse(
            source,
            tried.reads | letters | _reads(inner),
            frozenset(name for name in tried.writes if name.startswith(_SCOPES)),
            shown=not silent,
            fault="failed" if not inner and _has_failed(tried) else "",
        )

    def _condition(self, tag: Tag, body: Sequence[Tag], closer: Tag | None, depth: int) -> Iterator[MacroUse]:
        """An `if`: what is in its branches depends on what its condition reads."""
        first = tag.arguments[0] if tag.arguments else None
        condition = list(self.uses(first.tags, depth)) if first else []
        yield from condition
        if first is None or (closer is None and len(tag.arguments) == 1):
            yield MacroUse(self._source(tag), _reads(condition), fault="failed")
            return
        asked = self._text[first.start : first.end]
        tried = self._try(f"{{{{if::{asked}::}}}}")
        reads = _reads(condition) | (tried.reads if tried else frozenset())
        yield MacroUse(self._source(tag), reads, fault="" if tried else "untried")
        branches = [*(inner for argument in tag.arguments[1:] for inner in argument.tags), *body]
        for use in self.uses(branches, depth):
            yield use._replace(reads=use.reads | reads, conditional=True)

    def _source(self, tag: Tag) -> str:
        return self._text[tag.start : tag.end]

    def _try(self, source: str) -> Rendered | None:
        """What a macro gives and touches by itself; None when too much was tried already."""
        known = self._tried.get(source)
        if known is None and len(source) <= self._left:
            self._left -= len(source)
            known = self._tried[source] = render(source, _NOBODY, _LIMITS, REPAIRED)
        return known


def _takes_body(tag: Tag) -> bool:
    macro = _TABLE.get(tag.key)
    return macro is None or macro.takes_body(len(tag.arguments))


def _reads(uses: Iterable[MacroUse]) -> frozenset[str]:
    return frozenset(name for use in uses for name in use.reads)


def _is_silent(macro: Macro, tried: Rendered) -> bool:
    """Whether it gives nothing whatever its arguments are: a comment, or one that only writes."""
    return macro.name == "//" or ("W" in macro.kind and not tried.text)


def _has_failed(tried: Rendered) -> bool:
    return any(report.code == "macro_failed" for report in tried.reports)
