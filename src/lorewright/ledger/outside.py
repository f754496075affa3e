"""What comes from outside while a turn is assembled: recorded once, given back when it is assembled again.

Matching, names and reproducible draws come from the turn and need no record. What does: numbers of a `Draw` that a
host passes, texts of a renderer that is not `repeatable` (a sandbox; its clock comes in with its texts), and which
regex keys were given up for want of time, because another machine has other times.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.match import RegexRunner
from lorewright.core.protocols import Draw, Matcher, Regexes, RenderContext, Rendered, Renderer, Search, Tools
from lorewright.core.scan import Scan
from lorewright.errors import LedgerError, RegexError, RegexTimeout

__all__ = ["GivenUp", "Outside", "Recorder", "with_recorded"]

_ENDLESS_SECONDS: Final = 3600.0
_MOST_KEPT: Final = 50_000


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A regex key that got no answer: its pattern, and SHA-256 of the texts in which it was found all the same."""

    pattern: str
    flags: str
    seconds: float
    found_in: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """draws: (entry, purpose, index, number). rendered: what each call of the renderer gave, in order: SHA-256 of the
    text, what became of it, whether that is volatile, its kinds, what it read and what it wrote (the last three are
    not in older ledgers). given_up: regex keys without an answer."""

    draws: tuple[tuple[str, str, int, float], ...] = ()
    rendered: tuple[tuple[Any, ...], ...] = ()
    given_up: tuple[GivenUp, ...] = ()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# -- recording ---------------------------------------------------------------------------------------------------------


class Recorder:
    """Tools that remember what came from outside; `take` gives it and starts anew. One turn after the other."""

    def __init__(self, tools: Tools) -> None:
        self._draw = _RecordingDraw(tools.draw) if tools.draw else None
        self._matcher = _RecordingMatcher(tools.matcher)
        self._renderer = None if getattr(tools.renderer, "repeatable", False) else _RecordingRenderer(tools.renderer)
        self.tools = replace(tools, matcher=self._matcher, draw=self._draw, renderer=self._renderer or tools.renderer)

    def take(self) -> Outside | None:
        """What came since the last time; None: nothing."""
        found = Outside(
            draws=self._draw.take() if self._draw else (),
            rendered=self._renderer.take() if self._renderer else (),
            given_up=self._matcher.take(),
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
        self._outputs: list[tuple[Any, ...]] = []

    def is_template(self, text: str) -> bool:
        return self.renderer.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        found = self.renderer.render(text, context)
        writes = tuple(tuple(write) for write in found.writes)
        self._outputs.append((_digest(text), found.text, found.volatile, found.kinds, found.reads, writes))
        return found

    def take(self) -> tuple[tuple[Any, ...], ...]:
        outputs, self._outputs = self._outputs, []
        return tuple(outputs)


class _RecordingMatcher:
    """Keeps where regex keys were found, because one that is given up later keeps counting as found there."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self._searches: list[Search] = []
        self._found: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        self._kept = 0

    def open(self, lore: Lore, scan: Scan) -> Search:
        search = self.matcher.open(lore, scan)
        runner = getattr(search, "runner", None)
        if isinstance(runner, RegexRunner):
            runner.search = self._listening(runner.search)  # type: ignore[method-assign]
        self._searches.append(search)
        return search

    def take(self) -> tuple[GivenUp, ...]:
        searches, self._searches = self._searches, []
        given_up = {key: seconds for search in searches for key, seconds in search.timed_out.items()}
        return tuple(
            GivenUp(key.text, key.flags, seconds, self._places(key))
            for key, seconds in sorted(given_up.items(), key=lambda item: (item[0].text, item[0].flags))
        )

    def _places(self, key: Key) -> tuple[tuple[str, int, int], ...]:
        return tuple((text, *span) for text, span in self._found.get((key.text, key.flags), {}).items())

    def _listening(self, search: Any) -> Any:
        def listen(key: Key, text: str) -> tuple[int, int] | None:
            span: tuple[int, int] | None = search(key, text)
            if span is not None:
                if self._kept >= _MOST_KEPT:
                    self._found.clear()
                    self._kept = 0
                self._found.setdefault((key.text, key.flags), {})[_digest(text)] = span
                self._kept += 1
            return span

        return listen


# -- giving back -------------------------------------------------------------------------------------------------------


def with_recorded(tools: Tools, outside: Outside | None) -> Tools:
    """The tools, giving what was recorded. Regex keys that were given up give up at once, the others take their time."""
    given = outside or Outside()
    return replace(
        tools,
        matcher=_RecordedMatcher(tools.matcher, {(one.pattern, one.flags): one for one in given.given_up}),
        draw=_RecordedDraw(given.draws) if given.draws else None,
        renderer=_RecordedRenderer(tools.renderer, given.rendered) if given.rendered else tools.renderer,
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
            self._outputs[digest].append(Rendered(*output))

    def is_template(self, text: str) -> bool:
        return self.renderer.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        del context
        if not (outputs := self._outputs[_digest(text)]):
            raise LedgerError(f"A text is rendered that was not when this was recorded: {text[:60]!r}.", rendered=text)
        return outputs.popleft()


class _RecordedMatcher:
    def __init__(self, matcher: Matcher, given_up: Mapping[tuple[str, str], GivenUp]) -> None:
        self.matcher = matcher
        self._given_up = given_up

    def open(self, lore: Lore, scan: Scan) -> Search:
        search: Any = self.matcher.open(lore, scan)
        if isinstance(getattr(search, "runner", None), RegexRunner):
            search.runner = _RecordedRunner(search.runner.regexes, self._given_up)
        return search  # type: ignore[no-any-return]


class _RecordedRunner(RegexRunner):
    """Gives up what was given up, and nothing else."""

    def __init__(self, regexes: Regexes, given_up: Mapping[tuple[str, str], GivenUp]) -> None:
        super().__init__(regexes)
        self._given_up = given_up

    def search(self, key: Key, text: str) -> tuple[int, int] | None:
        """See `RegexRunner.search`."""
        given_up = self._given_up.get((key.text, key.flags))
        if given_up is None:
            try:
                return self.regexes.compile(key.text, key.flags).search(text, _ENDLESS_SECONDS)
            except (RegexTimeout, RegexError):
                return None
        wanted = _digest(text)
        for digest, start, end in given_up.found_in:
            if digest == wanted:
                return start, end
        self.timed_out.setdefault(key, given_up.seconds)
        return None
