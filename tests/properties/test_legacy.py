"""What must hold for every text in the old macro engine."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.templates.context import ChatMessage, Clock, Settings
from lorewright.templates.legacy import Defects, is_template, passes, render
from lorewright.templates.sillytavern import Limits
from tests.properties.test_macros import context, with_only

WHOLE = [one.name.replace("NAME", "n").replace("TEXT", "ab").replace("ITEMS", "a::b") for one in passes(context())]
PIECES = [
    *("{{", "}}", "{", "}", "::", ":", "n", "a", " ", "\n", "\r\n", "\0", "0", "1", '"', "//", "x,y", "\\,", "é", "😀"),
    *(
        "{{setvar::",
        "{{getvar::",
        "{{random::",
        "{{pick:",
        "{{reverse:",
        "{{// ",
        '{{banned "',
        "{{roll:",
        "{{timeDiff::",
    ),
    *("<USER>", "<group>", "{{time_UTC+2}}", "{{trim}}", "{{outlet::a}}", "\ud83d"),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(WHOLE)), max_size=40).map("".join)


@given(texts, st.booleans())
def test_every_text_has_an_answer_of_bounded_length(text, scanned):
    limits = Limits(output=500, repeat=100, dice=10)

    rendered = render(text, context(), limits, Defects(values_are_scanned=scanned))

    assert len(rendered.text) <= max(limits.output, len(text))


@given(st.text())
def test_a_text_without_macros_is_itself(text):
    if not is_template(text):
        assert render(text, context()).text == text


@given(texts)
@example('{{banned "WORD"}}')
def test_what_was_read_is_enough_to_render_the_text_again(text):
    rendered = render(text, context())

    again = render(text, with_only(rendered.reads, context()))

    assert again.text == rendered.text
    assert again.volatile == rendered.volatile


@given(texts)
@example("{{mesExamplesRaw}}")
def test_a_constant_text_does_not_depend_on_state(text):
    rendered = render(text, context())

    if not rendered.volatile:
        other = replace(
            context(),
            chat=(),
            local_variables={},
            global_variables={},
            outlets={},
            clock=Clock(0, 60),
            random=lambda: 0.99,
            settings=Settings(collapse_newlines=True),  # as constant as the book
        )
        assert render(text, other).text == rendered.text


@given(texts, texts)
def test_no_macro_in_a_chat_message_or_a_variable_ever_runs(text, hostile):
    """A context whose chat holds macros renders as one whose chat holds other words of the same length and lines."""
    inert = "".join("x" if letter not in "\n\r" else letter for letter in hostile)

    def rendered(said):
        chat = (ChatMessage("Mina", said, is_user=True),)
        return render(text, replace(context(), chat=chat, local_variables={"n": said}))

    found, expected = rendered(hostile), rendered(inert)
    assert (found.kinds, found.reads, found.writes) == (expected.kinds, expected.reads, expected.writes)
