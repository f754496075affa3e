"""What comes from outside while a turn is assembled: recorded once, given back when it is assembled again.

Matching, names and reproducible draws come from the turn and need no record. What does: numbers of a `Draw` that a
host passes, texts of a renderer that is not `repeatable` (a sandbox; its clock comes in with its texts), and which
regular expressions (`ledger/given_up.py`) and regex scripts (`ledger/outside_scripts.py`) were given up for want of time.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from lorewright.core.protocols import CodeRefusal, Draw, Opening, RenderContext, Rendered, Renderer, Tools
from lorewright.core.variables import Write
from lorewright.errors import LedgerError
from lorewright.ledger.given_up import (
    GivenUp,
    LateReplacement,
    RecordedMatcher,
    RecordedRegexes,
    RecordingMatcher,
    RecordingRegexes,
    digest_text,
)
from lorewright.ledger.outside_scripts import RecordedScripts, RecordingScripts

__all__ = ["Outside", "Recorder", "with_recorded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """draws: (entry, purpose, index, number). rendered: what each call of the renderer gave, in order: SHA-256 of the
    text, then what became of it: text, whether it is volatile, its kinds, what it read, what it wrote, and of code why
    it was refused, what is scanned, what it pulled in and switched on (older ledgers have less). Of a renderer that can
    repeat all but what comes from a sandbox only that is kept. given_up, late: regex keys and replacements without an answer. scripted: what regex scripts
    gave that ran out of time, or all of them if nobody else can repeat it: the number of the call, SHA-256 of the script
    and the text, then as in `rendered` from the text on."""

    draws: tuple[tuple[str, str, int, float], ...] = ()
    rendered: tuple[tuple[Any, ...], ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    late: tuple[LateReplacement, ...] = ()
    scripted: tuple[tuple[Any, ...], ...] = ()


# -- recording ---------------------------------------------------------------------------------------------------------


class Recorder:
    """Tools that remember what came from outside; `take` gives it and starts anew. One turn after the other."""

    def __init__(self, tools: Tools) -> None:
        self._draw = _RecordingDraw(tools.draw) if tools.draw else None
        self._matcher = RecordingMatcher(tools.matcher)
        self._renderer = None if getattr(tools.renderer, "repeatable", False) else _RecordingRenderer(tools.renderer)
        self._regexes = RecordingRegexes(tools.regexes)
        self._scripts = RecordingScripts(tools.scripts) if tools.scripts else None
        self.tools = replace(
            tools,
            matcher=self._matcher,
            regexes=self._regexes,
            draw=self._draw,
            renderer=self._renderer or tools.renderer,
            scripts=self._scripts,
        )

    def take(self) -> Outside | None:
        """What came since the last time; None: nothing."""
        found = Outside(
            draws=self._draw.take() if self._draw else (),
            rendered=self._renderer.take() if self._renderer else (),
            given_up=self._matcher.take(),
            late=self._regexes.take(),
            scripted=self._scripts.take() if self._scripts else (),
        )
        return None if found == Outside() else found


class _RecordingDraw:
    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self._numbers: dict[tuple[str, str, int], float] = {}

    def number(self, entry: str, purpose: str, index: int) -> float:
        found = self.draw.number(entry, purpose, index)
        return self._numbers.setdefault((entry, purpose, index), found)

    def take(self) -> tuple[tuple[str, str, int, float], ...]:
        numbers, self._numbers = self._numbers, {}
        return tuple((*key, number) for key, number in numbers.items())


class _RecordingRenderer:
    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self._keeps_only_sandboxed = getattr(renderer, "keeps_only_sandboxed", False)
        self._outputs: list[tuple[Any, ...]] = []

    def is_template(self, text: str) -> bool:
        return self.renderer.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        found = self.renderer.render(text, context)
        if found.from_sandbox or not self._keeps_only_sandboxed:
            self._outputs.append((digest_text(text), *_plain(found)))
        return found

    @contextmanager
    def open(self) -> Iterator[Renderer]:
        """See `Opening`."""
        if not isinstance(self.renderer, Opening):
            yield self
            return
        outer = self.renderer
        with outer.open() as opened:
            self.renderer = opened
            try:
                yield self
            finally:
                self.renderer = outer

    def take(self) -> tuple[tuple[Any, ...], ...]:
        outputs, self._outputs = self._outputs, []
        return tuple(outputs)


# -- giving back -------------------------------------------------------------------------------------------------------


def with_recorded(tools: Tools, outside: Outside | None) -> Tools:
    """The tools, giving what was recorded. Regular expressions that were given up give up at once, the others take their
    time."""
    given = outside or Outside()
    return replace(
        tools,
        matcher=RecordedMatcher(tools.matcher, {(one.pattern, one.flags): one for one in given.given_up}),
        regexes=RecordedRegexes(tools.regexes, given.late),
        draw=_RecordedDraw(given.draws) if given.draws else None,
        renderer=_RecordedRenderer(tools.renderer, given.rendered) if given.rendered else tools.renderer,
        scripts=RecordedScripts(tools.scripts, given.scripted) if tools.scripts else None,
    )


class _RecordedDraw:
    def __init__(self, draws: tuple[tuple[str, str, int, float], ...]) -> None:
        self._numbers = {(entry, purpose, index): number for entry, purpose, index, number in draws}

    def number(self, entry: str, purpose: str, index: int) -> float:
        found = self._numbers.get((entry, purpose, index))
        if found is None:
            raise LedgerError(f"No draw for {purpose} of `{entry}` was recorded.", entry=entry)
        return found


class _RecordedRenderer:
    def __init__(self, renderer: Renderer, outputs: tuple[tuple[Any, ...], ...]) -> None:
        self.renderer = renderer
        self._outputs: defaultdict[str, deque[Rendered]] = defaultdict(deque)
        for digest, *output in outputs:
            self._outputs[digest].append(_rendered(output))
        self._has_all = any(not one.from_sandbox for found in self._outputs.values() for one in found)

    def is_template(self, text: str) -> bool:
        return self.renderer.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        if outputs := self._outputs[digest_text(text)]:
            return outputs.popleft()
        found = self._repeat(text, context)
        if found is None:
            raise LedgerError(f"A text is rendered that was not when this was recorded: {text[:60]!r}.", rendered=text)
        return found

    def _repeat(self, text: str, context: RenderContext) -> Rendered | None:
        """What the renderer gives, if it needs no sandbox for that, and not all of it was kept."""
        if self._has_all or not getattr(self.renderer, "keeps_only_sandboxed", False):
            return None
        found = self.renderer.render(text, context)
        return None if found.from_sandbox else found


def _plain(found: Rendered) -> tuple[Any, ...]:
    """An output in values that a ledger can keep."""
    fields = found._asdict()
    fields["writes"] = tuple(tuple(write) for write in found.writes)
    fields["refusal"] = tuple(found.refusal) if found.refusal else None
    return tuple(fields.values())


def _rendered(output: list[Any]) -> Rendered:
    found = Rendered(*output)
    return found._replace(
        writes=tuple(Write(*write) for write in found.writes),
        refusal=CodeRefusal(*found.refusal) if found.refusal else None,
    )
