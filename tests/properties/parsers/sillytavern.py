"""Both of SillyTavern's engines."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from lorewright.templates import legacy, sillytavern
from lorewright.templates.clock import Clock
from lorewright.templates.context import Card, ChatMessage, Context, Expressions, Instruct, Notes, Settings
from tests.properties.parsers.parser import HOSTILE, Parser, half, nearly_one, texts

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
REPAIRED_ENGINE = NEW_ENGINE._replace(
    render=lambda text, context, most: sillytavern.render(text, context, st_limits(most), REPAIRED)
)
