"""The parsers of all dialects as one kind of thing, so that every property is written once (test_parsers.py)."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lorewright.templates import bme, cbs, host_strict, legacy, rules, sillytavern
from lorewright.templates.cbs.registry import MACROS as CBS_MACROS
from lorewright.templates.clock import Clock
from lorewright.templates.context import Card, ChatMessage, Context, Expressions, Instruct, Notes, Settings
from lorewright.templates.rendered import Rendered
from lorewright.templates.rules.macros import RUNTIME, VARIABLES

HOSTILE = "{{setvar::evil::1}}{{.evil = 1}}{{getvar::evil}}{{evil}}{{/if}}}}"
"""A value that would write or read the variable `evil` if anybody ran it."""


class Parser(NamedTuple):
    """A dialect's parser.

    texts: of pieces that mean something to it. contexts: what it can read; `hostile` is one whose every value is
    HOSTILE. render: a text in a context, with a limit for its length. only: the context without what was not read.
    elsewhere: the same names and card with another chat, other variables, at another time.
    """

    texts: SearchStrategy[str]
    contexts: SearchStrategy[Any]
    hostile: Any
    is_template: Callable[[str], bool]
    render: Callable[[str, Any, int], Rendered]
    only: Callable[[Any, frozenset[str]], Any]
    elsewhere: Callable[[Any], Any]


def texts(pieces, *more: SearchStrategy[str]) -> SearchStrategy[str]:
    return st.lists(st.one_of(st.sampled_from(pieces), *more), max_size=40).map("".join)


def half() -> float:
    return 0.5


def nearly_one() -> float:
    return 0.99


# --- both of SillyTavern's engines

ST_CONTEXT = Context(
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
    chat=(ChatMessage("Mina", "{{user}} says \\{hi\\}\n", is_user=True, sent=1000),),
    chat_id="chat",
    local_variables={"n": 5, "a": "x{{trim}}", "1": [1, 2]},
    global_variables={"n": "7"},
    outlets={"a": "outlet"},
    clock=Clock(1_714_566_896_789, 60),
    random=half,
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
ST_HOSTILE = replace(
    ST_CONTEXT,
    chat=(ChatMessage(HOSTILE, HOSTILE, is_user=True),),
    local_variables={"n": HOSTILE, "a": f'["{HOSTILE}"]'},
    global_variables={"n": HOSTILE},
    outlets={"a": HOSTILE},
    settings=Settings(input=HOSTILE, model=HOSTILE, summary=HOSTILE),
)
ST_NAMES = [name for macro in sillytavern.MACROS for name in (macro.name, *macro.aliases, *macro.hidden)]
ST_PIECES = [
    *("{{", "}}", "{", "}", "::", ":", "|", "!", "#", "/", "//", ".", "$", "=", "++", "--", "||=", "??", "\\{", "\\}"),
    *(" ", "\n", "\t", "\0", "a", "n", "x,y", "1", "-1", "2d6", "<USER>", "{{time_UTC+2}}", "{{trim}}", "{{else}}"),
    *("{{if 1}}", "{{/if}}", "{{ELSE}}", "{{IF 0}}", "{{user}}", "{{.n}}", "{{.n++}}", "{{.a = ", "{{lastMessage}}"),
    *("{{getvar::n}}", "{{setvar::n::", "{{random::a::b}}", "é", "名", "😀", "\ud83d", "\ufdd0"),
    *(f"{{{{{name}}}}}" for name in ST_NAMES),
    *ST_NAMES,
]
LEGACY_PIECES = [
    *("{{", "}}", "{", "}", "::", ":", "n", "a", " ", "\n", "\r\n", "\0", "0", "1", '"', "//", "x,y", "\\,", "é", "😀"),
    *("{{setvar::", "{{getvar::", "{{random::", "{{pick:", "{{reverse:", "{{// ", '{{banned "', "{{roll:"),
    *(
        "{{timeDiff::",
        "<USER>",
        "<group>",
        "{{time_UTC+2}}",
        "{{trim}}",
        "{{outlet::a}}",
        '{{banned "WORD"}}',
        "\ud83d",
    ),
    *(p.name.replace("NAME", "n").replace("TEXT", "ab").replace("ITEMS", "a::b") for p in legacy.passes(ST_CONTEXT)),
]
ST_FIELDS = {
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


def st_only(whole: Context, reads: frozenset[str]) -> Context:
    def named(scope: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if f"{scope}:{name}" in reads}

    card = {read.removeprefix("card:") for read in reads if read.startswith("card:")}
    settings = {read.removeprefix("setting:") for read in reads} & {field.name for field in fields(Settings)}
    kept = Context(
        card=Card(**{name: getattr(whole.card, name) for name in card}) if card else None,
        settings=Settings(**{name: getattr(whole.settings, name) for name in settings}),
        local_variables=named("local", whole.local_variables),
        global_variables=named("global", whole.global_variables),
        outlets=named("outlet", whole.outlets or {}),
    )
    names = {name for read in reads for name in ST_FIELDS.get(read, ())}
    return replace(kept, **{name: getattr(whole, name) for name in names})


def st_elsewhere(whole: Context) -> Context:
    return replace(
        whole,
        chat=(),
        local_variables={},
        global_variables={},
        outlets={},
        clock=Clock(0, 60),
        random=nearly_one,
        settings=Settings(collapse_newlines=True),  # as constant as the book
    )


def st_limits(most: int) -> sillytavern.Limits:
    return sillytavern.Limits(output=most, repeat=100, dice=10)


NEW_ENGINE = Parser(
    texts(ST_PIECES),
    st.just(ST_CONTEXT),
    ST_HOSTILE,
    sillytavern.is_template,
    lambda text, context, most: sillytavern.render(text, context, st_limits(most)),
    st_only,
    st_elsewhere,
)
REPAIRED = sillytavern.Defects(**{field.name: False for field in fields(sillytavern.Defects)})
OLD_ENGINE = NEW_ENGINE._replace(
    texts=texts(LEGACY_PIECES),
    is_template=legacy.is_template,
    render=lambda text, context, most: legacy.render(text, context, st_limits(most)),
)

# --- CBS

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

# --- rules

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

# --- paths and references

VALUES = {
    "a": {"b": [1, {"n": "{{a}}"}], "": "x"},
    "n": "{{a}}",
    "date": None,
    "list": [{"content": "hi", "role": "user"}, {"mes": "yo", "name": "Al"}],
    "long": "x" * 60,
    "user": "Mina",
}
PATHS = [
    *("{{", "}}", "{", "}", " ", ".", "$", "a", "n", "b", "0", "list", "length", "\n", "é", "😀", "\ud83d", "::", "\t"),
    *("{{a}}", "{{a.b}}", "{{a.b.1.n}}", "{{ n }}", "{{date}}", "{{list}}", "{{list.0.content}}", "{{long}}", "{{a.}}"),
    *("{{.a}}", "{{none}}", "{{user}}", "{{user.length}}", "{{$x}}", "{{evil}}", "{{setvar::a::1}}"),
]
REFERENCES = {"a": "{{n}}", "n": None, "user": "Mina", "long": "x" * 60, "empty": ""}
NAMES = [
    *("{{", "}}", "{", "}", " ", "a", "n", "_", "1", "\n", "é", "😀", "\ud83d", "{{a}}", "{{user}}", "{{long}}"),
    *("{{n}}", "{{empty}}", "{{none}}", "{{ a }}", "{{A}}", "{{a_1}}"),
]


def only_named(scope: str) -> Callable[[Mapping[str, Any], frozenset[str]], Mapping[str, Any]]:
    return lambda whole, reads: {name: value for name, value in whole.items() if f"{scope}:{name}" in reads}


BME = Parser(
    texts(PATHS),
    st.just(VALUES),
    {"a": {"b": [HOSTILE]}, "n": HOSTILE, "list": [{"content": HOSTILE}], "user": HOSTILE},
    bme.is_template,
    lambda text, values, most: bme.substitute(text, values, output=most),
    only_named("value"),
    lambda _: {"a": "other", "evil": 1},
)
PARSERS = {
    "sillytavern": NEW_ENGINE,
    "sillytavern, repaired": NEW_ENGINE._replace(
        render=lambda text, context, most: sillytavern.render(text, context, st_limits(most), REPAIRED)
    ),
    "sillytavern-legacy": OLD_ENGINE,
    "cbs": CBS,
    "rules": RULES,
    "bme": BME,
    "bme, in blocks": BME._replace(render=lambda text, values, most: bme.fill_block(text, values, output=most)),
    "host-strict": Parser(
        texts(NAMES),
        st.just(REFERENCES),
        {"a": HOSTILE, "user": HOSTILE, "long": HOSTILE, "empty": HOSTILE},
        host_strict.is_template,
        lambda text, values, most: host_strict.render(text, values, output=most),
        only_named("variable"),
        lambda _: {"a": "other", "evil": "1"},
    ),
}
