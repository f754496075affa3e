"""Reading a text (spec risu §1): one pass from left to right over a stack of levels; results are not read again.

Only what `#each` expands to is read, as if it stood in the text. No recursion but for called texts, whose number is
bounded, so any nesting of braces is safe.
"""

from __future__ import annotations

import re
from typing import Final

from lorewright.core.javascript import WHITE_SPACE, value_as_text
from lorewright.templates.cbs.arithmetic import calculate
from lorewright.templates.cbs.blocks import ELSE, Block, Lookup, expand_each, open_block, shape_body, shape_else
from lorewright.templates.cbs.blocks import shape_old_form as old_form
from lorewright.templates.cbs.context import CbsContext
from lorewright.templates.cbs.registry import MACROS
from lorewright.templates.cbs.state import CALL_COST, MACRO_COST, Counter, Given, Reading, Run
from lorewright.templates.cbs.values import FUNCTION, Thrown, TooMuch, check_size, replace_all, truthy, whole
from lorewright.templates.context import Json
from lorewright.templates.rendered import Rendered
from lorewright.templates.signs import ANGLES_OF_CBS
from lorewright.templates.signs import of_cbs as is_template
from lorewright.templates.variables import json_text

__all__ = ["is_template", "render"]

_TOKEN = re.compile(r"\{[{#]|\}\}|#\}")
_OPENING = re.compile(r"\{[{#]")
_NOT_TOKEN = re.compile(r"[^{}#]")
_SKIPPED_IN_NAMES = re.compile(f"[{WHITE_SPACE}_-]+")
_TOO_MANY_CALLS: Final = "ERROR: Call stack limit reached"
_FAILED: Final = (Thrown, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)

_HIDDEN: Final = {ord("{"): "\ufdd0", ord("}"): "\ufdd1", ord("#"): "\ufdd2"}
_SHOWN: Final = {0xFDD0: "{", 0xFDD1: "}", 0xFDD2: "#"}
"""Characters that no text has, for braces that must not be read (the switch `each_runs_items`)."""


def render(text: str, context: CbsContext) -> Rendered:
    """The text with its macros run. Nothing in the context changes; never raises.

    A text that goes past a limit comes back as it was, with a report and nothing written.
    """
    run = Run(context, _scan)
    try:
        result = text if not is_template(text) else whole(_scan(run, text, Counter(context.call.calls), {}))
        check_size(len(result), max(len(text), context.limits.output_chars))
    except TooMuch as problem:
        run.undo()
        run.record.report("macro_limit", f"The text {problem}. It stays as it was written.", "error")
        result = text
    record = run.record
    return Rendered(
        text=result,
        kinds=frozenset(record.kinds),
        reads=frozenset(record.reads),
        writes=frozenset(record.writes),
        local_variables=run.variables,
        global_variables=context.global_variables,
        reports=record.reports,
    )


def _scan(run: Run, text: str, counter: Counter, functions: dict[str, str]) -> str:
    counter.calls += 1
    limits = run.context.limits
    run.spend(len(text) + CALL_COST)
    try:
        if counter.calls > limits.calls:
            run.record.report(
                "macro_calls",
                f"A text calls more than {limits.calls - 1} others (fields, functions, messages of a history); "
                "from there on they print an error.",
            )
            return _TOO_MANY_CALLS
        return _Scanner(run, counter, functions).read(ANGLES_OF_CBS.sub(r"{{\1}}", text))
    finally:
        if not run.context.switches.calls_never_end:
            counter.calls -= 1


class _Level:
    """An open level: the text so far. `tag` is what opened it: braces, nothing in an unread block, or a block."""

    __slots__ = ("block", "branches", "closable", "opening", "parts")

    def __init__(self, opening: str, *, closable: bool = False, block: Block | None = None) -> None:
        self.parts: list[str] = []
        self.opening = opening
        self.closable = closable
        self.block = block
        self.branches: list[str] = []


