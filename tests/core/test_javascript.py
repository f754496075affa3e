"""Numbers as JavaScript prints them. The texts are computed by hand from ECMAScript's Number::toString (radix 10): with
digits `s` of which there are `k`, and the value `s * 10 ** (n - k)`, the form depends on `k` and `n` alone."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.javascript import add, number, number_text

NUMBERS = [
    # not a number, zeros, infinite
    (math.nan, "NaN"),
    (0, "0"),
    (0.0, "0"),
    (-0.0, "0"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    (10**400, "Infinity"),
    (-(10**400), "-Infinity"),
    # k <= n <= 21: the digits, then zeros
    (1, "1"),
    (-7, "-7"),
    (100.0, "100"),
    (1e20, "100000000000000000000"),
    (123456789012345680000, "123456789012345680000"),
    (999999999999999900000.0, "999999999999999900000"),
    # 0 < n <= 21: a point among the digits
    (-1.5, "-1.5"),
    (123.456, "123.456"),
    (2**51 + 1.5, "2251799813685249.5"),
    # -6 < n <= 0: zeros, then the digits
    (0.1, "0.1"),
    (0.1 + 0.2, "0.30000000000000004"),
    (0.00001234, "0.00001234"),
    (1e-6, "0.000001"),
    (-0.0000015, "-0.0000015"),
    # else an exponent of n - 1, with its sign; a point if k > 1
    (1e-7, "1e-7"),
    (-1e-7, "-1e-7"),
    (1.5e-7, "1.5e-7"),
    (5e-324, "5e-324"),
    (1e21, "1e+21"),
    (10**21, "1e+21"),
    (-1.25e25, "-1.25e+25"),
    (1e100, "1e+100"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    # integers beyond 2 ** 53 are rounded to the nearest double, ties to even, and printed with its shortest digits
    (2**53, "9007199254740992"),
    (2**53 + 1, "9007199254740992"),
    (2**53 + 3, "9007199254740996"),
    (12345678901234567890, "12345678901234567000"),
    (2**64, "18446744073709552000"),
    (-(2**64), "-18446744073709552000"),
]


@pytest.mark.parametrize(("value", "text"), NUMBERS)
def test_a_number_as_text(value, text):
    assert number_text(value) == text


@given(st.floats(allow_nan=False) | st.integers())
def test_the_text_means_the_number(value):
    assert float(number(number_text(value))) == float(number(value))


def test_numbers_are_joined_to_texts_in_that_form():
    assert add("a", 1e-7) == "a1e-7"
    assert add(1e21, "b") == "1e+21b"
