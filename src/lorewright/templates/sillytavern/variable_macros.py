"""`getvar`, `setvar` and their family, for local and for global variables (spec macros §C)."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.templates.context import Json
from lorewright.templates.sillytavern.registry import Handler, Macro
from lorewright.templates.sillytavern.run import Invocation
from lorewright.templates.variables import Scope

__all__ = ["VARIABLE_MACROS"]


def _set(scope: Scope) -> Handler:
    return lambda call: call.run.variables.set(scope, call.arguments[0], call.arguments[1])


def _add(scope: Scope) -> Handler:
    def handler(call: Invocation) -> Json:
        call.run.variables.add(scope, *call.arguments)
        return ""

    return handler


def _count(scope: Scope, step: int) -> Handler:
    return lambda call: call.run.variables.add(scope, call.arguments[0], step)


def _get(scope: Scope) -> Handler:
    return lambda call: call.run.variables.get(scope, *call.arguments)


def _has(scope: Scope) -> Handler:
    return lambda call: call.run.variables.has(scope, call.arguments[0])


def _delete(scope: Scope) -> Handler:
    return lambda call: call.run.variables.delete(scope, call.arguments[0])


def _set_key(scope: Scope) -> Handler:
    def handler(call: Invocation) -> Json:
        name, key, value = call.arguments
        call.run.variables.set_key(scope, name, key, value)
        return ""

    return handler


def _rows(scope: Scope, mark: str) -> Iterator[Macro]:
    yield Macro(f"set{mark}var", "W", _set(scope), ("name", "value"))
    yield Macro(f"add{mark}var", "W", _add(scope), ("name", "value"))
    yield Macro(f"inc{mark}var", "W", _count(scope, 1), ("name",))
    yield Macro(f"dec{mark}var", "W", _count(scope, -1), ("name",))
    yield Macro(f"get{mark}var", "S", _get(scope), ("name",))
    yield Macro(f"has{mark}var", "S", _has(scope), ("name",), (f"{mark}varexists",))
    yield Macro(f"delete{mark}var", "W", _delete(scope), ("name",), (f"flush{mark}var",))
    yield Macro(f"set{mark}varkey", "W", _set_key(scope), ("name", "key", "value"), (f"set{mark}varindex",))
    yield Macro(f"get{mark}varkey", "S", _get(scope), ("name", "key"), (f"get{mark}varindex",))


VARIABLE_MACROS = (*_rows("local", ""), *_rows("global", "global"))
