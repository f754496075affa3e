"""Evaluating the texts of rules: references to variables, run-time macros, and SillyTavern's variables where asked for.

Inner braces are evaluated first. A value never becomes a name, never splits an argument and is never looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Final

from lorewright.core.javascript import value_as_text
from lorewright.core.model import Report
from lorewright.templates.rendered import Record, Rendered
from lorewright.templates.rules.context import RESERVED, Limits, RuleContext, RuleError
from lorewright.templates.rules.macros import RUNTIME, VARIABLES, Call, Macro
from lorewright.templates.rules.syntax import Part, Tag, parse
from lorewright.templates.signs import in_braces as is_template
from lorewright.templates.variables import VariableError, Variables, shown

__all__ = ["is_template", "render", "render_frame"]

_KEY: Final = re.compile(r"[A-Za-z0-9_.\-\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_LIMITS: Final = Limits()
_MEBIBYTE: Final = 1 << 20


def render(text: str, context: RuleContext, limits: Limits = _LIMITS) -> Rendered:
    """Evaluate a text.

    Nothing is raised: a text over a limit, or with a refused macro, gives nothing and writes nothing, and a report
    says why.

    Args:
        text: any text; without `{{` it is the result (unless it is over the limit).
        context: what can be read; it stays as it is.
        limits: see `Limits`.
    """
    record = Record()
    variables = Variables(context.local_variables, context.global_variables, record)
    try:
        result = _Evaluation(text, context, variables, record, limits).result()
    except (RuleError, VariableError) as error:
        report = Report(code="rule_text_failed", message=f"The text gives nothing: {error}", level="error")
        return Rendered(
            "",
            kinds=frozenset(record.kinds - {"writes"}),
            reads=frozenset(record.reads),
            local_variables=context.local_variables,
            global_variables=context.global_variables,
            reports=(report,),
        )
    return Rendered(
        result,
        kinds=frozenset(record.kinds),
        reads=frozenset(record.reads),
        writes=frozenset(record.writes),
        local_variables=variables.values("local"),
        global_variables=variables.values("global"),
        reports=record.reports,
    )


def render_frame(texts: Iterable[str], context: RuleContext, limits: Limits = _LIMITS) -> Sequence[Rendered]:
    """Evaluate the texts of one frame in their order, each once; what one writes, the next ones read.

    A frame is what lies between two of: a turn begins, a step ends, a compaction succeeds (spec §4.5).
    """
    found: list[Rendered] = []
    for text in texts:
        rendered = render(text, context, limits)
        found.append(rendered)
        context = replace(context, local_variables=rendered.local_variables, global_variables=rendered.global_variables)
    return found


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _shown_size(size: int) -> str:
    return f"{size // _MEBIBYTE} MiB" if size >= _MEBIBYTE and not size % _MEBIBYTE else f"{size:,} bytes"


class _Evaluation:
    """One text on its way."""

    def __init__(self, text: str, context: RuleContext, variables: Variables, record: Record, limits: Limits) -> None:
        self.text = text
        self.context = context
        self.variables = variables
        self.record = record
        self.limits = limits
        self.work = 0

    def result(self) -> str:
        self.check_size(self.text, "The text")
        if not is_template(self.text):
            return self.text
        parts = parse(self.text)
        for part in parts:
            if isinstance(part, Tag) and part.height > self.limits.nesting:
                raise RuleError(f"Macros are nested {part.height} deep; {self.limits.nesting} levels are allowed.")
        found = "".join(value for _, value in self.values(parts))
        self.check_size(found, "The result")
        return found

    @cached_property
    def fingerprint(self) -> str:
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def check_size(self, text: str, what: str) -> None:
        size = _size(text)
        if size > self.limits.text:
            raise RuleError(f"{what} has {size:,} bytes; {_shown_size(self.limits.text)} are allowed.")

    def spend(self, size: int) -> None:
        self.work += size
        if self.work > self.limits.work:
            raise RuleError(f"All macros together handle more than {_shown_size(self.limits.work)}.")

    def values(self, parts: Sequence[Part]) -> list[tuple[bool, str]]:
        """What parts stand for, and whether it is text as it was written."""
        found: list[tuple[bool, str]] = []
        for part in parts:
            if isinstance(part, str):
                found.append((True, part))
                continue
            inner = self.values(part.parts)
            value = self.macro(inner, part.start)
            if value is None:
                found += [(True, "{{"), *inner, (True, "}}")]
                continue
            self.spend(_size(value))
            found.append((False, value))
        return found

    def macro(self, inner: Sequence[tuple[bool, str]], position: int) -> str | None:
        """What a pair of braces stands for; None: it stays as it is."""
        name, *arguments = _split(inner)
        if self.context.inner_spaces:
            name = name.strip()
        called = self.context.sillytavern and self.variable_macro(name, arguments, position)
        if isinstance(called, str):
            return called
        if not _KEY.fullmatch(name) or name in RESERVED:
            return None
        if (value := self.variable(name)) is not None:
            return value
        if (row := RUNTIME.get(name.lower())) and len(arguments) >= row[0]:
            return self.call(row, arguments, position)
        if name in self.context.built_ins:
            self.record.read(f"built_in:{name}", None)
            return self.context.built_ins[name]
        self.record.read(f"variable:{name}")  # it may be there the next time
        is_macro = self.context.sillytavern and name.lower() in VARIABLES
        return "" if self.context.unknown == "strip" and not is_macro else None

    def variable_macro(self, name: str, arguments: list[str], position: int) -> str | None:
        row = VARIABLES.get(name.lower())
        if row is None or len(arguments) < row[0] or (not row[0] and name in self.context.variables):
            return None
        return self.call(row, arguments, position)

    def call(self, row: Macro, arguments: list[str], position: int) -> str:
        call = Call(
            self.context,
            self.variables,
            self.record,
            self.limits,
            arguments,
            position,
            lambda: self.fingerprint,
            self.spend,
        )
        return shown(row[1](call))

    def variable(self, name: str) -> str | None:
        """A variable by its bare name: local, then declared."""
        if self.context.sillytavern and self.variables.has("local", name):
            return shown(self.variables.get("local", name))
        if name in self.context.variables:
            self.record.read(f"variable:{name}")
            return value_as_text(self.context.variables[name])
        return "" if name in self.context.hidden else None


def _split(parts: Sequence[tuple[bool, str]]) -> list[str]:
    """A tag's content at every `::` that was written; the first item is empty where a value is part of the name."""
    items: list[list[str]] = [[]]
    in_name = False
    for is_written, text in parts:
        if not is_written:
            in_name = in_name or len(items) == 1
            items[-1].append(text)
            continue
        first, *more = text.split("::")
        items[-1].append(first)
        items += [[piece] for piece in more]
    joined = ["".join(item) for item in items]
    return ["", *joined[1:]] if in_name else joined
