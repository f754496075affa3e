"""Texts whose tags or braces are not closed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.ejs import Output
from lorewright.templates.ejs.balance import find_imbalance
from lorewright.templates.ejs.compiling import CodeCheck
from tests.templates.ejs.test_generation import render

OPEN = [
    ("a\n<% if (true) { %>\nb", "`{` is never closed", 2),
    ("<% if (true { %>b<% } %>", "`(` is never closed", 1),
    ("a\n\nb <%= user", "the tag `<%=` is never closed", 3),
    ("<% if (1) { %>b<% }\n} %>", "`}` closes nothing", 2),
    ("<%= [1, 2 %>", "`[` is never closed", 1),
    ("<%= '{' %><% /* { */ if (1) { // {\n %>b", "`{` is never closed", 1),
]


def check(sandbox, text):
    with CodeCheck(sandbox) as code:
        return code(text)


@pytest.mark.parametrize(("text", "said", "line"), OPEN)
def test_a_refusal_says_what_is_not_closed_and_where(sandbox, text, said, line):
    found = render(sandbox, text)

    assert (found.code, found.line) == ("failed", line)
    assert said in found.message
    assert "catch" not in found.message


@pytest.mark.parametrize("text", ["<% if (1) { %>b<% } %>", "<%= '{' %>", "no code {", "<%# { %>", "<%% {"])
def test_nothing_is_open(text):
    assert find_imbalance(text) is None


def test_an_error_of_code_that_runs_keeps_its_words(sandbox):
    found = render(sandbox, "<% const r = /[{]/;\nJSON.parse('{') %>")

    assert "closed" not in found.message


@pytest.mark.parametrize(("text", "said", "line"), OPEN)
def test_a_check_finds_it_too(sandbox, text, said, line):
    found = check(sandbox, text)

    assert said in found
    assert not line or f"line {line}" in found


@pytest.mark.parametrize("text", ["<% let = = 1 %>", "<%= a b %>", "<% if (1) { %>b<% } else %>"])
def test_a_check_finds_other_code_that_does_not_compile(sandbox, text):
    assert "SyntaxError" in check(sandbox, text)


@pytest.mark.parametrize(
    "text",
    [
        "<% nobody.here() %>",
        "<% while (true) {} %>",
        "<% if ({{getvar::hp}} > 3) { %>low<% } %>",
        "<#escape-ejs><% if <#/escape-ejs>",
        "<% const r = /[{]/; %>",
        "plain {",
        "<%= await getwi('x') %>",
    ],
)
def test_a_check_runs_nothing_and_finds_nothing_in_code_that_compiles(sandbox, text):
    assert check(sandbox, text) == ""


@given(st.text("<%=>{}()[]'\"`/*\\\n a1-_#"))
def test_no_text_is_too_odd(text):
    found = find_imbalance(text)

    assert found is None or 1 <= found[1] <= text.count("\n") + 1


def test_a_text_that_renders_is_not_touched(sandbox):
    assert isinstance(render(sandbox, "<% const r = /[{]/; %>x"), Output)
