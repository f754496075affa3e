"""What must hold when MVU is taken out of any text; the independent model is made of plain regular expressions."""

import re

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.javascript import trim
from lorewright.mvu.artifacts import (
    find_ejs_tags,
    find_getvars,
    find_macros,
    find_placeholders,
    find_stateful_tags,
    find_status_blocks,
    find_update_blocks,
)
from lorewright.mvu.detect import collapse, is_likely_mvu
from lorewright.mvu.sanitize import Blocked, sanitize

PIECES = [
    *("<update>", "</update>", "<UpdateVariable>", "</updatevariable>", "<variableupdate>", "</VariableUpdate>"),
    *("<StatusPlaceHolderImpl/>", "<status_current_variable>", "</status_current_variables>"),
    *("{{get_message_variable::stat_data", "{{ get_message_variable::delta_data.", "}}", "}", "{{"),
    *("getvar(", "'stat_data'", ")", "<%", "<%=", "%>", "SafeGetValue(", "stat_data", "display_data", "stat_data.x"),
    *(
        "message_data[0].data.",
        ":",
        " ",
        "  ",
        "\n",
        "\n\n\n",
        "\r\n",
        "\u3000",
        "\ufeff",
        "x",
        "ſ",
        "K",
        "🐉",
        "\ud83d",
    ),
    *("变量输出格式:", "变量更新规则:", "type:", "格式强调", "：", "-", "剧情演绎", "format:", "|", "."),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
few = st.lists(st.sampled_from(["a", "b", "ab", " "]), max_size=14).map("".join)
needles = st.lists(st.sampled_from(["a", "b", "ab", "aab", "aba", "x", " "]), min_size=1, max_size=3).map("".join)
modes = st.sampled_from(["aggressive", "final-safe", "", "other"])

ROOTS = "(?:stat_data|display_data|delta_data)"
SPACE = r"[\s\ufeff]*"
GETVAR = rf"""getvar\({SPACE}["']{ROOTS}["']{SPACE}\)"""
MODELS = {
    find_update_blocks: r"\n?<(update(?:variable)?|variableupdate)>(?:(?!<\1>).)*?</\1>",
    find_placeholders: r"\n?<StatusPlaceHolderImpl/>",
    find_status_blocks: r"\n?<status_current_variables?>.*?</status_current_variables?>",
    find_macros: rf"\{{\{{{SPACE}get_message_variable::{ROOTS}(?:\.[^}}]+)?{SPACE}\}}\}}",
    find_getvars: GETVAR,
    find_stateful_tags: rf"<%[-=]?.*?(?:SafeGetValue|{GETVAR}|\b{ROOTS}\b).*?%>",
    find_ejs_tags: r"<%[-=]?.*?%>",
}
"""What each finder looks for, written as one pattern; these may take quadratic time, the finders do not."""


@given(texts)
def test_every_finder_finds_what_its_pattern_finds(text):
    for find, pattern in MODELS.items():
        ascii_case = re.compile(pattern, re.IGNORECASE | re.ASCII | re.DOTALL)
        expected = [found.span() for found in ascii_case.finditer(text.replace("\u3000", "\t").replace("\ufeff", "\t"))]

        assert find(text) == expected, find.__name__


@given(texts, modes, st.lists(needles, max_size=3))
def test_the_sanitizer_ends_and_never_makes_a_text_longer(text, mode, blocked):
    result = sanitize(text, mode, Blocked.of(blocked))

    assert len(result.text) <= len(text)
    assert result.text == trim(result.text)
    assert result.dropped <= (result.text == "")
    assert result.changed == (result.text != collapse(text.replace("\r\n", "\n")))
    assert ("blocked_content_removed" in result.reasons) == (result.blocked_hits > 0)
    assert ("artifact_stripped" in result.reasons) == (result.artifacts > 0)
    if mode in {"final-safe", "other"}:
        assert not result.dropped


@given(few, st.lists(needles, max_size=3))
def test_blocked_texts_are_cut_from_the_left_until_none_is_left(text, blocked):
    expected, hits = collapse(text), 0
    for unwanted in Blocked.of(blocked).texts:
        while unwanted in expected:
            expected, hits = expected.replace(unwanted, "", 1), hits + 1

    result = sanitize(text, "final-safe", Blocked.of(blocked))

    assert (result.text, result.blocked_hits) == (collapse(expected), hits)


@given(texts)
def test_an_aggressive_result_does_not_look_like_mvu(text):
    assert not is_likely_mvu(sanitize(text).text)


def test_hostile_texts_of_many_characters_end_soon():
    """The time limit of a test is the bound: any of these takes very long with a pattern that goes back."""
    for piece in PIECES:
        sanitize(piece * (200_000 // len(piece)), "aggressive", Blocked.of(["ab", piece]))
    for text in ("{{get_message_variable::stat_data" + "\u3000" * 200_000, "ab" * 100_000):
        sanitize(text, "aggressive", Blocked.of(["ab", "a"]))
