"""What must hold for every text completion."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.counter import EstimateCounter
from lorewright.core.layout import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT, Preset, Source
from lorewright.core.layout.preset import Limits
from lorewright.core.layout.text_layout import lay_out_text
from lorewright.core.layout.text_preset import ContextTemplate, Instruct, SystemPrompt, TextPreset
from lorewright.templates.handlebars import Handlebars
from lorewright.templates.prompt_macros import PromptMacros
from tests.properties.layouts import MARK, Given, flags, lore, marked, numbers, scenes

COUNTER = EstimateCounter()
WHOLE = (
    "{{#if anchorBefore}}{{anchorBefore}}\n{{/if}}{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}"
    "{{#if description}}{{description}}\n{{/if}}{{#if personality}}{{personality}}\n{{/if}}{{#if scenario}}{{scenario}}\n"
    "{{/if}}{{#if wiAfter}}{{wiAfter}}\n{{/if}}{{#if persona}}{{persona}}\n{{/if}}{{anchorAfter}}{{trim}}"
)
SEQUENCES = {
    "input_sequence": "[{{name}}]",
    "output_sequence": "[out]",
    "input_suffix": "[/]\n",
    "output_suffix": "[/]",
}

contexts = st.builds(
    ContextTemplate,
    story=st.sampled_from((WHOLE, WHOLE, "{{description}}", "{{#if x}}", "")),
    in_chat=flags,
    depth=numbers,
    role=st.sampled_from(("system", "user", "assistant")),
    separator=st.sampled_from(("", "***")),
    chat_start=marked("setting", "chat_start"),
    separators_stop=flags,
    names_stop=flags,
    forces_name=flags,
    single_line=flags,
)
instructs = st.builds(
    Instruct,
    sequences=st.sampled_from(({}, SEQUENCES)),
    wraps=flags,
    has_macros=flags,
    names=st.sampled_from(("none", "force", "always")),
    filler=marked("setting", "user_alignment_message"),
    skips_examples=flags,
    system_as_user=flags,
    sequences_stop=flags,
)
presets = st.builds(
    TextPreset,
    context=contexts,
    instruct=st.one_of(st.none(), instructs),
    system_prompt=st.one_of(
        st.none(),
        st.builds(SystemPrompt, marked("setting", "system_prompt"), marked("setting", "post_history")),
    ),
    limits=st.builds(Limits, st.sampled_from((2000, 2000, 300, 60, 10)), st.sampled_from((0, 10))),
)
requests = st.builds(Given, scenes, st.just(Preset()), lore)
modes = st.sampled_from((SILLYTAVERN_LAYOUT, NATIVE_LAYOUT))


def lay(request, preset, defects):
    return lay_out_text(
        request.scene,
        preset,
        request.lore,
        story=Handlebars(),
        macros=PromptMacros(request.scene),
        counter=COUNTER,
        defects=defects,
    )


def marks_in(text):
    return [Source(*found) for found in MARK.findall(text)]


@given(requests, presets, modes)
def test_every_character_belongs_to_the_block_of_its_source(request, preset, defects):
    laid = lay(request, preset, defects)

    for block in laid.blocks:
        assert block.text
        assert set(marks_in(block.text)) <= set(block.sources)
        assert block.why.activates
    assert Counter(mark for block in laid.blocks for mark in marks_in(block.text)) == Counter(marks_in(laid.text))


@given(requests, presets, modes)
def test_every_text_is_sent_or_left_out_with_a_reason(request, preset, defects):
    laid = lay(request, preset, defects)
    sent = {source for block in laid.blocks for source in block.sources}
    left = [one.source for one in laid.left_out]

    assert len(left) == len(set(left))
    assert sent & set(left) == set()
    assert [source for source in request.candidates() if source not in sent and source not in left] == []


@given(requests, presets, modes)
def test_only_what_must_stand_exceeds_the_budget(request, preset, defects):
    laid = lay(request, preset, defects)
    room = preset.limits.context_tokens - preset.limits.response_tokens

    if laid.overrun is None:
        assert COUNTER.count(laid.text) <= room
    else:
        assert laid.overrun.needed_tokens > laid.overrun.left_tokens == room
        assert {"in_history", "in_examples"}.isdisjoint(block.why.code for block in laid.blocks)


@given(requests, presets, modes)
def test_the_same_request_gives_the_same_text(request, preset, defects):
    assert lay(request, preset, defects) == lay(request, preset, defects)
