"""Values as JavaScript prints them; the expected texts are what `String(x)` gives in Node."""

import math

import pytest

from lorewright.formats.wording import describe, number_as_text, value_as_text

NUMBERS = [
    (0, "0"),
    (-0.0, "0"),
    (1, "1"),
    (-1.5, "-1.5"),
    (100.0, "100"),
    (0.1, "0.1"),
    (1e-6, "0.000001"),
    (1.5e-7, "1.5e-7"),
    (1e-7, "1e-7"),
    (123456789012345680000, "123456789012345680000"),
    (12345678901234567890, "12345678901234567000"),
    (1e21, "1e+21"),
    (1.25e25, "1.25e+25"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (10**400, "Infinity"),
    (-(10**400), "-Infinity"),
    (math.nan, "NaN"),
    (123.456, "123.456"),
    (0.00001234, "0.00001234"),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers(number, text):
    assert number_as_text(number) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        ([], ""),
        ([1, None, [2, "x"]], "1,,2,x"),
        ({"a": 1}, "[object Object]"),
        ("x", "x"),
    ],
)
def test_other_values(value, text):
    assert value_as_text(value) == text


def test_descriptions_are_short_and_printable():
    assert describe("x" * 1000).endswith("…'")
    describe("\ud800").encode()
    assert describe({"a": 1}) == "an object"
    assert describe(10**5000) == "the number Infinity"
