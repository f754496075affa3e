"""For any preset: it is checked without an error, its tokens add up, and every text has one place."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.cli.preset_linting import lint_thing, linted_object
from lorewright.core.layout.stock import MARKERS
from lorewright.formats.things.reader import read_thing_value
from lorewright.lint.preset import PresetSubject, check_preset
from lorewright.templates.sillytavern.uses import macro_uses
from tests.lint.presets import Words
from tests.properties.layouts import presets

KINDS = (
    "st_preset_chat",
    "st_prompt_export",
    "st_context",
    "st_instruct",
    "st_sysprompt",
    "st_master_export",
    "risu_preset",
)
FIELDS = (
    *(
        "prompts",
        "prompt_order",
        "identifier",
        "content",
        "role",
        "system_prompt",
        "injection_position",
        "order",
        "name",
    ),
    *("injection_depth", "injection_order", "injection_trigger", "enabled", "character_id", "openai_max_context"),
    *("openai_max_tokens", "wi_format", "scenario_format", "new_chat_prompt", "story_string", "story_string_depth"),
    *("story_string_position", "input_sequence", "last_output_sequence", "context", "instruct", "sysprompt", "data"),
    *("promptTemplate", "type", "text", "innerFormat"),
)
TEXTS = (
    *(
        "",
        "main",
        "chatHistory",
        "scenario",
        "a",
        "b",
        "100001",
        "system",
        "{{time}}",
        "{{getvar::x}}",
        "<% 1 %>",
        "{0}",
    ),
    *("{{setvar::x::1}}", "{{#if system}}{{system}}{{/if}}", "{{", "\ud800", "x" * 300, "{{if .x}}{{date}}{{/if}}"),
)
leaves = st.none() | st.booleans() | st.sampled_from((0, 1, -1, 1.5, 4, 100, 100001, 2**70, float("nan"), float("inf")))
leaves |= st.sampled_from(TEXTS)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=25,
)
contexts = st.fixed_dictionaries(
    {"story_string": st.sampled_from(TEXTS), "story_string_position": st.just(1), "story_string_depth": leaves}
)
objects = st.dictionaries(st.sampled_from(FIELDS), values, max_size=8)


@given(st.sampled_from(KINDS), objects | st.builds(lambda context: {"context": context, **context}, contexts))
def test_any_object_is_checked(kind, value):
    """Of every kind of file that may come here; the answer can be written as JSON."""
    if kind == "st_prompt_export":
        value = {**value, "data": value.get("data") if isinstance(value.get("data"), dict) else {}}
    read = read_thing_value(kind, value, stem="it")
    answer = linted_object(lint_thing("it.json", read, "estimate"))

    assert json.dumps(answer)
    for name, place in (("front", "front"), ("tail", "tail"), ("off", "off")):
        listed = [block["tokens"] or 0 for block in answer["blocks"] if block["stands"] == place]
        assert answer["tokens"][name] == sum(listed)
    assert 0 <= answer["tokens"]["kept"] <= answer["tokens"]["front"]


@given(presets)
def test_every_text_has_one_place(preset):
    checked = check_preset(PresetSubject(preset=preset, uses=macro_uses, counter=Words()))
    names = [(block.kind, block.id) for block in checked.blocks]
    sent = [block for block in checked.blocks if block.where != "off"]

    assert len(names) == len(set(names))
    assert {prompt.id for prompt in preset.prompts} | set(MARKERS) <= {name for _, name in names}
    assert [block.where == "off" for block in checked.blocks] == [False] * len(sent) + [True] * (len(names) - len(sent))
    for block in checked.blocks:
        assert 0 <= block.native_tokens <= block.tokens
        assert block.native_tokens <= block.sillytavern_tokens or block.where == "front"
        assert (block.cost == "none") == (block.where == "off")
        assert not block.sillytavern_messages or block.sillytavern_messages == block.depth
