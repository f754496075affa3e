"""CBS."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from lorewright.templates import cbs
from lorewright.templates.cbs.registry import MACROS as CBS_MACROS
from lorewright.templates.clock import Clock
from lorewright.templates.rendered import Rendered
from tests.properties.parsers.parser import HOSTILE, Parser, half, nearly_one

CBS_PIECES = (
    "{{ }} { } {# #} :: : § \n {{/}} {{/if}} {{:else}} {{#if {{#if_pure {{#when:: {{#when {{#each {{#pure}} {{#escape}} "
    "{{#code}} {{#puredisplay}} {{#func call:: {{? ( ) + - * / ^ % < > & | ! = $a @g slot:: arg:: not and is > keep "
    'legacy var toggle 1 0 -1 2.5 1e21 0x10 NaN true null undefined ["a","b"] [1,[2]] {"a":1} [ ] as x f a b g v $& $` '
    "<user> <char> {{user}} {{getvar::v}} {{setvar::a::1}} {{settempvar::x::1}} {{return::x}} 😀 \ud83d é \\n , d 2d6"
).split(" ")
arguments = st.lists(st.sampled_from([*CBS_PIECES, "", "a=1", "[3]", "5", "4", "YYYY-MM", "unique"]), max_size=4)
calls = st.builds(
    lambda name, given: "{{" + "::".join([name, *given]) + "}}", st.sampled_from(sorted(CBS_MACROS)), arguments
)
cbs_texts = st.lists(st.one_of(st.sampled_from(CBS_PIECES), calls, st.just(" ")), max_size=25).map("".join)
cbs_values = st.one_of(cbs_texts, st.integers(), st.none(), st.booleans(), st.lists(st.integers(), max_size=3))
cbs_contexts = st.builds(
    cbs.CbsContext,
    user=st.just("Mara"),
    persona=cbs_texts,
    character=st.one_of(
        st.none(),
        st.builds(
            cbs.Character,
            name=st.just("Iris"),
            id=st.sampled_from([None, "c"]),
            is_group=st.booleans(),
            description=cbs_texts,
            personality=cbs_texts,
            first_message=cbs_texts,
            default_variables=st.sampled_from(["", "b=2\nv=x", "a=b=c"]),
        ),
    ),
    chat=st.builds(
        cbs.Chat,
        id=st.sampled_from([None, "d"]),
        greeting=st.integers(-1, 1),
        messages=st.lists(
            st.fixed_dictionaries(
                {
                    "role": st.sampled_from(["user", "char"]),
                    "data": cbs_texts,
                    "time": st.sampled_from([None, 0, 5, 10**12, "x", 1.5]),
                }
            ),
            max_size=3,
        ).map(tuple),
    ),
    program=st.builds(cbs.Program, model=st.just("m"), main_prompt=cbs_texts),
    modules=st.just((cbs.Module(),)),
    variables=st.fixed_dictionaries({"a": cbs_values, "v": cbs_values}),
    global_variables=st.fixed_dictionaries({"g": cbs_values, "toggle_a": cbs_values}),
    clock=st.builds(Clock, st.integers(-(10**13), 10**13), st.just(60)),
    random=st.just(half),
    call=st.builds(
        cbs.Call,
        message=st.integers(-1, 3),
        writes=st.booleans(),
        removes=st.booleans(),
        counts=st.booleans(),
        displays=st.booleans(),
        calls=st.integers(0, 21),
    ),
    switches=st.builds(cbs.Switches, **{name: st.booleans() for name in cbs.Switches.__dataclass_fields__}),
)
CBS_HOSTILE = cbs.CbsContext(
    user="Mara",
    character=cbs.Character(name="Iris"),
    chat=cbs.Chat(messages=({"role": "user", "data": HOSTILE}, {"role": "char", "data": HOSTILE})),
    variables={"a": f'["{HOSTILE}"]', "v": HOSTILE},
    global_variables={"g": HOSTILE},
    call=cbs.Call(writes=True),
)


def cbs_render(text: str, context: cbs.CbsContext, most: int) -> Rendered:
    limits = cbs.Limits(output_chars=most, work_chars=200_000, items=50, dice=50)
    return cbs.render(text, replace(context, limits=limits))


def cbs_only(whole: cbs.CbsContext, reads: frozenset[str]) -> cbs.CbsContext:
    def named(scope: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value if f"{scope}:{name}" in reads else "changed" for name, value in values.items()}

    kept = replace(
        whole,
        variables=named("local", whole.variables),
        global_variables=named("global", whole.global_variables),
        clock=whole.clock if "clock" in reads else Clock(1),
        random=whole.random if "random" in reads else nearly_one,
        user=whole.user if "name:user" in reads else "changed",
        persona=whole.persona if "persona" in reads else "changed",
        modules=whole.modules if reads & {"modules", "lore"} else (),
    )
    if not any(name.startswith("setting:") for name in reads):
        kept = replace(kept, program=cbs.Program(model="changed", default_variables=whole.program.default_variables))
    if not reads & {"chat", "chat:greeting"}:
        kept = replace(kept, chat=cbs.Chat(id="changed"))
    if whole.character is not None:
        changes: dict[str, Any] = {
            field: "changed" for field in ("description", "personality", "scenario") if f"card:{field}" not in reads
        }
        if "chat:greeting" not in reads:
            changes["first_message"] = "changed"
        if "name:char" not in reads:
            changes["name"] = "changed"
        kept = replace(kept, character=replace(whole.character, **changes))
    return kept


def cbs_elsewhere(whole: cbs.CbsContext) -> cbs.CbsContext:
    return replace(
        whole,
        chat=cbs.Chat(id=whole.chat.id),
        program=cbs.Program(),
        modules=(),
        variables={},
        global_variables={},
        clock=Clock(1),
        random=nearly_one,
    )


CBS = Parser(cbs_texts, cbs_contexts, CBS_HOSTILE, cbs.is_template, cbs_render, cbs_only, cbs_elsewhere)
