"""What must hold for every text that CBS renders."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright.templates.cbs import (
    Call,
    CbsContext,
    Character,
    Chat,
    Limits,
    Module,
    Program,
    Switches,
    render,
)
from lorewright.templates.cbs.registry import MACROS
from lorewright.templates.clock import Clock

PIECES = (
    "{{ }} { } {# #} :: : § \n {{/}} {{/if}} {{:else}} {{#if {{#if_pure {{#when:: {{#when {{#each {{#pure}} {{#escape}} "
    "{{#code}} {{#puredisplay}} {{#func call:: {{? ( ) + - * / ^ % < > & | ! = $a @g slot:: arg:: not and is > keep "
    'legacy var toggle 1 0 -1 2.5 1e21 0x10 NaN true null undefined ["a","b"] [1,[2]] {"a":1} [ ] as x f a b g v $& $` '
    "<user> <char> {{user}} {{getvar::v}} {{setvar::a::1}} {{settempvar::x::1}} {{return::x}} 😀 \ud83d é \\n , d 2d6"
).split(" ")
names = st.sampled_from(sorted(MACROS))
arguments = st.lists(st.sampled_from([*PIECES, "", "a=1", "[3]", "5", "4", "YYYY-MM", "unique"]), max_size=4)
macros = st.builds(lambda name, given: "{{" + "::".join([name, *given]) + "}}", names, arguments)
texts = st.lists(st.one_of(st.sampled_from(PIECES), macros, st.just(" ")), max_size=25).map("".join)
values = st.one_of(texts, st.integers(), st.none(), st.booleans(), st.lists(st.integers(), max_size=3))
switches = st.builds(Switches, **{name: st.booleans() for name in Switches.__dataclass_fields__})
calls = st.builds(
    Call,
    message=st.integers(-1, 3),
    writes=st.booleans(),
    removes=st.booleans(),
    counts=st.booleans(),
    displays=st.booleans(),
    calls=st.integers(0, 21),
)
messages = st.lists(
    st.builds(
        lambda role, data, time: {"role": role, "data": data, "time": time},
        st.sampled_from(["user", "char"]),
        texts,
        st.sampled_from([None, 0, 5, 10**12, "x", 1.5]),
    ),
    max_size=3,
)
characters = st.builds(
    Character,
    name=st.just("Iris"),
    id=st.sampled_from([None, "c"]),
    is_group=st.booleans(),
    description=texts,
    personality=texts,
    first_message=texts,
    default_variables=st.sampled_from(["", "b=2\nv=x", "a=b=c"]),
)
SMALL = Limits(output_chars=20_000, work_chars=200_000, items=50, dice=50)


@st.composite
def contexts(draw):
    return CbsContext(
        user="Mara",
        persona=draw(texts),
        character=draw(st.one_of(st.none(), characters, characters)),
        chat=Chat(
            id=draw(st.sampled_from([None, "d"])), greeting=draw(st.integers(-1, 1)), messages=tuple(draw(messages))
        ),
        program=Program(model="m", main_prompt=draw(texts)),
        modules=(Module(),),
        variables={"a": draw(values), "v": draw(values)},
        global_variables={"g": draw(values), "toggle_a": draw(values)},
        clock=Clock(epoch_ms=draw(st.integers(-(10**13), 10**13)), utc_offset_minutes=60),
        random=lambda: 0.5,
        call=draw(calls),
        switches=draw(switches),
        limits=SMALL,
    )


@given(texts, contexts())
def test_rendering_ends_stays_bounded_and_changes_nothing(text, context):
    variables, shared = dict(context.variables), dict(context.global_variables)

    rendered = render(text, context)

    assert len(rendered.text) <= max(len(text), SMALL.output_chars)
    assert (context.variables, context.global_variables) == (variables, shared)
    if not rendered.writes:
        assert rendered.local_variables == variables
    if not context.call.writes or context.call.removes:
        assert "writes" not in rendered.kinds


@given(st.text(), contexts())
def test_a_text_without_braces_and_markers_is_itself(text, context):
    text = text.replace("{", "").replace("<", "")

    rendered = render(text, context)

    assert rendered.text == text
    assert not rendered.kinds | rendered.reads | rendered.writes


@given(texts, contexts())
def test_the_recorded_reads_are_enough(text, context):
    """All that was not read can be something else: the text is the same."""
    rendered = render(text, context)

    assert render(text, without_unread(context, rendered.reads)).text == rendered.text


def without_unread(context, reads):
    """The context with everything changed that was not read."""

    def kept(scope, values):
        return {name: value if f"{scope}:{name}" in reads else "changed" for name, value in values.items()}

    changes = {
        "variables": kept("local", context.variables),
        "global_variables": kept("global", context.global_variables),
    }
    if "clock" not in reads:
        changes["clock"] = Clock(epoch_ms=1)
    if "random" not in reads:
        changes["random"] = lambda: 0.9
    if "name:user" not in reads:
        changes["user"] = "changed"
    if "persona" not in reads:
        changes["persona"] = "changed"
    if not any(name.startswith("setting:") for name in reads):
        changes["program"] = Program(
            model="changed", main_prompt="changed", default_variables=context.program.default_variables
        )
    if "modules" not in reads and "lore" not in reads:
        changes["modules"] = ()
    if "chat" not in reads and "chat:greeting" not in reads:
        changes["chat"] = Chat(id="changed")
    if context.character is not None:
        fields = {
            field: "changed" for field in ("description", "personality", "scenario") if f"card:{field}" not in reads
        }
        if "chat:greeting" not in reads:
            fields["first_message"] = "changed"
        if "name:char" not in reads:
            fields["name"] = "changed"
        changes["character"] = replace(context.character, **fields)
    return replace(context, **changes)
