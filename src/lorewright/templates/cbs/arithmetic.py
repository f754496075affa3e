"""`{{? 1 + 2}}` and `calc` (spec risu §3): numbers and operators, no texts, no errors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from lorewright.core.javascript import WHITE_SPACE, number_text
from lorewright.templates.cbs.values import parse_float, remainder

__all__ = ["calculate", "divide", "power"]

Number: TypeAlias = float | None
"""None: a value that is missing."""

Lookup: TypeAlias = Callable[[str], str]

_SIGNS: Final = (("&&", "&"), ("||", "|"), ("<=", "≤"), (">=", "≥"), ("==", "="), ("!=", "≠"))
_OPERATORS: Final = "+-*/^%<>|&≤≥=≠!"
_OPERATOR = re.compile(r"[-+*/^%<>|&≤≥=≠!]")
_PRECEDENCE: Final = {"!": 5, "^": 4, "*": 3, "/": 3, "%": 3, "+": 2, "-": 2}
_NULL = re.compile("null", re.IGNORECASE | re.ASCII)
_VARIABLE = re.compile(r"([$@])([A-Za-z0-9_]+)")
_DOUBLE = re.compile(r"[&|=]")
_PARENTHESIS = re.compile(r"([()])")
_DIGITS = re.compile(r"[0-9]+")
_NO_SPACE: Final = dict.fromkeys(map(ord, WHITE_SPACE))


def calculate(text: str, chat: Lookup, shared: Lookup) -> str:
    """The value of an expression as JavaScript prints it. `chat` and `shared` give the text of a variable."""
    groups: list[list[str]] = [[]]
    for part in _PARENTHESIS.split(text):
        if part == "(":
            groups.append([])
        elif part == ")" and len(groups) > 1:
            inner = "".join(groups.pop())
            groups[-1].append(number_text(_value(inner, chat, shared)))
        else:
            groups[-1].append(part)
    return number_text(_value("".join("".join(group) for group in groups), chat, shared))


def _value(text: str, chat: Lookup, shared: Lookup) -> float:
    """The value of an expression without parentheses."""
    if _DIGITS.fullmatch(text):
        return float(text)

    def read(found: re.Match[str]) -> str:
        value = parse_float((chat if found[1] == "$" else shared)(found[2]))
        return "0" if math.isnan(value) else number_text(value)

    text = _VARIABLE.sub(read, text)
    if _DOUBLE.search(text):
        for sign, single in _SIGNS:
            text = text.replace(sign, single)
    return _evaluate(_tokens(_NULL.sub("0", text).translate(_NO_SPACE)))


def _tokens(text: str) -> list[str]:
    """Operands and operators in turn, an empty operand being 0. A minus where a value could start belongs to it."""
    tokens: list[str] = []
    start = 0
    for found in _OPERATOR.finditer(text):
        place = found.start()
        if text[place] == "-" and (not place or text[place - 1] in _OPERATORS):
            continue
        tokens += [text[start:place] or "0", text[place]]
        start = place + 1
    tokens.append(text[start:] or "0")
    return tokens


def _evaluate(tokens: list[str]) -> float:
    """Operator precedence with two stacks; a token that is no number is left out, so its operator misses a value."""
    values: list[Number] = []
    waiting: list[str] = []
    for place, part in enumerate(tokens):
        if place % 2:
            while waiting and _goes_first(waiting[-1], part):
                _apply(waiting.pop(), values)
            waiting.append(part)
            continue
        value = parse_float(part)
        if (value != 0 and not math.isnan(value)) or part == "0":
            values.append(value)
    while waiting:
        _apply(waiting.pop(), values)
    return (values[-1] if values else None) or 0.0


def _goes_first(waiting: str, sign: str) -> bool:
    """Whether the operator on the left is applied first; only `!` groups to the right (case sx-241)."""
    left, right = _PRECEDENCE.get(waiting, 1), _PRECEDENCE.get(sign, 1)
    return left > right if sign == "!" else left >= right


def _apply(sign: str, values: list[Number]) -> None:
    right = values.pop() if values else None
    if sign == "!":
        values.append(float(not _true(right)))
        return
    left = values.pop() if values else None
    values.append(_result(sign, left, right))


def _true(value: Number) -> bool:
    return value is not None and value != 0 and not math.isnan(value)


def _result(sign: str, left: Number, right: Number) -> Number:
    match sign:
        case "&":
            return right if _true(left) else left
        case "|":
            return left if _true(left) else right
        case "=":
            return float(left == right)
        case "≠":
            return float(left != right)
    return _of_numbers(sign, math.nan if left is None else left, math.nan if right is None else right)


def _of_numbers(sign: str, left: float, right: float) -> float:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return divide(left, right)
        case "%":
            return remainder(left, right)
        case "^":
            return power(left, right)
        case "<":
            return float(left < right)
        case ">":
            return float(left > right)
        case "≤":
            return float(left <= right)
    return float(left >= right)


def divide(left: float, right: float) -> float:
    """`left / right`."""
    if right:
        return left / right
    if not left or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def power(base: float, exponent: float) -> float:
    """`base ** exponent`."""
    if math.isnan(exponent) or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan
