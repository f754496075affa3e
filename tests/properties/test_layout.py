"""What must hold for every preset, card, chat and lore."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.counter import EstimateCounter
from lorewright.core.layout import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT, Source, lay_out
from lorewright.templates.prompt_macros import PromptMacros
from tests.properties.layouts import MARK, requests

COUNTERS = {"code points": CodePointCounter(), "estimate": EstimateCounter()}
REPLY_TOKENS = 3
modes = st.sampled_from((SILLYTAVERN_LAYOUT, NATIVE_LAYOUT))
counters = st.sampled_from(list(COUNTERS.values()))


def lay(request, defects, counter=COUNTERS["estimate"]):
    macros = PromptMacros(request.scene)
    return lay_out(request.scene, request.preset, request.lore, macros=macros, counter=counter, defects=defects)


def sources_of(laid):
    return {source for message in laid.messages for block in message.blocks for source in block.sources}


def marks_in(text):
    return [Source(*found) for found in MARK.findall(text)]


@given(requests, modes)
def test_every_character_belongs_to_the_block_of_its_source(request, defects):
    laid = lay(request, defects)

    for message in laid.messages:
        assert message.content
        assert [block for block in message.blocks if not block.text or not block.sources] == []
        for block in message.blocks:
            assert set(marks_in(block.text)) <= set(block.sources)
            assert block.why.activates
        marks_of_blocks = Counter(mark for block in message.blocks for mark in marks_in(block.text))
        assert marks_of_blocks == Counter(marks_in(message.content)), "a mark is cut by the border of a block"


@given(requests, modes)
def test_every_text_is_sent_or_left_out_with_a_reason(request, defects):
    laid = lay(request, defects)
    sent, left = sources_of(laid), [one.source for one in laid.left_out]

    assert len(left) == len(set(left))
    assert sent & set(left) == set()
    assert [source for source in request.candidates() if source not in sent and source not in left] == []
    assert all(one.reason.sentence and not one.reason.activates for one in laid.left_out)


@given(requests, counters)
def test_native_never_exceeds_the_budget(request, counter):
    laid = lay(request, NATIVE_LAYOUT, counter)

    assert spent(laid, counter) <= room(request)


@given(requests, counters)
def test_sillytavern_never_exceeds_the_budget_but_by_what_it_merges(request, counter):
    laid = lay(request, SILLYTAVERN_LAYOUT, counter)
    merges = sum(len(message.blocks) - 1 for message in laid.messages) if request.preset.squash else 0

    assert spent(laid, counter) <= room(request) + merges


def spent(laid, counter):
    return sum(counter.count(message.content) + counter.count(message.name) for message in laid.messages)


def room(request):
    limits = request.preset.limits
    return max(0, limits.context_tokens - limits.response_tokens - REPLY_TOKENS)


@given(requests)
def test_native_sends_no_text_twice(request):
    laid = lay(request, NATIVE_LAYOUT)
    marks = Counter(mark for message in laid.messages for mark in marks_in(message.content))

    assert {mark: times for mark, times in marks.items() if times > 1} == {}


@given(requests, modes)
def test_the_same_request_gives_the_same_messages(request, defects):
    assert lay(request, defects) == lay(request, defects)


@pytest.mark.parametrize("defects", [SILLYTAVERN_LAYOUT, NATIVE_LAYOUT])
def test_the_strategy_reaches_what_it_is_about(defects):
    """Or the tests above say nothing."""
    reached: set[str] = set()

    @settings(max_examples=150, derandomize=True)
    @given(requests)
    def look(request):
        laid = lay(request, defects)
        reached.update(one.reason.code for one in laid.left_out)
        reached.update(block.why.code for message in laid.messages for block in message.blocks)

    look()

    wanted = {"in_order", "at_depth", "in_history", "in_examples", "beside_main", "opens_part", "reminds", "continued"}
    wanted |= {"switched_off", "not_in_order", "for_other_replies", "replaced_by", "too_long", "note_waits", "hidden"}
    assert wanted - reached == set()
