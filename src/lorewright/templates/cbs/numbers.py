"""Macros that count: rounding, sums, number texts in other bases (spec risu §2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import number, number_text
from lorewright.templates.cbs.arithmetic import divide, power
from lorewright.templates.cbs.state import MACRO_COST, Given, Macro
from lorewright.templates.cbs.values import TooMuch, fixed, list_text, parse_int, read_list, remainder, round_half_up

__all__ = ["NUMBERS"]


def _of_one(change: Callable[[float], float]) -> Callable[[Given], str]:
    return lambda given: number_text(change(given.number(0)))


def _whole(change: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: float(change(value)) if math.isfinite(value) else value


def modulo(given: Given) -> str:
    return number_text(remainder(given.number(0), given.number(1)))


def to_the_power(given: Given) -> str:
    return number_text(power(given.number(0), given.number(1)))


def digits_of(given: Given) -> str:
    """The characters that are numbers by themselves, and points."""
    return "".join(letter for letter in given.need(0) if letter == "." or not math.isnan(number(letter)))


def _counted(given: Given) -> list[float]:
    """The values as numbers; what is none counts as 0."""
    found = [float(number(value)) for value in given.values()]
    return [0.0 if math.isnan(value) else value for value in found]


def least(given: Given) -> str:
    return number_text(min(_counted(given), default=math.inf))


def greatest(given: Given) -> str:
    return number_text(max(_counted(given), default=-math.inf))


def total(given: Given) -> str:
    return number_text(_sum(_counted(given)))


def average(given: Given) -> str:
    values = _counted(given)
    return number_text(divide(_sum(values), len(values)))


def _sum(values: list[float]) -> float:
    """A plain sum from left to right, as JavaScript adds (Python's `sum` corrects its errors since 3.12)."""
    result = 0.0
    for value in values:
        result += value
    return result


def fix(given: Given) -> str:
    return fixed(given.number(0), given.number(1))


def from_hex(given: Given) -> str:
    return number_text(parse_int(given.text(0), 16))


def to_hex(given: Given) -> str:
    value = parse_int(given.text(0))
    return f"{int(value):x}" if math.isfinite(value) else number_text(value)


def span(given: Given) -> str:
    """Numbers from a start up to, not including, an end.

    Raises:
        TooMuch: they are more than `limits.items`, or never reach the end.
    """
    bounds = [float(number(value)) for value in read_list(given.need(0))]
    start, end = (0.0, bounds[0] if bounds else math.nan) if len(bounds) < 2 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1.0
    most = given.run.context.limits.items
    found: list[str] = []
    while start < end:
        if len(found) >= most:
            raise TooMuch(f"makes a list with `range` of more than {most:,} items")
        found.append(number_text(start))
        start += step
    given.run.spend(len(found) * MACRO_COST // 10)
    return list_text(found)


NUMBERS: Final = (
    Macro("round", "number", "constant", _of_one(round_half_up)),
    Macro("floor", "number", "constant", _of_one(_whole(math.floor))),
    Macro("ceil", "number", "constant", _of_one(_whole(math.ceil))),
    Macro("abs", "number", "constant", _of_one(abs)),
    Macro("remaind", "a::b", "constant", modulo),
    Macro("pow", "base::exponent", "constant", to_the_power),
    Macro("tonumber", "text", "constant", digits_of),
    Macro("min", "list", "constant", least),
    Macro("max", "list", "constant", greatest),
    Macro("sum", "list", "constant", total),
    Macro("average", "list", "constant", average),
    Macro("fixnum", "number::digits", "constant", fix, ("fixnumber",)),
    Macro("fromhex", "hex", "constant", from_hex),
    Macro("tohex", "number", "constant", to_hex),
    Macro("range", "list", "constant", span),
)
