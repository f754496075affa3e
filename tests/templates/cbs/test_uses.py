"""Which macros of CBS a text has, and what they read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.cbs import CbsContext, render
from lorewright.templates.cbs.uses import macro_uses


def shown(text):
    return [f"{use.fault and '!'}{use.source}: {' '.join(sorted(use.reads))}" for use in macro_uses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No macro.", []),
        ("It is {{time}}, {{time}}.", ["{{time}}: clock"]),
        # in a prompt nothing is written, so this is text
        ("{{setvar::x::1}}{{getvar::x}}", ["{{setvar::x::1}}: ", "{{getvar::x}}: local:x"]),
        # blocks are no macros; what is in them is looked at in any case
        ("{{#if 0}}{{random::a::b}}{{/if}}", ["{{random::a::b}}: random"]),
        ("{{nobody}}", ["!{{nobody}}: "]),
        # what reads more than the macros in it
        ("{{getvar::{{getvar::x}}}}", ["{{getvar::x}}: local:x", "{{getvar::{{getvar::x}}}}: local:null"]),
    ],
)
def test_uses(text, expected):
    assert shown(text) == expected


def test_a_very_long_text_is_not_tried_out():
    assert [use.fault for use in macro_uses("{{time}}" * 30_000)] == ["untried"]


@given(
    st.lists(
        st.sampled_from(("{{time}}", "{{getvar::a}}", "{{#when::1}}", "{{/when}}", "{{", "}}", "a", "{{:else}}")),
        max_size=8,
    )
)
def test_what_a_text_reads_is_among_its_uses(pieces):
    text = "".join(pieces)

    assert render(text, CbsContext()).reads <= {name for use in macro_uses(text) for name in use.reads}
