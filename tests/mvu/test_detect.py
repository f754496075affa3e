"""Which entries count as MVU, where the recorded cases say nothing (spec mvu-filter §5)."""

import pytest

from lorewright.mvu.detect import find_ignore_reason, is_likely_mvu


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # "the closing parenthesis rarely ends at a word boundary, so the first form almost never counts"
        ("SafeGetValue(stat_data) and getvar('stat_data')", True),  # one signal, two mentions
        ("SafeGetValue(x.stat_data)", False),
        ("SafeGetValue(x.stat_data)y stat_data", True),  # a letter follows: a signal, and two mentions
        ("SafeGetValue(a) (stat_data)y stat_data", False),  # the root is not inside the call
        # white space and letters as in JavaScript
        ("格式强调-剧情演绎 format:\u3000|", True),
        ("\u017ftat_data: x stat_data", False),  # a long s is no s
        ("猫stat_data.x stat_data: y", True),  # a boundary stands between a letter that is not ASCII and a root
        ("stat_data.猫 stat_data", True),
        ("stat_data.é stat_data", False),
    ],
)
def test_signals_of_the_state(text, expected):
    assert is_likely_mvu(text) is expected


def test_a_tag_counts_before_the_text():
    text = "<status_current_variable>x</status_current_variable>"

    assert find_ignore_reason("[initvar]", "", text) == "mvu_tagged"
    assert find_ignore_reason("", "a [MVU_plot]", "") == "mvu_tagged"
    assert find_ignore_reason("a", "b", text) == "mvu_content"
    assert find_ignore_reason("a", "b", "c") is None
