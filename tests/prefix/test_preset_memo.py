"""What tools keep from turn to turn changes nothing that is sent or remembered."""

from dataclasses import replace

from hypothesis import given

from lorewright import NATIVE, SILLYTAVERN
from lorewright.core.chain import DictMemory
from lorewright.core.memo import ANEW
from lorewright.core.weave import weave
from lorewright.templates.prompts import SillyTavernPrompts
from tests.prefix.test_presets import TOOLS, Talk, plans, steps


def assert_same_anew(talk):
    """Every turn again, with tools that keep nothing."""
    kept, anew = DictMemory(), DictMemory()
    for said in talk.woven:
        ours = weave(said.turn, talk.lore, kept, TOOLS)
        right = weave(said.turn, talk.lore, anew, replace(TOOLS, memo=ANEW, prompts=SillyTavernPrompts()))
        kept.put(ours.nodes)
        anew.put(right.nodes)

        assert ours.messages == right.messages
        assert ours.laid == right.laid
        assert (ours.nodes, ours.moves) == (right.nodes, right.moves)


@given(plans, steps)
def test_where_the_prompt_stands(plan, steps):
    assert_same_anew(Talk(plan, NATIVE).run(steps))


@given(plans, steps)
def test_where_it_is_laid_out_anew(plan, steps):
    assert_same_anew(Talk(plan, SILLYTAVERN).run(steps))
