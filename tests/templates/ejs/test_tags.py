"""Which parts of a text are code."""

import pytest

from lorewright.templates.ejs.tags import Piece, split_tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a > b % c", [Piece("text", "a > b % c")]),
        ("a<%= x -%>\nb", [Piece("text", "a"), Piece("output", " x ", "<%=", "-%>"), Piece("text", "\nb")]),
        ("<%_ x _%><%# y %>", [Piece("code", " x ", "<%_", "_%>"), Piece("comment", " y ", "<%#", "%>")]),
        ("<%% x %%>", [Piece("mark", "<%%"), Piece("text", " x "), Piece("mark", "%%>")]),
        ("50%> x", [Piece("text", "50"), Piece("mark", "%>"), Piece("text", " x")]),
        ("<% a <% b %>", [Piece("code", " a ", "<%"), Piece("code", " b ", "<%", "%>")]),
        ("<% a", [Piece("code", " a", "<%")]),
        ("<%", [Piece("code", "", "<%")]),
    ],
)
def test_parts(text, expected):
    assert list(split_tags(text)) == expected
