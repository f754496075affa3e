"""The texts of rules."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from lorewright.templates import rules
from lorewright.templates.clock import Clock
from lorewright.templates.rules.macros import RUNTIME, VARIABLES
from tests.properties.parsers.parser import HOSTILE, Parser, half, nearly_one, texts

RULES_CONTEXT = rules.RuleContext(
    variables={"a": "{{n}}", "a.b": 5, "心情": "good"},
    local_variables={"n": 1, "a": "x", "b": "{{getvar::c}}", "c": "{{getvar::b}}"},
    global_variables={"n": "7"},
    built_ins={"WORKSPACE": "/ws"},
    last_user_message="{{setvar::a::1}}",
    last_char_message="hi",
    session="s",
    clock=Clock(1_714_566_896_789),
    random=half,
)
RULES_PIECES = [
    *("{{", "}}", "{", "}", "::", ":", " ", "//", "a", "n", "心情", "1", "2d6", "60", "\n", "é", "😀", "\ud83d", "a.b"),
    *("{{a}}", "{{getvar::a}}", "{{getvar::b}}", "{{setvar::a::", "{{setvar::n::{{a}}}}", "{{incvar::n}}"),
    *("{{WORKSPACE}}", "__proto__", *RUNTIME, *VARIABLES, *(f"{{{{{name}}}}}" for name in (*RUNTIME, *VARIABLES))),
]


def rules_only(whole: rules.RuleContext, reads: frozenset[str]) -> rules.RuleContext:
    def named(scope: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if f"{scope}:{name}" in reads}

    return replace(
        whole,
        variables=named("variable", whole.variables),
        local_variables=named("local", whole.local_variables),
        global_variables=named("global", whole.global_variables),
        built_ins=named("built_in", whole.built_ins),
        last_user_message=whole.last_user_message if "chat" in reads else "",
        last_char_message=whole.last_char_message if "chat" in reads else "",
        session=whole.session if "session" in reads else "",
        user=whole.user if "user" in reads else "",
        clock=whole.clock if "clock" in reads else Clock(),
        random=whole.random if "random" in reads else nearly_one,
    )


RULES = Parser(
    texts(RULES_PIECES),
    st.builds(partial(replace, RULES_CONTEXT), sillytavern=st.booleans(), unknown=st.sampled_from(["keep", "strip"])),
    replace(
        RULES_CONTEXT,
        variables=dict.fromkeys(RULES_CONTEXT.variables, HOSTILE),
        local_variables=dict.fromkeys(RULES_CONTEXT.local_variables, HOSTILE),
        global_variables={"n": HOSTILE},
        last_user_message=HOSTILE,
        last_char_message=HOSTILE,
        sillytavern=True,
    ),
    rules.is_template,
    lambda text, context, most: rules.render(text, context, rules.Limits(text=most, work=8 * most, dice=10)),
    rules_only,
    lambda whole: replace(
        whole,
        variables=dict.fromkeys(("a", "n", "time"), "other"),
        local_variables={},
        global_variables={},
        last_user_message="other",
        last_char_message="other",
        clock=Clock(),
        random=nearly_one,
    ),
)
