"""The closed list of what a sum may call, and of the numbers it may name (spec mvu-vars §4.4, §13.2).

`mathjs` is the library that the program computes with, `Math` the one of JavaScript; they round differently.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, TypeAlias

__all__ = ["CONSTANTS", "FUNCTIONS", "MATH", "NotASum", "Number", "factorial", "floored_modulo", "power"]

Number: TypeAlias = float | complex
Function: TypeAlias = Callable[..., Number]

_NEARLY: Final = 1e-12
_MOST_DECIMALS: Final = 15
_LARGEST_FACTORIAL: Final = 170


class NotASum(ValueError):
    """The text is nothing that can be computed here."""


def _real(value: Number) -> float:
    if isinstance(value, complex):
        raise NotASum("not for complex numbers")
    return value


def _of_reals(function: Callable[..., float]) -> Function:
    return lambda *values: function(*map(_real, values))


def _whole(value: float, otherwise: Callable[[float], float]) -> float:
    """A number that is whole but for the last digits counts as whole; NaN and infinities stay."""
    if not math.isfinite(value):
        return value
    nearest = math.floor(value + 0.5)
    return nearest if math.isclose(value, nearest, rel_tol=_NEARLY) else otherwise(value)


def _round(value: float, decimals: float = 0) -> float:
    """Half away from zero, on the digits as they are written."""
    if decimals != int(decimals) or not 0 <= decimals <= _MOST_DECIMALS:
        raise NotASum("round to 0 to 15 decimals")
    if not math.isfinite(value):
        return value
    unit = Decimal(1).scaleb(-int(decimals))
    return float(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP)) if abs(value) < 10**_MOST_DECIMALS else value


def _sign(value: float) -> float:
    return (value > 0) - (value < 0)


def floored_modulo(value: float, by: float) -> float:
    """The rest of a division, with the sign of the divisor; a number modulo 0 is itself."""
    return value - by * math.floor(value / by) if by else value


def power(base: Number, exponent: Number) -> Number:
    """`base ^ exponent`, complex where a negative base has a root to be drawn."""
    if isinstance(base, complex) or isinstance(exponent, complex) or (base < 0 and exponent != math.floor(exponent)):
        return complex(base) ** exponent
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 else math.inf
    except ValueError:
        return math.inf


def factorial(value: float) -> float:
    """`value!` for any number that is not negative."""
    if value < 0 or math.isnan(value):
        raise NotASum("a factorial of a negative number")
    if value > _LARGEST_FACTORIAL:
        return math.inf
    return math.factorial(int(value)) if value == int(value) else math.gamma(value + 1)


def _root(value: Number) -> Number:
    return math.sqrt(value) if not isinstance(value, complex) and value >= 0 else cmath.sqrt(value)


def _log(value: Number, base: Number | None = None) -> Number:
    if value == 0:
        found: Number = -math.inf
    else:
        found = math.log(value) if not isinstance(value, complex) and value > 0 else cmath.log(value)
    return found if base is None else found / _log(base)


def _log_of(base: float) -> Function:
    exact = math.log10 if base == 10 else math.log2
    return lambda value: exact(value) if not isinstance(value, complex) and value > 0 else _log(value, base)


def _mean(*values: float) -> float:
    return math.fsum(values) / len(values)


def _gcd(*values: float) -> float:
    return math.gcd(*_integers(values))


def _lcm(*values: float) -> float:
    return math.lcm(*_integers(values))


def _integers(values: tuple[float, ...]) -> list[int]:
    if len(values) < 2 or any(value != int(value) for value in values):
        raise NotASum("for two or more whole numbers")
    return [int(value) for value in values]


def _hypotenuse(*values: float) -> float:
    return math.hypot(*values)


_SHARED: Final[Mapping[str, Function]] = {
    "abs": abs,
    "exp": lambda value: cmath.exp(value) if isinstance(value, complex) else math.exp(value),
    "log2": _log_of(2),
    "log10": _log_of(10),
    "pow": power,
    "hypot": _of_reals(_hypotenuse),
    "sign": _of_reals(_sign),
    "atan2": _of_reals(math.atan2),
    **{name: _of_reals(getattr(math, name)) for name in "sin cos tan asin acos atan sinh cosh tanh cbrt".split()},
}

FUNCTIONS: Final[Mapping[str, Function]] = {
    **_SHARED,
    "sqrt": _root,
    "log": _log,
    "max": _of_reals(max),
    "min": _of_reals(min),
    "round": _of_reals(_round),
    "floor": _of_reals(lambda value: _whole(value, math.floor)),
    "ceil": _of_reals(lambda value: _whole(value, math.ceil)),
    "fix": _of_reals(math.trunc),
    "mod": _of_reals(floored_modulo),
    "sum": lambda *values: sum(values),
    "mean": _of_reals(_mean),
    "gcd": _of_reals(_gcd),
    "lcm": _of_reals(_lcm),
    "square": lambda value: value * value,
    "cube": lambda value: value * value * value,
    "number": _of_reals(float),
    "bignumber": _of_reals(float),
}
"""Those of mathjs, which also stand behind `math.`."""


def _js_real(function: Callable[[float], float]) -> Function:
    """Out of its range a function of JavaScript is NaN."""

    def call(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            return math.nan

    return _of_reals(call)


MATH: Final[Mapping[str, Function]] = {
    **_SHARED,
    "sqrt": _js_real(math.sqrt),
    "log": _js_real(lambda value: math.log(value) if value else -math.inf),
    "max": _of_reals(lambda *values: max(values, default=-math.inf)),
    "min": _of_reals(lambda *values: min(values, default=math.inf)),
    "round": _of_reals(lambda value: math.floor(value + 0.5)),
    "floor": _of_reals(math.floor),
    "ceil": _of_reals(math.ceil),
    "trunc": _of_reals(math.trunc),
}
"""Those behind `Math.`."""

CONSTANTS: Final[Mapping[str, Number]] = {
    "pi": math.pi,
    "PI": math.pi,
    "e": math.e,
    "E": math.e,
    "tau": math.tau,
    "phi": (1 + math.sqrt(5)) / 2,
    "i": 1j,
    "Infinity": math.inf,
    "NaN": math.nan,
    "LN2": math.log(2),
    "LN10": math.log(10),
    "LOG2E": 1 / math.log(2),
    "LOG10E": 1 / math.log(10),
    "SQRT2": math.sqrt(2),
    "SQRT1_2": math.sqrt(0.5),
}
