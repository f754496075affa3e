"""What must hold for every text that holds macros."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.context import (
    Card,
    ChatMessage,
    Clock,
    Context,
    Expressions,
    Instruct,
    Notes,
    Settings,
)
from lorewright.templates.sillytavern import MACROS, Defects, Limits, is_template, render

NAMES = [name for macro in MACROS for name in (macro.name, *macro.aliases, *macro.hidden)]
PIECES = [
    *("{{", "}}", "{", "}", "::", ":", "|", "!", "#", "/", "//", ".", "$", "=", "++", "--", "||=", "??", "\\{", "\\}"),
    *(" ", "\n", "\t", "\0", "a", "n", "x,y", "1", "-1", "2d6", "<USER>", "{{time_UTC+2}}", "{{trim}}", "{{else}}"),
    *("{{if 1}}", "{{/if}}", "{{user}}", "{{.n}}", "{{.n++}}", "{{getvar::n}}", "{{setvar::n::", "{{random::a::b}}"),
    *("é", "名", "😀", "\ud83d"),
]
WHOLE = [f"{{{{{name}}}}}" for name in NAMES]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(NAMES), st.sampled_from(WHOLE)), max_size=40).map(
    "".join
)

NUMBERS = (0.1, 0.9, 0.5, 0.3)


class Numbers:
    """The same random numbers, for ever."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self) -> float:
        self.taken += 1
        return NUMBERS[self.taken % len(NUMBERS)]


def context():
    return Context(
        user="Mina",
        char="Rook",
        card=Card(
            description="{{char}} and {{random::a::b}}",
            first_message="Hi {{user}}",
            alternate_greetings=("one", "two {{.n}}"),
            examples="<START>\nMina: a\nRook: b\n\n<START>\nRook: c",
            system_prompt="Stay as {{char}}.",
            post_history="Short.",
            version="2",
            avatar="rook.png",
        ),
        persona="{{user}} draws maps.",
        chat=(ChatMessage("Mina", "{{user}} says hi", is_user=True, sent=1000),),
        chat_id="chat",
        local_variables={"n": 5, "a": "x", "1": [1, 2]},
        global_variables={"n": "7"},
        outlets={"a": "outlet"},
        clock=Clock(1_714_566_896_789, 60),
        random=Numbers(),
        settings=Settings(
            api="textgenerationwebui",
            model="m",
            max_context=4096,
            max_response=256,
            input="typed {{user}}",
            mobile=True,
            generation_type="swipe",
            first_displayed=3,
            extensions=("a", "n"),
            disabled_extensions=("n",),
            instruct=Instruct(enabled=True, sequences={"input_sequence": "{{user}}>", "stop_sequence": "<stop>"}),
            system_prompt="System.",
            collapse_newlines=True,
            example_separator="***",
            chat_start=">>",
            reasoning=("<", ">", "-"),
            notes=Notes("chat note", "char note", "default note"),
            summary="box",
            expressions=Expressions(("joy",), ("smug",), "calm", {"rook": "joy"}),
            image_prefix=("oil", "blurry"),
        ),
    )


@given(texts)
def test_every_text_has_an_answer_of_bounded_length(text):
    limits = Limits(output=500, repeat=100, dice=10)

    for defects in (Defects(), Defects(scoped_failure_loses_closer=False, skips_stuck_characters=False)):
        rendered = render(text, context(), limits, defects)
        assert len(rendered.text) <= max(limits.output, len(text))


@given(st.text())
def test_a_text_without_macros_is_itself(text):
    if not is_template(text):
        assert render(text, context()).text == text


@given(texts)
def test_the_same_context_gives_the_same_rendering(text):
    assert render(text, context()) == render(text, context())


KEPT = {
    "user": ("user",),
    "char": ("char",),
    "group": ("group",),
    "persona": ("persona",),
    "chat": ("chat",),
    "chat:id": ("chat_id",),
    "clock": ("clock",),
    "zone": ("clock",),
    "random": ("random",),
}


def with_only(reads, whole):
    """A context that has nothing but what was read."""
    kept = Context()
    names = {field for read in reads for field in KEPT.get(read, ())}
    kept = replace(kept, **{name: getattr(whole, name) for name in names})
    card = {read.removeprefix("card:") for read in reads if read.startswith("card:")}
    settings = {read.removeprefix("setting:") for read in reads if read.startswith("setting:")}
    if card:
        kept = replace(kept, card=Card(**{name: getattr(whole.card, name) for name in card}))
    known = {field.name for field in fields(Settings)}
    kept = replace(kept, settings=Settings(**{name: getattr(whole.settings, name) for name in settings & known}))
    local = {name: value for name, value in whole.local_variables.items() if f"local:{name}" in reads}
    shared = {name: value for name, value in whole.global_variables.items() if f"global:{name}" in reads}
    outlets = {name: value for name, value in whole.outlets.items() if f"outlet:{name}" in reads}
    return replace(kept, local_variables=local, global_variables=shared, outlets=outlets)


@given(texts)
def test_what_was_read_is_enough_to_render_the_text_again(text):
    rendered = render(text, context())

    again = render(text, with_only(rendered.reads, context()))

    assert again.text == rendered.text
    if not rendered.volatile:
        assert not again.volatile


@given(texts)
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
