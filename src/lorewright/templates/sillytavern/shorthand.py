"""`{{.name}}` and `{{$name}}` with their operators (spec macros §B, "Variables")."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import number
from lorewright.templates.context import Json
from lorewright.templates.variables import Scope, Variables, shown

__all__ = ["SCOPES", "evaluate", "is_false"]

SCOPES: Final[dict[str, Scope]] = {".": "local", "$": "global"}

_COMPARED: Final[dict[str, Callable[[float, float], bool]]] = {
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
}


def is_false(text: str) -> bool:
    """Whether a text counts as false: empty, `off`, `false`, `0`, in any case, with white space around the words."""
    return not text or text.strip().lower() in {"off", "false", "0"}


def evaluate(scope: str, name: str, operator: str, value: Callable[[], str], variables: Variables) -> Json:
    """The result of `{{scope name operator value}}`; `value` is asked for only when it is needed.

    Raises:
        VariableError: a variable without a name is written.
    """
    where = SCOPES[scope]
    if operator in {"||", "||=", "??", "??="}:
        missing = not variables.has(where, name) if "?" in operator else is_false(shown(variables.get(where, name)))
        if not missing:
            return variables.get(where, name)
        found = value()
        if operator.endswith("="):
            variables.set(where, name, found)
        return found
    match operator:
        case "":
            return variables.get(where, name)
        case "=":
            variables.set(where, name, value())
            return ""
        case "++":
            return variables.add(where, name, 1)
        case "--":
            return variables.add(where, name, -1)
        case "+=":
            variables.add(where, name, value())
            return ""
        case "-=":
            less = number(value())
            if not math.isnan(less):
                variables.add(where, name, -less)
            return ""
    left, right = shown(variables.get(where, name)), value()
    if operator in {"==", "!="}:
        return (left == right) == (operator == "==")
    return _COMPARED[operator](number(left), number(right))
