"""JavaScript's values as CBS sees them: lists and objects in texts, properties, numbers read from a text's start.

A missing argument is `None` where it stays one value among others; JSON's null is `None` too, which is the same to
every macro that asks.
"""

from __future__ import annotations

import json
import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

from lorewright.core.javascript import number, number_text, trim, value_as_text, with_dollars
from lorewright.templates.context import Json
from lorewright.templates.seeded import utf16_units
from lorewright.templates.variables import json_text

__all__ = [
    "FUNCTION",
    "Thrown",
    "TooMuch",
    "check_size",
    "fixed",
    "inherited",
    "joined",
    "list_text",
    "parse_float",
    "parse_int",
    "parse_json",
    "property_of",
    "read_list",
    "read_object",
    "remainder",
    "replace_all",
    "round_half_up",
    "truthy",
    "units",
    "whole",
]

FUNCTION: Final[Any] = object()
"""A property that every object has already, for example `toString`."""

_INHERITED: Final = frozenset(
    (
        "constructor toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable "
        "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__"
    ).split()
)
_FLOAT = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_SIGN = re.compile(r"[+-]?")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_MAX_DIGITS = 100
_PLAIN_FROM = 1e21
_MAX_INDEX_DIGITS = 10


class Thrown(Exception):
    """RisuAI's function would have thrown here: the macro stays as text."""


class TooMuch(Exception):
    """A limit is reached; the message says which. The whole text stays as it was."""


def parse_json(text: str) -> Json:
    """`JSON.parse`.

    Raises:
        Thrown: the text is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=number)
    except (ValueError, RecursionError) as error:
        raise Thrown from error


def _refuse(name: str) -> Json:
    raise ValueError(name)


def read_list(text: str) -> list[Json]:
    """A list in a text: a JSON list, else the text cut at `§` (spec risu §2)."""
    if text.lstrip(" \t\n\r").startswith("["):
        try:
            found = parse_json(text)
        except Thrown:
            return list(text.split("§"))
        if isinstance(found, list):
            return found
    return list(text.split("§"))


def read_object(text: str | None) -> Json:
    """An object in a text: whatever JSON it is, an empty object for a text that is none."""
    try:
        return {} if text is None else parse_json(text)
    except Thrown:
        return {}


def list_text(items: list[Json] | tuple[Json, ...] | list[str]) -> str:
    """The JSON a list becomes; a pair of colons in a text item is written as an escape, so that it does not cut a
    macro in two (spec risu §2)."""
    return json_text([item.replace("::", r"\u003A\u003A") if isinstance(item, str) else item for item in items])


def property_of(value: Json, name: str) -> Json:
    """`value[name]`; None for a property that is not there.

    Raises:
        Thrown: the value is null.
    """
    if value is None:
        raise Thrown
    if isinstance(value, dict) and name in value:
        return value[name]
    if isinstance(value, (list, str)):
        held: Any = units(value) if isinstance(value, str) else value
        if name == "length":
            return len(held)
        if name.isdecimal() and len(name) <= _MAX_INDEX_DIGITS and name == str(int(name)) and int(name) < len(held):
            return held[int(name)]
    return FUNCTION if name in _INHERITED else None


def inherited(name: str) -> str | None:
    """The text of a property that a plain object has from the start (case va-091)."""
    if name not in _INHERITED:
        return None
    if name == "__proto__":
        return "[object Object]"
    return f"function {'Object' if name == 'constructor' else name}() {{ [native code] }}"


def truthy(value: Json) -> bool:
    """`Boolean(value)`."""
    return value is not None and (isinstance(value, (list, dict)) or (bool(value) and value == value))  # noqa: PLR0124


def joined(items: list[Json], separator: str, most: int) -> str:
    """`items.join(separator)`: null is nothing, a list in the list is cut by commas.

    Raises:
        TooMuch: the separators alone would have more than `most` characters.
    """
    check_size(len(items) * len(separator), most)
    return separator.join("" if item is None else value_as_text(item) for item in items)


def parse_float(text: str) -> float:
    """`parseFloat`: the number at the start of a text, NaN without one."""
    found = _FLOAT.match(trim(text))
    return float(found[0].replace("Infinity", "inf")) if found else math.nan


def parse_int(text: str, radix: int | None = None) -> float:
    """`parseInt`: the whole number at the start of a text; without a radix `0x` makes it hexadecimal."""
    text = trim(text)
    sign = _SIGN.match(text)
    assert sign is not None
    digits = text[sign.end() :]
    if radix in {None, 16} and digits[:2] in {"0x", "0X"}:
        digits, radix = digits[2:], 16
    found = re.match(r"[0-9a-fA-F]+" if radix == 16 else r"[0-9]+", digits)
    if not found:
        return math.nan
    value = number(int(found[0], radix or 10)) if len(found[0]) < _MAX_DIGITS * 3 else math.inf
    return float(-value if sign[0] == "-" else value)


def fixed(value: float, digits: float) -> str:
    """`value.toFixed(digits)`: of two neighbours equally near the larger one, computed exactly.

    Raises:
        Thrown: `digits` is not 0 to 100.
    """
    places = 0 if math.isnan(digits) else math.trunc(digits) if math.isfinite(digits) else -1
    if not 0 <= places <= _MAX_DIGITS:
        raise Thrown
    if not math.isfinite(value) or abs(value) >= _PLAIN_FROM:
        return number_text(value)
    exact = Decimal(abs(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=200))
    return f"{'-' if value < 0 else ''}{exact:f}"


def round_half_up(value: float) -> float:
    """`Math.round`."""
    if not math.isfinite(value):
        return value
    floor = math.floor(value)
    return float(floor + 1 if value - floor >= 0.5 else floor)


def remainder(left: float, right: float) -> float:
    """`left % right`: the sign of the left side."""
    try:
        return math.fmod(left, right)
    except ValueError:
        return math.nan


def units(text: str) -> str:
    """The text as JavaScript sees it: every UTF-16 unit a character of its own."""
    return text if text.isascii() or max(text) < "\U00010000" else "".join(map(chr, utf16_units(text)))


def whole(text: str) -> str:
    """The text with every pair of surrogates made one character."""
    return _PAIR.sub(lambda found: found[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def replace_all(text: str, old: str, new: str, most: int) -> str:
    """`text.replaceAll(old, new)` with JavaScript's dollar patterns.

    Raises:
        TooMuch: the result would have more than `most` characters.
    """
    if not old:
        text = units(text)
    if "$" not in new:
        check_size(len(text) + text.count(old) * len(new), most)
        return text.replace(old, new)
    write = with_dollars(new)
    parts: list[str] = []
    place = size = 0
    for found in re.finditer(re.escape(old), text):
        parts += [text[place : found.start()], write(text, found.start(), found.end())]
        size += len(parts[-1])
        check_size(size, most)
        place = found.end()
    return "".join([*parts, text[place:]])


def check_size(size: int, most: int) -> None:
    """Refuse to build a text that is too long.

    Raises:
        TooMuch: it has more than `most` characters.
    """
    if size > most:
        raise TooMuch(f"would have {size:,} characters; at most {most:,} are allowed")
