"""Values as JavaScript prints them; the expected texts are what `String(x)` gives in Node."""

import pytest

from lorewright.core.javascript import value_as_text
from lorewright.formats.wording import describe


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
        (1e-7, "1e-7"),
    ],
)
def test_other_values(value, text):
    assert value_as_text(value) == text


def test_descriptions_are_short_and_printable():
    assert describe("x" * 1000).endswith("…'")
    describe("\ud800").encode()
    assert describe({"a": 1}) == "an object"
    assert describe(10**5000) == "the number Infinity"
