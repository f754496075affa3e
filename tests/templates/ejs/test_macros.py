"""Macros beside code and in it: expanded before it runs, and never code themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.ejs import Limits, Output, Sandbox, Scene, Value
from lorewright.templates.ejs.macros import fill_macros
from lorewright.templates.ejs.tags import split_tags
from tests.effort import cpu_below


def filling(value):
    """A dialect with one macro."""
    return lambda text: text.replace("{{x}}", value)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("Hi {{x}}: <%= 1 %>", "Ann", "Hi Ann: <%= 1 %>"),
        ("{{x}}<%= '{{x}}' %>", "O'Brien", "O'Brien<%= 'O\\'Brien' %>"),
        ("{{x}}", "<%= evil() %>", "<%%= evil() %%>"),
        ("{{x}}%>", "<", "<<%#%>%>"),
        ("{{x}}% a %>", "<", "<%% a %>"),
        ("<%= {{x}} + 1 %>", "41", "<%= 41 + 1 %>"),
        ("<%= {{x}} %>", "-1.5", "<%= -1.5 %>"),
        ("<%= tree.{{x}}.hp %>", "安娜", "<%= tree.安娜.hp %>"),
        ("<%= {{x}} %>", "evil()", '<%= "evil()" %>'),
        ("<%= {{x}} %>", '{"a": "%>"}', '<%= {"a": "%\\u003e"} %>'),
        ("<%= {{x}} %>", "", "<%=  %>"),
        ("<%= `a${ {{x}} }b{{x}}` %>", "1;`", '<%= `a${ "1;`" }b1;\\`` %>'),
        ('<%= "a\\"{{x}}" + {{x}} %>', 'b"', '<%= "a\\"b\\"" + "b\\"" %>'),
        ("<% // it's {{x}}\n%>", "a\nevil()", "<% // it's a\\nevil()\n%>"),
        ("<% /* {{x}} */ %>", "*/ evil()", "<% /* \\x2a/ evil() */ %>"),
        ("<% /'[/']/.test({{x}}) %>", "a'b", "<% /'[/']/.test(\"a'b\") %>"),
        ("<% a / {{x}} / '{{x}}' %>", "2 '", "<% a / \"2 '\" / '2 \\'' %>"),
        ("<%# {{x}} %>", "%> evil", "<%# {{x}} %>"),
        ("<% f({a: {b: 1}}) %>{{x}}", "v", "<% f({a: {b: 1}}) %>v"),
        ("<% `${ {{y}} }` %>", "v", "<% `${ {{y}} }` %>"),
        ("<% '{{a {{x}}' %>", "v", "<% '{{a v' %>"),
        ("<% a = {b: {c: {{x}}}} %>", "1", "<% a = {b: {c: 1}} %>"),
    ],
)
def test_filled(text, value, expected):
    assert fill_macros(text, filling(value)) == expected


@pytest.mark.parametrize("code", ["{{" * 40_000, "{{a" * 40_000 + "}}", "{{{" * 40_000 + "{{x}}"])
def test_braces_that_nobody_closes_cost_no_more_than_their_length(code):
    text = f"<% /*{code}*/ %>"

    with cpu_below(5):
        assert fill_macros(text, str) == text


TEMPLATES = [
    "{{x}}",
    "{{x}}%>",
    "<{{x}}",
    "a{{x}}<%= 1 %>{{x}}",
    "<%= '{{x}}' %>",
    '<%= "{{x}}" %>',
    "<%= `{{x}}` %>",
    "<%= `${ {{x}} }` %>",
    "<%= {{x}} %>",
    "<% if ('{{x}}' === 'a') { %>{{x}}<% } %>",
    "<% // {{x}}\n%>{{x}}",
    "<% /* {{x}} */ %>",
    "<%= /'/.test('{{x}}') %>",
    "<%_ const a = {k: '{{x}}'} _%>",
]
PARTS = [
    "<%",
    "%>",
    "<",
    "%",
    ">",
    "'",
    '"',
    "`",
    "${",
    "}",
    "\\",
    "\n",
    "*/",
    "//",
    "{{x}}",
    "evil()",
    "=",
    "-",
    "_",
    " ",
    "a",
    "é",
]
VALUES = st.lists(st.sampled_from(PARTS), max_size=8).map("".join) | st.text(max_size=20)


@given(st.sampled_from(TEMPLATES), VALUES)
def test_a_value_opens_no_tag_and_closes_none(template, value):
    """As many tags as before, of the same kinds."""
    before = [(piece.kind, piece.opening, piece.closing) for piece in split_tags(template) if piece.opening]

    after = [piece for piece in split_tags(fill_macros(template, filling(value))) if piece.whole != "<%#%>"]

    assert [(piece.kind, piece.opening, piece.closing) for piece in after if piece.opening] == before


@pytest.fixture(scope="module")
def generation():
    with (
        Sandbox(Limits(generation_seconds=600)) as sandbox,
        sandbox.generation(Scene(), lambda request: Value(None), {"main"}) as generation,
    ):
        yield generation


@given(st.sampled_from("'\"`"), VALUES)
def test_a_value_in_a_string_is_that_value(generation, quote, value):
    text = fill_macros(f"<%= {quote}{{{{x}}}}{quote} %>", filling(value))

    assert generation.render("main", text) == Output(value)


@given(st.text(), st.text(max_size=5))
def test_nothing_is_raised(text, value):
    assert isinstance(fill_macros(text, filling(value)), str)
