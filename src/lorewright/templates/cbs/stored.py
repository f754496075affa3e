"""Macros for variables: of the chat (written in the writing pass only), global ones, temporary ones (spec risu §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import number, number_text, value_as_text
from lorewright.templates.cbs.arithmetic import calculate
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import inherited
from lorewright.templates.context import Json

__all__ = ["STORED"]


def temporary(given: Given) -> str:
    name = given.text(0)
    held = given.reading.held()
    given.reading.check_return()
    if name in held:
        value = held[name]
        return "" if value is None else value_as_text(value)
    return inherited(name) or ""


def set_temporary(given: Given) -> str:
    given.reading.held()[given.text(0)] = given.get(1)
    given.reading.check_return()
    return ""


def end(given: Given) -> str:
    given.reading.held().update({"__return__": given.get(0), "__force_return__": "1"})
    given.reading.check_return()
    return ""


def get_variable(given: Given) -> str:
    return given.run.get(given.text(0))


def get_shared(given: Given) -> Json:
    return given.run.get_shared(given.text(0))


def _in_a_pass(change: Callable[[Given], None]) -> Callable[[Given], str | None]:
    """A macro that writes: nothing in the removing pass, done in the writing pass, else it stays as text."""

    def write(given: Given) -> str | None:
        call = given.run.context.call
        if call.removes:
            return ""
        if not call.writes:
            return None
        change(given)
        return ""

    return write


def _set(given: Given) -> None:
    given.run.set(given.text(0), given.get(1))


def _add(given: Given) -> None:
    name = given.text(0)
    start = _present(given, name)
    given.run.set(name, number_text(number("0" if start is None else start) + given.number(1)))


def _set_default(given: Given) -> None:
    name = given.text(0)
    if not _present(given, name):
        given.run.set(name, given.get(1))


def _present(given: Given, name: str) -> str | None:
    """A variable's text; in RisuAI a missing one is the text `null`."""
    value = given.run.get(name)
    return value if given.run.context.switches.missing_is_null or given.run.has(name) else None


def calculation(given: Given) -> str:
    run = given.run
    return calculate(given.need(0), run.get, lambda name: value_as_text(run.get_shared(name)))


STORED: Final = (
    Macro("tempvar", "name", "constant", temporary, ("gettempvar",)),
    Macro("settempvar", "name::value", "constant", set_temporary),
    Macro("return", "value?", "constant", end),
    Macro("getvar", "name", "state", get_variable),
    Macro("setvar", "name::value", "writes", _in_a_pass(_set)),
    Macro("addvar", "name::number", "writes", _in_a_pass(_add)),
    Macro("setdefaultvar", "name::value", "writes", _in_a_pass(_set_default)),
    Macro("getglobalvar", "name", "state", get_shared),
    Macro("calc", "expression", "state", calculation),
)
