"""What JavaScript makes of a value, for the `sillytavern` profile: white space, truth, numbers, sorting.

SillyTavern reads books as they are, so a field of a wrong type is coerced by JavaScript's rules. Only the rules that
can decide something for a lorebook are here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import Final, TypeVar

__all__ = [
    "RESERVED",
    "WHITE_SPACE",
    "add",
    "is_integer_like",
    "length",
    "number",
    "number_text",
    "replace_first",
    "round_half_up",
    "sort_descending",
    "trim",
    "truthy",
    "value_as_text",
    "with_dollars",
]

WHITE_SPACE: Final = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that `trim()` removes and `\\s` matches."""

RESERVED: Final = frozenset(
    (
        "constructor toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable __proto__ "
        "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__"
    ).split()
)
"""Names that every object has already; SillyTavern throws when a group has one of them (cases inclusion-groups-050,
051)."""

_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Infinity)", re.ASCII)
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INDEX = re.compile(r"0|[1-9]\d*", re.ASCII)
_MAX_INDEX = 2**32 - 2
_MOST_BITS = 1024
"""An integer with more bits is infinite to JavaScript."""
_LARGEST_POINT = 21
_SMALLEST_POINT = -6
"""Where the decimal point may stand in a number that is written without an exponent."""

_DOLLAR = re.compile(r"\$([$&`'])")

T = TypeVar("T")


def trim(text: str) -> str:
    """`String.prototype.trim`."""
    return text.strip(WHITE_SPACE)


def length(text: str) -> int:
    """`text.length`: characters outside the basic plane count twice."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def truthy(value: object) -> bool:
    """`Boolean(value)`: empty lists and objects are true, NaN is false."""
    if isinstance(value, float) and math.isnan(value):
        return False
    return True if isinstance(value, (list, tuple, dict)) else bool(value)


def number(value: object) -> float:
    """`Number(value)`; absent is NaN, null is 0, a list or object is NaN unless it holds one number or none."""
    if value is None or value is False:
        return 0
    if value is True:
        return 1
    if isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < _MOST_BITS else math.inf if value > 0 else -math.inf
    if isinstance(value, str):
        return _text_number(trim(value))
    if isinstance(value, (list, tuple)) and len(value) < 2:
        return number(value[0]) if value else 0
    return math.nan


def _text_number(text: str) -> float:
    if not text:
        return 0
    if _RADIX.fullmatch(text):
        return number(int(text, 0))
    if not _DECIMAL.fullmatch(text):
        return math.nan
    found = float(text.replace("Infinity", "inf"))
    return int(found) if math.isfinite(found) and found == int(found) else found


def number_text(value: float) -> str:
    """`String(number)` (ECMAScript `Number::toString`): `1`, `0.5`, `1e+21`, `1e-7`; -0 is `0`.

    Integers are rounded to a double first, as JavaScript reads them. The shortest digits that give the number back are
    the same in Python and JavaScript; only the form differs.
    """
    try:
        double = float(value)
    except OverflowError:
        double = math.inf if value > 0 else -math.inf
    if math.isnan(double):
        return "NaN"
    sign = "-" if double < 0 else ""
    if math.isinf(double):
        return f"{sign}Infinity"
    if double == 0:
        return "0"
    mantissa, _, exponent = repr(abs(double)).partition("e")
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


def add(left: float | str, right: float | str) -> float | str:
    """The `+` of JavaScript: numbers are added; with a text on either side both are joined as texts."""
    if isinstance(left, str) or isinstance(right, str):
        return _as_text(left) + _as_text(right)
    return left + right


def _as_text(value: float | str) -> str:
    return value if isinstance(value, str) else number_text(value)


def round_half_up(value: float) -> int:
    """`Math.round`."""
    return math.floor(value + 0.5)


def with_dollars(template: str) -> Callable[[str, int, int], str]:
    """A JavaScript replacement text as a function of the searched text and where the match stands: `$$`, `$&`,
    `` $` `` and `$'` have their meanings."""
    if "$" not in template:
        return lambda text, start, end: template  # noqa: ARG005

    def write(text: str, start: int, end: int) -> str:
        parts = {"$": "$", "&": text[start:end], "`": text[:start], "'": text[end:]}
        return _DOLLAR.sub(lambda found: parts[found[1]], template)

    return write


def replace_first(text: str, old: str, new: str) -> str:
    """`text.replace(old, new)` with texts: the first occurrence, with the dollar patterns of `with_dollars`."""
    start = text.find(old)
    if start < 0:
        return text
    end = start + len(old)
    return text[:start] + with_dollars(new)(text, start, end) + text[end:]


def is_integer_like(name: str) -> bool:
    """Whether an object puts this property name before all others, in numeric order (an array index)."""
    return bool(_INDEX.fullmatch(name)) and len(name) <= 10 and int(name) <= _MAX_INDEX


def sort_descending(items: Iterable[T], order: Callable[[T], float]) -> list[T]:
    """`items.sort((a, b) => b.order - a.order)`: stable; a comparison with NaN makes two items equal.

    With NaN the comparison is not consistent and the result depends on the algorithm; Python's and V8's are both
    TimSort (spec world-info §2, case weird-inputs-007).
    """
    listed = list(items)
    numbers = [order(item) for item in listed]
    if not any(math.isnan(n) for n in numbers):
        return sorted(listed, key=order, reverse=True)

    def compare(a: T, b: T) -> int:
        difference = order(b) - order(a)
        return (difference > 0) - (difference < 0)

    return sorted(listed, key=cmp_to_key(compare))


def value_as_text(value: object) -> str:
    """`String(value)` for a JSON value: a list is its items with commas, an object says nothing of itself."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, (list, tuple)):
        return ",".join("" if item is None else value_as_text(item) for item in value)
    return "[object Object]"
