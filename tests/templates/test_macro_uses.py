"""Which macros a text has, what they read and write, and whether that reaches the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.context import Context
from lorewright.templates.sillytavern import REPAIRED, render
from lorewright.templates.sillytavern.uses import macro_uses


def shown(text):
    """Each macro as `source: reads > writes`, with a mark: `-` does not reach the text, `?` conditional, `!` stays."""
    found = []
    for use in macro_uses(text):
        marks = ("" if use.shown else "-") + ("?" if use.conditional else "") + ("!" if use.fault else "")
        found.append(f"{marks}{use.source}: {' '.join(sorted(use.reads))} > {' '.join(sorted(use.writes))}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No macro { } here.", []),
        ("It is {{time}}.", ["{{time}}: clock > "]),
        ("{{time_UTC+2}}<user>", ["{{time::UTC+2}}: clock > ", "{{user}}: user > "]),
        (
            "{{getvar::day}}{{.mood}}{{$all}}",
            ["{{getvar::day}}: local:day > ", "{{.mood}}: local:mood > ", "{{$all}}: global:all > "],
        ),
        ("{{setvar::day::1}}", ["-{{setvar::day::1}}:  > local:day"]),
        ("{{.day = 1}}", ["-{{.day = 1}}:  > local:day"]),
        ("{{incvar::day}}", ["{{incvar::day}}: local:day > local:day"]),
        # what is only stored does not reach the text, but the variable depends on it
        ("{{setvar::day::{{time}}}}", ["-{{time}}: clock > ", "-{{setvar::day::{{time}}}}: clock > local:day"]),
        ("{{setvar::day}}{{time}}{{/setvar}}", ["-{{time}}: clock > ", "-{{setvar::day}}: clock > local:day"]),
        ("{{// {{time}} }}", ["-{{time}}: clock > ", "-{{// {{time}} }}: clock > "]),
        # all branches count, and depend on their condition
        (
            "{{if .day}}{{time}}{{else}}{{setvar::night::1}}{{/if}}",
            [
                "{{if .day}}: local:day > ",
                "?{{time}}: clock local:day > ",
                "?{{else}}: local:day > ",
                "-?{{setvar::night::1}}: local:day > local:night",
            ],
        ),
        (
            "{{if::{{getvar::day}}::{{date}}}}",
            [
                "{{getvar::day}}: local:day > ",
                "{{if::{{getvar::day}}::{{date}}}}: local:day > ",
                "?{{date}}: clock local:day > ",
            ],
        ),
        # a formula that is not known yet is drawn all the same
        (
            "{{roll::{{getvar::dice}}}}",
            ["{{getvar::dice}}: local:dice > ", "{{roll::{{getvar::dice}}}}: local:dice random > "],
        ),
        (
            "{{nobody}}{{original}}{{space::x}}",
            ["!{{nobody}}:  > ", "!{{original}}: call:original > ", "!{{space::x}}:  > "],
        ),
        ("{{nobody::{{time}}}}", ["{{time}}: clock > ", "!{{nobody::{{time}}}}:  > "]),
        ("{{if x}}", ["!{{if x}}:  > "]),
        ("{{space::{{getvar::n}}}}", ["{{getvar::n}}: local:n > ", "{{space::{{getvar::n}}}}: local:n > "]),
    ],
)
def test_uses(text, expected):
    assert shown(text) == expected


def test_a_text_of_too_many_macros_says_so():
    """Each macro is nested in 20 others, which are tried out with all that is in them."""
    text = "{{reverse::" * 20 + "".join(f"{{{{getvar::{n}}}}}" for n in range(20_000)) + "}}" * 20

    assert {use.fault for use in macro_uses(text)} == {"", "untried"}


PIECES = (
    "{{time}}",
    "{{getvar::a}}",
    "{{setvar::a::1}}",
    "{{incvar::b}}",
    "{{random::x::y}}",
    "{{if .a}}",
    "{{else}}",
    "{{/if}}",
    "{{setvar::c::",
    "}}",
    "{{// ",
    "{{lastMessage}}",
    " word ",
    "{{outlet::o}}",
    "{{user}}",
    "{{",
    "<char>",
    "{{/setvar}}",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_a_text_touches_is_among_its_uses(text):
    """Whatever branch runs: the uses name at least what one rendering read and wrote."""
    uses = macro_uses(text)
    for value in ("", "1"):
        rendered = render(text, Context(local_variables={"a": value}, outlets={}), defects=REPAIRED)

        assert rendered.reads <= {name for use in uses for name in use.reads}
        assert rendered.writes <= {name for use in uses for name in use.writes}


@given(st.text(alphabet="{}:/.$=|if e\nsetvar!#"))
def test_any_text_can_be_asked(text):
    assert isinstance(macro_uses(text), tuple)