class _Scanner:
    """Reads one text."""

    def __init__(self, run: Run, counter: Counter, functions: dict[str, str]) -> None:
        self.run = run
        self.calls = counter
        self.reading = Reading(run, Counter(counter.calls), functions)
        self.switches = run.context.switches
        self.deepest = run.context.limits.nesting + 1
        self.levels = [_Level("")]
        self.rest: list[tuple[str, int]] = []
        self.source = ""
        self.place = 0
        self.unread = 0
        self.hides = False
        self.lookup = Lookup(run.get, run.get_shared)

    def read(self, text: str) -> str:
        self.source = text
        while True:
            level = self.levels[-1]
            found = (_TOKEN if level.closable else _OPENING).search(self.source, self.place)
            if found is None:
                level.parts.append(self.source[self.place :])
                if not self.rest:
                    break
                self.source, self.place = self.rest.pop()
                continue
            start = found.start()
            if self.source[start] == "{":
                level.parts.append(self.source[self.place : start])
                self.place = start + 2
                self._open_braces(level)
            else:
                level.parts.append(self.source[self.place : start])
                self.place = start + 2
                self.levels.pop()
                self._close("".join(level.parts), old=found[0] == "#}")
                if self.reading.result is not None:
                    return self._shown(self.reading.result)
        return self._shown("".join(level.opening + "".join(level.parts) for level in self.levels))

    def _open_braces(self, level: _Level) -> None:
        """A new level. Those too deep to be closed are one, because nothing can close one of them any more."""
        depth = len(self.levels)
        if depth < self.deepest:
            self.levels.append(_Level("{{", closable=True))
            return
        opening = "<" if self.switches.open_blocks_print_angle else "{{"
        if depth == self.deepest:
            self.levels.append(_Level(opening))
        else:
            level.parts.append(opening)

    def _shown(self, text: str) -> str:
        return text.translate(_SHOWN) if self.hides else text

    def _write(self, text: str) -> None:
        self.levels[-1].parts.append(text)

    def _close(self, content: str, *, old: bool) -> None:
        """What a closed pair of braces becomes (spec risu §1.5)."""
        if old:
            body = old_form(content)
            self._write(f"{{#{content}#}}" if body is None else body)
        elif content[:1] in {"#", ":"}:
            self._open(content)
        elif not (content.startswith("/") and not content.startswith("//") and self._close_block(content)):
            self._replace(content)

    def _open(self, tag: str) -> None:
        """An opening tag: a block, a level inside an unread block, or text."""
        top = self.levels[-1].block
        if top is not None and top.kind == "chosen" and tag == ELSE:
            level = self.levels[-1]
            level.branches.append("".join(level.parts))
            level.parts = []
            return
        if self.unread:
            self._write(f"{{{{{tag}}}}}")
            if tag[0] == "#" or self.switches.else_opens_unread:
                self.levels.append(_Level("<" if self.switches.open_blocks_print_angle else ""))
            return
        block = open_block(self._shown(tag), self.lookup, self.switches)
        if block is None:
            self._write(f"{{{{{tag}}}}}")
            return
        opening = "<" if self.switches.open_blocks_print_angle else f"{{{{{tag}}}}}"
        self.levels.append(_Level(opening, block=block))
        self.unread += block.unread

    def _close_block(self, tag: str) -> bool:
        """Close the block or the level below it; False if the level on top is neither."""
        level = self.levels[-1]
        if level.closable or len(self.levels) == 1:
            return False
        self.levels.pop()
        body = "".join(level.parts)
        if level.block is None:
            self._write(f"{body}{{{{{tag}}}}}")
            return True
        self.unread -= level.block.unread
        self._finish(level.block, body, level.branches)
        return True

    def _finish(self, block: Block, body: str, branches: list[str]) -> None:
        if block.kind == "chosen":
            self._read_next(shape_else(block, [*branches, body]))
        elif block.kind == "each":
            protect = _as_it_is if self.switches.each_runs_items else self._hidden
            most = self.run.context.limits.work_chars
            self._read_next(expand_each(block, shape_body(block, body), protect, most))
        elif block.kind == "function":
            self.reading.functions[block.name] = shape_body(block, body)
        else:
            self._write(shape_body(block, body))

    def _hidden(self, text: str) -> str:
        self.hides = True
        return text.translate(_HIDDEN)

    def _read_next(self, text: str) -> None:
        """Put a text in front of what is still to be read, so that braces across the border count."""
        self.run.spend(len(text) + CALL_COST)
        border = _NOT_TOKEN.search(self.source, self.place)
        end = border.start() if border else len(self.source)
        if border:
            self.rest.append((self.source, end))
        self.source, self.place = text + self.source[self.place : end], 0

    def _replace(self, content: str) -> None:
        """A call of a function, a macro, or text."""
        self.run.spend(MACRO_COST + len(content))
        called = self._call(content) if content.startswith("call::") else None
        if called is not None:
            self._write(called)
        elif self.unread:
            self._write(f"{{{{{content}}}}}")
        else:
            self._insert(content, self._macro(self._shown(content)))

    def _call(self, content: str) -> str | None:
        """The result of a function that is known (spec risu §5)."""
        given = self._shown(content).split("::")[1:]
        body = self.reading.functions.get(given[0])
        if body is None:
            return None
        most = self.run.context.limits.output_chars
        for place, value in enumerate(given):
            body = replace_all(body, f"{{{{arg::{place}}}}}", value, most)
        return self.run.scan(self.run, body, self.calls, self.reading.functions)

    def _macro(self, text: str) -> Json:
        """The result of a macro; None if it stays as text."""
        if text.startswith("? "):
            return calculate(text[2:], self.run.get, lambda name: value_as_text(self.run.get_shared(name)))
        if text.startswith("//") and not self.switches.comments_stay:
            return ""
        colon = text.find(":")
        name, *arguments = text.split("::" if text[colon + 1 : colon + 2] == ":" else ":") if colon >= 0 else [text]
        macro = MACROS.get(name) or MACROS.get(_SKIPPED_IN_NAMES.sub("", name.lower()))
        if macro is None or macro.run is None:
            self._report(name, shown_only=macro is not None)
            return None
        try:
            result = macro.run(Given(self.reading, arguments, text))
        except _FAILED:
            result = None
        if result is None and macro.kind != "writes":
            self.run.record.report(
                "macro_failed", f"`{{{{{text[:60]}}}}}` has no result with these arguments; it stays as text."
            )
        return result

    def _report(self, name: str, *, shown_only: bool) -> None:
        name = name.strip()
        if name.startswith(("//", "/")) or not name:
            return
        why = "only works on RisuAI's screen" if shown_only else "is no macro of RisuAI"
        self.run.record.report("macro_unknown", f"`{{{{{name[:60]}}}}}` {why}; it stays as text.", "info")

    def _insert(self, content: str, result: Json) -> None:
        if isinstance(result, str):
            self.run.spend(len(result))
            self._write(result)
        elif result is None or (self.switches.odd_results_print_undefined and not truthy(result)):
            self._write(f"{{{{{content}}}}}")
        elif self.switches.odd_results_print_undefined:
            self._insert_odd(result)
        else:
            text = "" if result is FUNCTION else _plain(result)
            self.run.spend(len(text))
            self._write(text)

    def _insert_odd(self, result: Json) -> None:
        """A result that is no text counts as a record of a text and temporary variables (spec risu §2)."""
        record = result if isinstance(result, dict) else {}
        text, held = record.get("text"), record.get("var")
        self._write("undefined" if "text" not in record else value_as_text(text))
        self.reading.temporary = held if isinstance(held, dict) else None
        self.reading.check_return()


def _as_it_is(text: str) -> str:
    return text


def _plain(value: Json) -> str:
    return json_text(value) if isinstance(value, (list, dict)) else value_as_text(value)
