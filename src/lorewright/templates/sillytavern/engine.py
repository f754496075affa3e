"""Running SillyTavern's macros: left to right, inner macros first, bodies by their tags (spec macros §B).

What cannot run stays text, with the macros inside it replaced. A value that a macro gave is never read again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from lorewright.core.javascript import trim
from lorewright.templates.context import Context
from lorewright.templates.sillytavern import shorthand
from lorewright.templates.sillytavern.bodies import dedent, else_tag, pair
from lorewright.templates.sillytavern.cleanup import rewrite_old_syntax
from lorewright.templates.sillytavern.registry import Macro, MacroError
from lorewright.templates.sillytavern.run import Invocation, Run
from lorewright.templates.sillytavern.syntax import Argument, Tag, parse
from lorewright.templates.variables import VariableError, shown

__all__ = ["Engine"]

_DYNAMIC_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ELSE: Final = re.compile("else", re.IGNORECASE)
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


class _Edit(NamedTuple):
    """A part of a source and what stands there instead."""

    start: int
    end: int
    text: str


class Engine:
    """Runs texts with one table of macros in one `Run`."""

    def __init__(self, run: Run, table: Mapping[str, Macro]) -> None:
        self.run = run
        self.registered = table
        self.table = {**table, **dynamic_macros(run.context)} if run.context.call.dynamic else table
        self.finish = run.context.call.post_process

    def evaluate(self, text: str, base: int = 0, depth: int = 0) -> str:
        """Run a whole text: old syntax, macros, clean-up. `base` is added to the positions that `pick` uses."""
        text = rewrite_old_syntax(text)
        tags = parse(text, skips=self.run.defects.skips_stuck_characters)
        if tags:
            part = _Part(self, text, base)
            text = part.applied(0, len(text), part.edits(tags, depth))
        return self.run.finished(text)

    def find(self, name: str) -> Macro | None:
        """The macro of a name, in any case."""
        return self.table.get(name.lower())


def dynamic_macros(context: Context) -> Mapping[str, Macro]:
    """The macros of this call as rows. Names that are no identifiers, null and objects are no macros."""
    found: dict[str, Macro] = {}
    for name, value in context.call.dynamic.items():
        if not _DYNAMIC_NAME.fullmatch(name):
            continue
        if callable(value):
            found[name.lower()] = Macro(name, "D", _called(value), ("values...",))
        elif isinstance(value, (str, int, float)):
            found[name.lower()] = Macro(name, "D", _constant(value))
    return found


def _called(function: Callable[..., Any]) -> Callable[[Invocation], Any]:
    return lambda call: function(*call.arguments)


def _constant(value: Any) -> Callable[[Invocation], Any]:
    return lambda _: value


class _Part:
    """One source text that is being run."""

    def __init__(self, engine: Engine, text: str, base: int) -> None:
        self.engine = engine
        self.run: Run = engine.run
        self.text = text
        self.base = base
        self._astral: list[int] | None = None

    def position(self, at: int) -> int:
        if self._astral is None:
            self._astral = [] if self.text.isascii() else [found.start() for found in _ASTRAL.finditer(self.text)]
        return self.base + at + bisect_left(self._astral, at)

    def evaluate(self, text: str, at: int, depth: int) -> str:
        return self.engine.evaluate(text, self.position(at), depth)

    def split_else(self, body: str) -> tuple[str, str]:
        if _ELSE.search(body) is None:
            return body, ""
        defects = self.run.defects
        tag = else_tag(parse(body, skips=defects.skips_stuck_characters), lower_case=defects.else_in_lower_case)
        return (body, "") if tag is None else (body[: tag.start], body[tag.end :])

    def is_plain_macro(self, name: str) -> bool:
        macro = self.engine.registered.get(name.lower())
        return macro is not None and macro.least == 0

    def applied(self, start: int, end: int, edits: Sequence[_Edit]) -> str:
        """A part of the source with the edits that lie in it."""
        if not edits:
            return self.text[start:end]
        pieces: list[str] = []
        at = start
        for edit in edits:
            pieces += (self.text[at : edit.start], edit.text)
            at = edit.end
        pieces.append(self.text[at:end])
        return "".join(pieces)

    def edits(self, tags: Sequence[Tag], depth: int, *, joined: bool = True) -> list[_Edit]:
        """Run tags in their order; with `joined`, openers and closers form bodies."""
        if not tags:
            return []
        partners = pair(tags, self._takes_body) if joined else {}
        found: list[_Edit] = []
        skip_to = 0
        for place, tag in enumerate(tags):
            if place < skip_to:
                continue
            partner = partners.get(place)
            if partner is None:
                found.append(_Edit(tag.start, tag.end, self._tag(tag, depth)))
            else:
                body = tags[place + 1 : partner]
                found.append(_Edit(tag.start, tags[partner].end, self._with_body(tag, body, tags[partner], depth)))
                skip_to = partner + 1
        return found

    def _takes_body(self, tag: Tag) -> bool:
        macro = self.engine.find(tag.name)
        return macro is None or macro.takes_body(len(tag.arguments))

    def _tag(self, tag: Tag, depth: int) -> str:
        if self._too_deep(tag.height + depth, tag.name):
            return self.text[tag.start : tag.end]
        if tag.scope:
            return self._variable(tag, depth)
        macro = None if tag.closing else self.engine.find(tag.name)
        if macro is not None and macro.lazy and macro.takes(len(tag.arguments)):
            sources = [self.text[argument.start : argument.end] for argument in tag.arguments]
            result = self._called(macro, tag, sources, depth)
            return self.text[tag.start : tag.end] if result is None else result
        inner = self._arguments(tag, depth)
        if tag.closing:
            return self._replaced(tag, inner)
        values = self._values(tag, inner)
        if self._fits(macro, tag, len(values)):
            assert macro is not None
            result = self._called(macro, tag, values, depth)
            if result is not None:
                return result
        return self._replaced(tag, inner)

    def _with_body(self, tag: Tag, body: Sequence[Tag], closer: Tag, depth: int) -> str:
        text = self.text
        highest = max((inner.height for inner in body), default=0) + 1
        if self._too_deep(max(tag.height, highest) + depth, tag.name):
            return text[tag.start : closer.end]
        macro = self.engine.find(tag.name)
        if macro is not None and not macro.takes_body(len(tag.arguments)):
            self._fits(macro, tag, len(tag.arguments) + 1)
            inside = self.applied(tag.end, closer.start, self.edits(body, depth + 1))
            return text[tag.start : tag.end] + inside + text[closer.start : closer.end]
        if macro is not None and macro.lazy:
            sources = [text[argument.start : argument.end] for argument in tag.arguments]
            result = self._called(macro, tag, [*sources, text[tag.end : closer.start]], depth)
            return text[tag.start : closer.end] if result is None else result
        inner = self._arguments(tag, depth)
        inside = self.applied(tag.end, closer.start, self.edits(body, depth + 1))
        if not tag.keeps_space:
            inside = dedent(inside)
        values = [*self._values(tag, inner), self.run.given(inside)]
        if self._fits(macro, tag, len(values)):
            assert macro is not None
            result = self._called(macro, tag, values, depth)
            if result is not None:
                return result
        end = "}}" if self.run.defects.scoped_failure_loses_closer else text[closer.start : closer.end]
        return self._replaced(tag, inner) + inside + end

    def _arguments(self, tag: Tag, depth: int) -> list[list[_Edit]]:
        """What runs in each argument; nothing at all where no tag stands in any of them."""
        return [self.edits(argument.tags, depth + 1) for argument in tag.arguments] if tag.height > 1 else []

    def _values(self, tag: Tag, inner: Sequence[list[_Edit]]) -> list[str]:
        if not inner:
            return [self.run.given(self.text[argument.start : argument.end]) for argument in tag.arguments]
        pairs = zip(tag.arguments, inner, strict=True)
        return [self.run.given(self.applied(argument.start, argument.end, edits)) for argument, edits in pairs]

    def _replaced(self, tag: Tag, inner: Sequence[list[_Edit]]) -> str:
        """A tag's source with the macros inside it replaced."""
        return self.applied(tag.start, tag.end, [edit for edits in inner for edit in edits])

    def _fits(self, macro: Macro | None, tag: Tag, count: int) -> bool:
        if macro is None:
            self.run.record.report("macro_unknown", f"`{{{{{tag.name[:40]}}}}}` is no macro; it stays as text.", "info")
            return False
        if not macro.takes(count):
            wanted = ", ".join(macro.arguments) or "none"
            self._failed(tag.name, f"{count} arguments were given; it takes: {wanted}.")
            return False
        return True

    def _called(self, macro: Macro, tag: Tag, values: list[str], depth: int) -> str | None:
        """The result of a macro as it is inserted, None if it fails."""
        call = Invocation(self.run, values, tag.keeps_space, self, tag.start, depth)
        try:
            if macro.arguments:
                macro.check(values)
            result = shown(macro.handler(call))
            self.run.spend(len(result))
        except (MacroError, VariableError) as error:
            self._failed(tag.name, str(error))
            return None
        is_word = "B" in macro.kind and not values  # `{{trim}}` or `{{else}}` by itself: a word for the clean-up
        return self._inserted(result, is_word=is_word)

    def _variable(self, tag: Tag, depth: int) -> str:
        inner: list[_Edit] = []
        ran = False

        def value() -> str:
            nonlocal inner, ran
            if not tag.arguments:
                return ""
            argument: Argument = tag.arguments[0]
            if not ran:
                joined = not self.run.defects.shorthand_without_bodies
                inner, ran = self.edits(argument.tags, depth + 1, joined=joined), True
            return trim(self.run.given(self.applied(argument.start, argument.end, inner)))

        try:
            result = shown(shorthand.evaluate(tag.scope, tag.name, tag.operator, value, self.run.variables))
            self.run.spend(len(result))
        except (MacroError, VariableError) as error:
            self._failed(tag.scope + tag.name, str(error))
            value()
            return self.applied(tag.start, tag.end, inner)
        return self._inserted(result)

    def _inserted(self, value: str, *, is_word: bool = False) -> str:
        """A result as it stands in the text."""
        value = self.engine.finish(value) if self.engine.finish else value
        return value if is_word else self.run.inserted(value)

    def _too_deep(self, depth: int, name: str) -> bool:
        limit = self.run.limits.nesting
        if depth <= limit:
            return False
        self.run.record.report(
            "macro_too_deep", f"`{{{{{name[:40]}}}}}` is nested more than {limit} deep; it stays as text.", "error"
        )
        return True

    def _failed(self, name: str, why: str) -> None:
        self.run.record.report("macro_failed", f"`{{{{{name[:40]}}}}}` stays as text: {why}")
