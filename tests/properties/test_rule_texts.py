"""What must hold for every text in the dialects `rules`, `bme` and `host-strict`."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates import bme, host_strict
from lorewright.templates.clock import Clock
from lorewright.templates.rules import Limits, RuleContext, is_template, prepare_text, render
from lorewright.templates.rules.macros import RUNTIME, VARIABLES

PIECES = [
    *("{{", "}}", "{", "}", "::", ":", " ", "//", "a", "n", "心情", "1", "2d6", "60", "\n", "é", "😀", "\ud83d", "a.b"),
    *("{{a}}", "{{getvar::a}}", "{{setvar::a::", "{{setvar::n::{{a}}}}", "{{incvar::n}}", "{{WORKSPACE}}", "__proto__"),
]
NAMES = [*RUNTIME, *VARIABLES]
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(NAMES), st.sampled_from([f"{{{{{name}}}}}" for name in NAMES])),
    max_size=40,
).map("".join)
CONTEXT = RuleContext(
    variables={"a": "{{n}}", "a.b": 5, "心情": "good"},
    local_variables={"n": 1, "a": "x"},
    global_variables={"n": "7"},
    built_ins={"WORKSPACE": "/ws"},
    last_user_message="{{setvar::evil::1}}",
    last_char_message="hi",
    session="s",
    clock=Clock(1_714_566_896_789),
    random=lambda: 0.25,
    sillytavern=True,
)
LIMITS = Limits(text=600, work=4000, dice=10)


@given(texts, st.booleans(), st.sampled_from(["keep", "strip"]))
def test_every_text_has_an_answer_within_the_limits(text, sillytavern, unknown):
    rendered = render(text, replace(CONTEXT, sillytavern=sillytavern, unknown=unknown), LIMITS)

    assert len(rendered.text.encode("utf-8", "surrogatepass")) <= LIMITS.text
    assert "evil" not in rendered.local_variables
    if rendered.reports:
        assert rendered.text == ""
        assert rendered.local_variables == CONTEXT.local_variables
        assert not rendered.writes


@given(st.text())
def test_a_text_without_braces_is_itself_in_every_dialect(text):
    if not is_template(text):
        assert render(text, CONTEXT).text == text
        assert bme.substitute(text, {"a": 1}).text == text
        assert bme.fill_block(text, {"a": 1}).text == text
        assert host_strict.render(text, {"a": "1"}).text == text


@given(texts)
def test_what_was_read_is_enough_to_evaluate_again(text):
    rendered = render(text, CONTEXT)
    reads = rendered.reads
    again = render(
        text,
        replace(
            CONTEXT,
            variables={name: value for name, value in CONTEXT.variables.items() if f"variable:{name}" in reads},
            local_variables={name: v for name, v in CONTEXT.local_variables.items() if f"local:{name}" in reads},
            global_variables={name: v for name, v in CONTEXT.global_variables.items() if f"global:{name}" in reads},
            built_ins={name: value for name, value in CONTEXT.built_ins.items() if f"built_in:{name}" in reads},
            last_user_message=CONTEXT.last_user_message if "chat" in reads else "",
            last_char_message=CONTEXT.last_char_message if "chat" in reads else "",
            session=CONTEXT.session if "session" in reads else "",
            clock=CONTEXT.clock if "clock" in reads else Clock(),
            random=CONTEXT.random if "random" in reads else lambda: 0.99,
        ),
    )

    assert again.text == rendered.text


@given(texts, st.sampled_from(["kept", "lifted"]))
def test_importing_never_lengthens_a_text(text, assignments):
    prepared, _ = prepare_text(text, "A", {}, assignments=assignments, user="U")

    assert len(prepared) <= len(text)


@given(texts)
def test_small_dialects_have_an_answer_for_every_text(text):
    values = {"a": {"b": [1, 2]}, "n": "{{a}}", "date": None}

    assert len(bme.substitute(text, values, output=50).text) <= len(text) + 50
    assert len(bme.fill_block(text, values, output=50).text) <= len(text) + 50
    assert len(host_strict.render(text, {"a": "{{n}}", "n": None}, output=50).text) <= len(text) + 50
