"""What must hold for every text in every dialect (docs/reference/dialects.md, "In all of them")."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.dialects import DIALECTS
from lorewright.templates.rules import prepare_text
from tests.properties.parsers import CBS, PARSERS, RULES

ROOM = 20_000
every_parser = pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
limits = st.sampled_from([40, 500, ROOM])


def test_every_dialect_is_here():
    assert {name.partition(",")[0] for name in PARSERS} == set(DIALECTS)


@every_parser
@given(data=st.data())
def test_every_text_has_an_answer_of_bounded_length(parser, data):
    text, context, most = data.draw(parser.texts), data.draw(parser.contexts), data.draw(limits)
    before = deepcopy(context)

    rendered = parser.render(text, context, most)

    assert len(rendered.text) <= max(most, len(text))
    assert context == before
    assert bool(rendered.writes) <= ("writes" in rendered.kinds)


@every_parser
@given(data=st.data())
def test_a_text_without_macros_is_itself(parser, data):
    text, context = data.draw(st.text()), data.draw(parser.contexts)
    plain = text.translate(dict.fromkeys(map(ord, "{<\\")))

    assert not parser.is_template(plain)
    for one in (plain, text):
        if not parser.is_template(one):
            rendered = parser.render(one, context, ROOM)
            assert rendered.text == one
            assert not rendered.kinds | rendered.writes


@every_parser
@given(data=st.data())
def test_the_same_context_gives_the_same_rendering(parser, data):
    text, context = data.draw(parser.texts), data.draw(parser.contexts)

    assert parser.render(text, context, ROOM) == parser.render(text, context, ROOM)


@every_parser
@given(data=st.data())
def test_what_was_read_is_enough_to_render_the_text_again(parser, data):
    text, context, most = data.draw(parser.texts), data.draw(parser.contexts), data.draw(limits)
    rendered = parser.render(text, context, most)

    again = parser.render(text, parser.only(context, rendered.reads), most)

    assert again.text == rendered.text
    assert again.volatile == rendered.volatile


@every_parser
@given(data=st.data())
def test_a_constant_text_does_not_depend_on_state(parser, data):
    text, context = data.draw(parser.texts), data.draw(parser.contexts)
    rendered = parser.render(text, context, ROOM)

    if not rendered.volatile:
        assert parser.render(text, parser.elsewhere(context), ROOM).text == rendered.text


@every_parser
@given(data=st.data())
def test_no_macro_in_a_value_ever_runs(parser, data):
    """All values would write and read the variable `evil`, which no text names."""
    text = data.draw(parser.texts.filter(lambda text: "evil" not in text))

    rendered = parser.render(text, parser.hostile, ROOM)

    assert "evil" not in rendered.local_variables
    assert "evil" not in rendered.global_variables
    touched = rendered.writes if parser is PARSERS["rules"] else rendered.reads | rendered.writes  # it looks for cycles
    assert not any(name.endswith(":evil") for name in touched)


@given(CBS.texts, CBS.contexts)
def test_cbs_writes_in_a_writing_pass_only(text, context):
    rendered = CBS.render(text, context, ROOM)

    if not context.call.writes or context.call.removes:
        assert not rendered.writes
    if not rendered.writes:
        assert rendered.local_variables == context.variables


@given(RULES.texts, RULES.contexts, limits)
def test_a_rules_text_that_fails_gives_nothing_and_writes_nothing(text, context, most):
    rendered = RULES.render(text, context, most)

    assert len(rendered.text.encode("utf-8", "surrogatepass")) <= most
    if any(report.level == "error" for report in rendered.reports):
        assert rendered.text == ""
        assert rendered.local_variables == context.local_variables
        assert not rendered.writes


@given(RULES.texts, st.sampled_from(["kept", "lifted"]))
def test_importing_a_text_never_lengthens_it(text, assignments):
    prepared, _ = prepare_text(text, "A", {}, assignments=assignments, user="U")

    assert len(prepared) <= len(text)
