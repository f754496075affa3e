"""`{{get_message_variable::stat_data.hp}}` and `{{format_message_variable::…}}`: a value of the variables that belong to a
message, as JSON or as YAML (spec mvu-filter §1).

They are macros of a host's extension, so the engines get them with the call, and only where there is such a tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from lorewright.core.javascript import is_integer_like, value_as_text
from lorewright.core.model import Report
from lorewright.templates.context import Json
from lorewright.templates.rendered import Rendered
from lorewright.templates.variables import json_text

__all__ = ["MessageVariables", "about_missing", "as_yaml"]

_ROOTS: Final = ("stat_data", "display_data", "delta_data")
_MACRO: Final = re.compile(r"\{\{((get|format)_message_variable::([^{}]*))\}\}", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"`\{\{((?:get|format)_message_variable)\b", re.IGNORECASE)
_STEP: Final = re.compile(r"""[^.\[\]"']+|"[^"]*"|'[^']*'""")
_PLAIN: Final = re.compile(r"[^\W\d_][^:#\n\r\t\"'{}\[\],&*!|>%@`]*(?<! )")
_WORDS: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off"})


@dataclass(slots=True)
class MessageVariables:
    """The macros for one text. `seen`: the variables that it read."""

    variables: Mapping[str, Json]
    seen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, variables: Mapping[str, Json]) -> MessageVariables | None:
        """None: there is no tree among the variables."""
        return cls(variables) if any(root in variables for root in _ROOTS) else None

    def functions(self) -> dict[str, Callable[..., str]]:
        """The macros as functions of their arguments."""
        return {
            "get_message_variable": lambda *path: self.value("get", "::".join(path)),
            "format_message_variable": lambda *path: self.value("format", "::".join(path)),
        }

    def inert(self, text: str) -> dict[str, str]:
        """The value of each of these macros in a text, by what stands between its braces."""
        return {found[1]: self.value(found[2].lower(), found[3]) for found in _MACRO.finditer(text)}

    def value(self, how: str, path: str) -> str:
        """The value at a path: a text as it is, anything else as JSON or YAML, nothing as `null`. Names that begin
        with `$` are the program's own and not shown."""
        root, *steps = [step.strip("\"'") for step in _STEP.findall(path)] or [""]
        self.seen.add(f"local:{root}")
        found = _shown(_follow(self.variables.get(root), steps))
        if isinstance(found, str):
            return found
        return as_yaml(found) if how == "format" else json_text(found)

    def marked(self, rendered: Rendered) -> Rendered:
        """The rendered text with what it read here."""
        if not self.seen:
            return rendered
        return replace(rendered, kinds=rendered.kinds | {"state"}, reads=rendered.reads | self.seen)


def about_missing(report: Report) -> Report:
    """The report about one of these macros where there is no tree to read; any other report as it is."""
    found = _UNKNOWN.match(report.message) if report.code == "macro_unknown" else None
    if found is None:
        return report
    message = f"`{{{{{found[1]}}}}}` shows variables of a message, and there are none here; it stays as text."
    return replace(report, code="message_variables_missing", message=message)


def _follow(value: Json, steps: list[str]) -> Json:
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and is_integer_like(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _shown(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _shown(item) for name, item in value.items() if not name.startswith("$")}
    return [_shown(item) for item in value] if isinstance(value, list) else value


def as_yaml(value: Json) -> str:
    """A value as YAML in lines, two spaces for each level."""
    return "\n".join(_lines(value, ""))


def _lines(value: Json, margin: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _member(f"{margin}{_scalar(name)}:", item, margin, of_list=False)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _member(f"{margin}-", item, margin, of_list=True)
    else:
        yield margin + _scalar(value)


def _member(head: str, item: Json, margin: str, *, of_list: bool) -> Iterator[str]:
    if not isinstance(item, (Mapping, list)) or not item:
        yield f"{head} {_scalar(item)}"
        return
    inner = list(_lines(item, f"{margin}  "))
    if of_list:
        yield f"{head} {inner[0].strip()}"
        yield from inner[1:]
    else:
        yield head
        yield from inner


def _scalar(value: Json) -> str:
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if is_plain else json_text(value)
    if isinstance(value, (Mapping, list)):
        return "{}" if isinstance(value, Mapping) else "[]"
    return value_as_text(value)
