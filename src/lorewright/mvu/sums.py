"""`10 * 2 + 5` as the value of an argument: a calculator with a closed list of functions (spec mvu-vars §4.4).

The rules of precedence are those of mathjs: a sign binds more than `*`, `2 pi` is a product, `50%` is a half and
`200 + 10%` is 220. Nothing is assigned, called by name from outside, or run.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final, NamedTuple

from lorewright.core.javascript import number, number_text
from lorewright.mvu.functions import (
    CONSTANTS,
    FUNCTIONS,
    MATH,
    NotASum,
    Number,
    factorial,
    floored_modulo,
    power,
)
from lorewright.mvu.values import tidy

__all__ = ["compute", "may_be_sum", "twelve_digits"]

_LONGEST: Final = 1_000
_DEEPEST: Final = 60
_DIGITS: Final = 12
_NEARLY: Final = 1e-12
_TINY: Final = 1e-15

_TOKENS: Final = r"""[ \t]*(?:
    (?P<number>0x[0-9A-Fa-f]+|0b[01]+|0o[0-7]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>(?:Math\.|math\.)?[A-Za-z_$\u00C0-\u02AF\u0370-\u03FF][\w$]*)
    |TEXTS
    |(?P<sign>==|!=|<=|>=|\.[*/^]|[-+*/%^!'()?:,<>]))"""
_TEXTS: Final = r"""(?P<text>"[^"\\]*"|'[^'\\]*')"""
_TOKEN: Final = re.compile(_TOKENS.replace("TEXTS", _TEXTS), re.VERBOSE)
_BEHIND: Final = re.compile(_TOKENS.replace("|TEXTS", ""), re.VERBOSE)
"""Where a value may begin, and behind one."""
_COMMENT: Final = re.compile(r"#[^\n]*")
_PRODUCTS: Final = {"*": "*", ".*": "*", "/": "/", "./": "/", "%": "%", "mod": "%"}
_COMPARED: Final = ("==", "!=", "<=", ">=", "<", ">")
_WORDS: Final = ("mod", "and", "or", "xor", "not")


class _Token(NamedTuple):
    kind: str
    text: str


class _Operand(NamedTuple):
    """A value, and what kind of text it came of: a plain number, `50%`, an operator's result, anything else."""

    value: Number | bool | str
    form: str = ""


_END: Final = _Token("end", "")


def compute(text: str) -> float | str | None:
    """The value of a sum: a number of twelve digits, or the text of a complex one. None: it is none, or gives no
    number. Never raises."""
    if not may_be_sum(text):
        return None
    try:
        value = _Reader(_tokens(_COMMENT.sub("", text))).read()
        return _result(value)
    except (NotASum, ArithmeticError, ValueError, TypeError):
        return None


def may_be_sum(text: str) -> bool:
    """Whether it is worth a try: the first letters could be those of a sum."""
    return len(text) <= _LONGEST and "\n" not in text and bool(_TOKEN.match(text))


def twelve_digits(value: float) -> float:
    """`parseFloat(value.toPrecision(12))`: what keeps 0.1 + 0.2 at 0.3."""
    if not math.isfinite(value):
        return value
    rounded = Context(prec=_DIGITS, rounding=ROUND_HALF_UP).plus(Decimal(value))
    return tidy(float(rounded))


def _result(value: Number | bool | str) -> float | str | None:
    if isinstance(value, (bool, str)):
        return None
    return _complex_text(value) if isinstance(value, complex) else twelve_digits(value)


def _complex_text(value: complex) -> str:
    real, imaginary = (0.0 if abs(part) < _TINY else part for part in (value.real, value.imag))
    if math.isnan(real) or math.isnan(imaginary):
        return "NaN"
    if imaginary == 0:
        return number_text(real)
    size = "" if abs(imaginary) == 1 else number_text(abs(imaginary))
    if real == 0:
        return f"{'-' if imaginary < 0 else ''}{size}i"
    return f"{number_text(real)} {'-' if imaginary < 0 else '+'} {size}i"


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    end = len(text.rstrip(" \t"))
    while at < end:
        match = (_BEHIND if found and _is_operand(found[-1]) else _TOKEN).match(text, at)
        if match is None:
            raise NotASum(text)
        kind = match.lastgroup or ""
        found.append(_Token("sign" if match[kind] in _WORDS else kind, match[kind]))
        at = match.end()
    return found


def _is_operand(token: _Token) -> bool:
    """Whether a value ends here, so that an apostrophe behind it is an operator and begins no text."""
    return token.kind != "sign" or token.text in {")", "!", "'"}


class _Reader:
    """Reads and computes in one go, from the loosest operator to the tightest."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def read(self) -> Number | bool | str:
        found = self._condition()
        if self._next != _END:
            raise NotASum(self._next.text)
        return found.value

    @property
    def _next(self) -> _Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def _peek(self, ahead: int) -> _Token:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else _END

    def _takes(self, *signs: str) -> str:
        if self._next.kind == "sign" and self._next.text in signs:
            self.at += 1
            return self.tokens[self.at - 1].text
        return ""

    def _needs(self, sign: str) -> None:
        if not self._takes(sign):
            raise NotASum(sign)

    def _condition(self) -> _Operand:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotASum("too deep")
        found = self._logic()
        if self._takes("?"):
            chosen = self._condition()
            self._needs(":")
            other = self._condition()
            found = _Operand((chosen if _truth(found.value) else other).value)
        self.depth -= 1
        return found

    def _logic(self) -> _Operand:
        found = self._comparison()
        while sign := self._takes("and", "or", "xor"):
            left, right = _truth(found.value), _truth(self._comparison().value)
            found = _Operand(left and right if sign == "and" else left or right if sign == "or" else left != right)
        return found

    def _comparison(self) -> _Operand:
        found = self._addition()
        while sign := self._takes(*_COMPARED):
            found = _Operand(_compare(sign, _plain(found.value), _plain(self._addition().value)))
        return found

    def _addition(self) -> _Operand:
        found = self._product()
        while sign := self._takes("+", "-"):
            right = self._product()
            left, value = _plain(found.value), _plain(right.value)
            if right.form == "percent":
                value = left * value
            found = _Operand(left + value if sign == "+" else left - value, "operator")
        return found

    def _product(self) -> _Operand:
        found = self._implicit_product()
        while sign := self._takes(*_PRODUCTS):
            left = _plain(found.value)
            if sign == "%" and self._next.kind in {"sign", "end"} and self._next.text != "(":
                found = _Operand(left / 100, "percent")
                continue
            right = _plain(self._implicit_product().value)
            found = _Operand(_multiply(_PRODUCTS[sign], left, right), "operator")
        return found

    def _implicit_product(self) -> _Operand:
        """`2 pi`, `2(3)`: two values side by side, but for two numbers."""
        found = last = self._quotient()
        while (
            self._next.kind == "name"
            or self._next.text == "("
            or (self._next.kind == "number" and last.form not in {"number", "operator"})
        ):
            last = self._quotient()
            found = _Operand(_plain(found.value) * _plain(last.value), "operator")
        return found

    def _quotient(self) -> _Operand:
        """`1/2 pi` is the half of pi: a quotient of two numbers comes before the product it stands in."""
        found = last = self._signed()
        while last.form == "number" and self._next.text == "/" and self._peek(1).kind == "number":
            if not (self._peek(2).kind == "name" or self._peek(2).text == "("):
                break
            self.at += 1
            last = self._signed()
            found = _Operand(_multiply("/", _plain(found.value), _plain(last.value)), "operator")
        return found

    def _signed(self) -> _Operand:
        if sign := self._takes("-", "+", "not"):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise NotASum("too deep")
            value = self._signed().value
            self.depth -= 1
            if sign == "not":
                return _Operand(not _truth(value), "operator")
            return _Operand(-_plain(value) if sign == "-" else _plain(value), "operator")
        found = self._postfixed()
        if self._takes("^", ".^"):
            found = _Operand(power(_plain(found.value), _plain(self._signed().value)), "operator")
        return found

    def _postfixed(self) -> _Operand:
        found = self._single()
        while sign := self._takes("!", "'"):
            value = _plain(found.value)
            if sign == "!":
                if isinstance(value, complex):
                    raise NotASum(sign)
                value = factorial(value)
            found = _Operand(value)
        return found

    def _single(self) -> _Operand:
        token = self._next
        self.at += 1
        if token.kind == "number":
            return _Operand(_number(token.text), "number")
        if token.kind == "text":
            return _Operand(token.text[1:-1])
        if token.text == "(":
            found = self._condition()
            self._needs(")")
            return _Operand(found.value)
        if token.kind == "name" or token.text == "mod":
            return _Operand(self._named(token.text))
        raise NotASum(token.text)

    def _named(self, name: str) -> Number | bool:
        space, _, rest = name.rpartition(".")
        if self._next.text != "(":
            found = {"true": True, "false": False}.get(name, CONSTANTS.get(rest))
            if found is None or (space == "Math" and not rest.isupper()):
                raise NotASum(name)
            return found
        function = (MATH if space == "Math" else FUNCTIONS).get(rest)
        if function is None:
            raise NotASum(name)
        self.at += 1
        values: list[Number] = []
        while self._next.text != ")":
            values.append(_plain(self._condition().value))
            if not self._takes(","):
                break
        self._needs(")")
        return function(*values)


def _number(text: str) -> float:
    return tidy(int(text, 0)) if text[:2] in {"0x", "0b", "0o"} else float(text)


def _plain(value: Number | bool | str) -> Number:
    """An operand as a number: texts and truths count as in JavaScript, a text that is no number counts as none."""
    if isinstance(value, str):
        value = number(value)
        if math.isnan(value):
            raise NotASum("a word")
    return int(value) if isinstance(value, bool) else value


def _truth(value: Number | bool | str) -> bool:
    return bool(_plain(value))


def _compare(sign: str, left: Number, right: Number) -> bool:
    if isinstance(left, complex) or isinstance(right, complex):
        raise NotASum(sign)
    same = left == right or math.isclose(left, right, rel_tol=_NEARLY)
    match sign:
        case "==":
            return same
        case "!=":
            return not same
        case "<" | "<=":
            return left < right if not same else sign == "<="
    return left > right if not same else sign == ">="


def _multiply(sign: str, left: Number, right: Number) -> Number:
    if sign == "*":
        return left * right
    if isinstance(left, complex) or isinstance(right, complex):
        if sign == "%":
            raise NotASum(sign)
        return left / right
    if sign == "%":
        return floored_modulo(left, right)
    if right:
        return left / right
    return math.copysign(math.inf, left) * math.copysign(1, right) if left and not math.isnan(left) else math.nan
