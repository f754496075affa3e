"""Macros that compare and decide; yes is the text `1`, no the text `0` (spec risu §2)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from lorewright.templates.cbs.state import Given, Macro

__all__ = ["LOGIC"]

_YES: Final = "1"


def _flag(value: object) -> str:
    return "1" if value else "0"


def equal(given: Given) -> str:
    return _flag(given.get(0) == given.get(1))


def not_equal(given: Given) -> str:
    return _flag(given.get(0) != given.get(1))


def _numbers(compare: Callable[[float, float], bool]) -> Callable[[Given], str]:
    return lambda given: _flag(compare(given.number(0), given.number(1)))


def both(given: Given) -> str:
    return _flag(given.get(0) == _YES and given.get(1) == _YES)


def either(given: Given) -> str:
    return _flag(_YES in {given.get(0), given.get(1)})


def negate(given: Given) -> str:
    return _flag(given.get(0) != _YES)


def every(given: Given) -> str:
    return _flag(all(value == _YES for value in given.values()))


def some(given: Given) -> str:
    return _flag(any(value == _YES for value in given.values()))


def is_error(given: Given) -> str:
    return _flag(given.need(0).lower().startswith("error:"))


LOGIC: Final = (
    Macro("equal", "a::b", "constant", equal),
    Macro("notequal", "a::b", "constant", not_equal),
    Macro("greater", "a::b", "constant", _numbers(operator.gt)),
    Macro("less", "a::b", "constant", _numbers(operator.lt)),
    Macro("greaterequal", "a::b", "constant", _numbers(operator.ge)),
    Macro("lessequal", "a::b", "constant", _numbers(operator.le)),
    Macro("and", "a::b", "constant", both),
    Macro("or", "a::b", "constant", either),
    Macro("not", "a", "constant", negate),
    Macro("all", "list", "constant", every),
    Macro("any", "list", "constant", some),
    Macro("iserror", "text", "constant", is_error),
)
