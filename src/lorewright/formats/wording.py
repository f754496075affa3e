"""Values as texts: what JavaScript's `String(value)` gives, and what a person is told a value is."""

from __future__ import annotations

import math

__all__ = ["describe", "number_as_text", "value_as_text"]

_TYPES = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
_LARGEST_POINT = 21
_SMALLEST_POINT = -6


def value_as_text(value: object) -> str:
    """`String(value)` for a JSON value: a list is its items with commas, an object says nothing of itself."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_as_text(value)
    if isinstance(value, list):
        return ",".join("" if item is None else value_as_text(item) for item in value)
    return "[object Object]"


def number_as_text(value: float) -> str:
    """`String(number)`: `1`, `0.5`, `1e+21`, `1e-7`. Integers are rounded to a double first, as JavaScript reads them.

    The shortest digits that give the number back are the same in Python and JavaScript; only the form differs.
    """
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if math.isnan(number):
        return "NaN"
    sign = "-" if number < 0 else ""
    if math.isinf(number):
        return f"{sign}Infinity"
    if number == 0:
        return "0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    padded = whole + fraction
    digits = padded.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(padded) - len(digits))
    return sign + _with_point(digits.rstrip("0"), point)


def _with_point(digits: str, point: int) -> str:
    """Digits with the decimal point after `point` of them (which may lie outside the digits)."""
    if len(digits) <= point <= _LARGEST_POINT:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _LARGEST_POINT:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_POINT < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits[0] + (f".{digits[1:]}" if digits[1:] else "")
    return f"{mantissa}e{point - 1:+d}"


def describe(value: object) -> str:
    """A value for a sentence: `the text "4"`, `a list`, `null`. Long texts are cut, lone surrogates escaped."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {number_as_text(value)}"
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:39] + "…"
        return f"the text {ascii(shown) if _has_surrogates(shown) else repr(shown)}"
    return _TYPES.get(type(value), f"a {type(value).__name__}")


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
