"""Presets that nobody here wrote: each is read, linted and laid out against a chat, and nothing of it is lost.

`python -m tests.real_presets` prints the table.
"""

from collections import Counter

import pytest

from lorewright.core.layout.layout import LaidOut
from lorewright.formats.things.layout_preset import CHAT_PRESETS
from lorewright.testing.prefix import assert_prefix_kept
from tests.real_presets import NOT_LAID_OUT, SAID, play_all


@pytest.fixture(scope="module")
def played(shared):
    return list(play_all(shared))


def test_every_file_is_read_and_laid_out_or_says_why_not(played, subtests):
    assert Counter(one.laid is not None for one in played) == {True: 26, False: 8}
    for one in played:
        with subtests.test(file=one.file):
            assert one.read.found == one.read.kept + one.read.refused
            assert one.read.refused == 0
            assert (one.laid is None) == (one.read.value.kind in NOT_LAID_OUT) == bool(one.refusal)


def test_what_was_said_is_in_every_prompt(played, subtests):
    for one in (one for one in played if one.laid is not None):
        with subtests.test(file=one.file):
            whole = [b.text for blocks in one.parts().values() for b in blocks]
            assert all(any(text in block for block in whole) for _, _, text in SAID)
            assert all(b.sources and b.why.sentence for blocks in one.parts().values() for b in blocks)


def test_every_prompt_is_in_it_or_left_out_with_a_reason(played, subtests):
    for one in (one for one in played if isinstance(one.laid, LaidOut)):
        with subtests.test(file=one.file):
            for laid in (one.laid, one.classic):
                sent = {source.id for m in laid.messages for b in m.blocks for source in b.sources}
                left = {left.source.id for left in laid.left_out}
                preset = CHAT_PRESETS[one.read.value.kind](one.read.value.value)
                written = {prompt.id for prompt in preset.prompts if prompt.content}

                assert written - sent - left == set()
                assert all(message.content == "".join(b.text for b in message.blocks) for message in laid.messages)
                tokens = sum(block.tokens for message in laid.messages for block in message.blocks)
                assert tokens <= preset.limits.context_tokens - preset.limits.response_tokens


def test_in_native_each_request_begins_with_the_one_before(played, subtests):
    for one in (one for one in played if one.turns):
        with subtests.test(file=one.file):
            assert [woven.moves for woven in one.turns] == [(), (), ()]
            assert_prefix_kept(one.turns)
