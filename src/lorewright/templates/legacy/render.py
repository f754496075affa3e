"""Rendering a text with the old engine: one replacement after another over the whole text (spec templates §1.1).

There is no nesting: `{{getvar::{{char}}}}` reads a variable called `{{char`. What a pass inserts is in the text when
the next one runs, but, unlike in the real program, no macro is looked for in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lorewright.templates.card_texts import CardTexts
from lorewright.templates.context import Call, Context, Json
from lorewright.templates.legacy import table
from lorewright.templates.legacy.held import Held
from lorewright.templates.rendered import Rendered
from lorewright.templates.seeded import utf16_length
from lorewright.templates.signs import of_legacy as is_template
from lorewright.templates.sillytavern import Defects as NewDefects
from lorewright.templates.sillytavern import Limits
from lorewright.templates.sillytavern.registry import Handler, MacroError
from lorewright.templates.sillytavern.run import Invocation, Run
from lorewright.templates.variables import VariableError, json_text, shown

__all__ = ["Defects", "is_template", "passes", "render"]

_LEFT_OVER: Final = re.compile(r"\{\{([^{}\0]{1,200})\}\}")
_LIMITS: Final = Limits()
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Defects:
    """Bugs of the old engine.

    values_are_scanned: macros in a value that a macro gave are run by the passes behind it, so a chat message can set
    variables. It is unsafe: no profile turns it on; it is here so that recorded cases can be compared.
    """

    values_are_scanned: bool = False


_DEFECTS: Final = Defects()


def render(
    text: str,
    context: Context,
    limits: Limits = _LIMITS,
    defects: Defects = _DEFECTS,
    inert: Mapping[str, str] | None = None,
) -> Rendered:
    """Run the passes over a text.

    Nothing is raised for any text: what cannot run stays as text, and a report says why.

    Args:
        text: any text; the result is the text itself where it holds no macro.
        context: what can be read; it stays as it is.
        limits: past them a macro, or the whole text, stays as it is.
        defects: which bugs of the old engine are kept.
        inert: values for `{{NAME}}` in the text that are filled in before anything else and never looked at.
    """
    run = _open(context, limits, text, None, defects)
    result = _Engine(run, defects).evaluate(text, inert or {}) if text else text
    return run.rendered(text, result)


def passes(context: Context) -> Iterator[table.Pass]:
    """All passes of one call in their order: macros of the call stand behind names, or in place of what they replace."""
    yield from table.ANGLES
    yield from table.BEFORE
    filled = {one.name: one for one in _filled_in(context)}
    for name, value in context.call.dynamic.items():
        one = table.value_pass(name, _given(value))
        filled[one.name] = one
    yield from filled.values()
    yield from (one for one in table.PROGRAM if one.name not in filled)
    yield from table.AFTER


def _filled_in(context: Context) -> Iterator[table.Pass]:
    if context.call.original is not None:
        yield table.ORIGINAL
    if context.call.card:
        yield from table.CARD
    yield from table.NAMES


def _given(value: Json | Callable[[], Json]) -> Handler:
    """A macro of the call: null is nothing, lists and objects are JSON."""

    def handler(call: Invocation) -> Json:
        del call
        found = value() if callable(value) else value
        return json_text(found) if isinstance(found, (list, tuple, dict)) else found

    return handler


def _open(context: Context, limits: Limits, hashed: str, parent: Run | None, defects: Defects) -> Run:
    """A run whose card texts are runs of their own, with the chat's names and without card macros."""

    def card_text(text: str, char: str) -> str:
        inner = replace(context, char=char, call=Call(card=False))
        return _Engine(_open(inner, limits, text, run, defects), defects).evaluate(text, {}) if text else text

    run = Run(context, limits, NewDefects(), hashed, parent)
    run.cards = CardTexts(context, card_text, run.record)
    return run


class _Engine:
    """Works on one text."""

    def __init__(self, run: Run, defects: Defects) -> None:
        self.run = run
        self.held = Held(scanned=defects.values_are_scanned)
        self.finish = run.context.call.post_process
        self.failed: set[str] = set()

    def evaluate(self, text: str, inert: Mapping[str, str]) -> str:
        table.chat_hash(self.run)
        if not is_template(text):
            return text
        text = self.held.open(text)
        for name, value in inert.items():
            text = text.replace(f"{{{{{name}}}}}", self.held.put(value))
        seen = text.lower()
        for one in passes(self.run.context):
            if one.needle not in seen:
                continue
            changed = self._replaced(text, one)
            if changed is not text:
                text, seen = changed, changed.lower()
        self._report_left_over(text)
        return self.held.restore(text)

    def _replaced(self, text: str, one: table.Pass) -> str:
        """The text after a pass, the very same object where nothing was found."""
        pieces: list[str] = []
        at = 0
        length = _Length(text, self.held)
        for place in one.find(text):
            result = self._result(one, place.arguments, length, place.start)
            if result is None:
                self.failed.add(text[place.start : place.end])
                continue
            pieces += (text[at : place.start], self.held.put(result))
            at = place.end
        return "".join([*pieces, text[at:]]) if pieces else text

    def _result(self, one: table.Pass, arguments: tuple[str, ...], length: _Length, at: int) -> str | None:
        """What a macro gives, None if it fails."""
        values = [self.held.restore(argument) for argument in arguments]
        call = Invocation(self.run, values, keeps_space=False, place=length, at=at, depth=0)
        try:
            result = shown(one.handler(call))
            self.run.spend(len(result))
        except (MacroError, VariableError) as error:
            self.run.record.report("macro_failed", f"`{one.name[:_SHOWN]}` stays as text: {error}")
            return None
        if self.finish is None:
            return result
        return type(result)(self.finish(result))

    def _report_left_over(self, text: str) -> None:
        for found in _LEFT_OVER.finditer(text):
            if found[0] in self.failed:
                continue
            name = found[1][:_SHOWN]
            self.run.record.report("macro_unknown", f"`{{{{{name}}}}}` is no macro; it stays as text.", "info")


class _Length:
    """Where macros stand in a text with its values: a `Place` that is asked for places that only grow.

    There is nothing to run inside a macro here, and no body.
    """

    def __init__(self, text: str, held: Held) -> None:
        self._text = text
        self._held = held
        self._at = 0
        self._length = 0

    def position(self, at: int) -> int:
        """The offset in UTF-16 units."""
        self._length += utf16_length(self._held.restore(self._text[self._at : at]))
        self._at = at
        return self._length

    def evaluate(self, text: str, at: int, depth: int) -> str:
        del at, depth
        return text

    def split_else(self, body: str) -> tuple[str, str]:
        return body, ""

    def is_plain_macro(self, name: str) -> bool:
        del name
        return False
