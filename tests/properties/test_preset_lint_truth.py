"""What a check says of a preset is what laying it out does: where prompts stand, and whose text differs."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from lorewright.core.counter import EstimateCounter
from lorewright.core.layout import NATIVE_LAYOUT, Scene, lay_out
from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Preset, Prompt, Wording
from lorewright.core.layout.scene import Card, Line
from lorewright.core.layout.stock import MARKERS
from lorewright.core.place import Placed
from lorewright.core.variables import Values
from lorewright.lint.preset import PresetSubject, check_preset
from lorewright.templates.clock import Clock
from lorewright.templates.context import Context
from lorewright.templates.prompt_macros import PromptMacros
from lorewright.templates.sillytavern import REPAIRED
from lorewright.templates.sillytavern.uses import macro_uses
from tests.properties.layouts import MARK, presets

COUNTER = EstimateCounter()
CHAT = (Line(name="Aria", text="Hello."), Line(name="Max", text="Hi.", is_user=True))
SCENE = Scene(user="Max", card=Card(name="Aria"), chat=CHAT)


def check(preset):
    return check_preset(PresetSubject(preset=preset, uses=macro_uses, counter=COUNTER))


def lay(preset, turn=0, variables=None):
    """The prompt of a turn: another hour, another draw, one message more than in the turn before."""
    chat = CHAT + tuple(Line(name="Max", text=f"Turn {at}.", is_user=True) for at in range(turn))
    scene = replace(SCENE, chat=chat)
    base = Context(clock=Clock(turn * 3_700_000, 0), random=lambda: (turn * 0.37) % 1)
    macros = PromptMacros(scene, base, REPAIRED)
    return lay_out(scene, preset, Placed(), macros=macros, counter=COUNTER, variables=variables, defects=NATIVE_LAYOUT)


def sent(laid):
    """The sources of all texts in the order in which they are sent."""
    return [source for message in laid.messages for block in message.blocks for source in block.sources]


@given(presets)
def test_prompts_stand_where_the_check_says(preset):
    preset = replace(preset, limits=Limits(5000, 0))
    assume(all("normal" in one.triggers or not one.triggers for one in preset.prompts))
    order = sent(lay(preset))
    prompts = [one.id for one in order if one.kind == "prompt"]
    messages = [at for at, one in enumerate(order) if one.kind == "message"]
    texts = {one.id: one.content for one in reversed(preset.prompts)}
    blocks = [block for block in check(preset).blocks if MARK.search(texts.get(block.id, ""))]
    relative = [block for block in blocks if block.where != "off" and block.depth is None]

    assert {block.id for block in blocks if block.where == "off"} & set(prompts) == set()
    assert {block.id for block in blocks if block.where != "off"} <= set(prompts)
    assert [block.id for block in relative] == [one for one in prompts if one in {block.id for block in relative}]
    for block in relative:
        places = [at for at, one in enumerate(order) if one.kind == "prompt" and one.id == block.id]
        if messages:
            assert max(places) < messages[0] if block.where == "front" else min(places) > messages[-1]


PIECES = (
    "{{time}}",
    "{{random::a::b::c}}",
    "{{lastMessage}}",
    "{{getvar::a}}",
    "{{getvar::b}}",
    "{{setvar::a::1}}",
    "{{user}}",
    "{{setvar::b::{{getvar::a}}}}",
    "{{setvar::a::{{time}}}}",
    "{{incvar::a}}",
    "{{addvar::b::2}}",
    "word",
    "{{model}}",
    "{{if .a}}{{setvar::b::3}}{{/if}}",
    "{{if .b}}yes{{else}}{{getvar::a}}{{/if}}",
    "{{// {{time}} }}",
    "{{.b ??= 4}}",
)
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join)
IDS = ("p0", "p1", "p2", "p3")


def made(contents, order, off):
    names = [*(name for name in MARKERS if name != "chatHistory"), *order]
    return Preset(
        prompts=tuple(
            Prompt(id=name, content=text, role="system", of_user=True) for name, text in zip(IDS, contents, strict=True)
        ),
        orders=(OrderList("100001", tuple(OrderEntry(name, name not in off) for name in names)),),
        wording=Wording(new_chat=""),
    )


macro_presets = st.builds(
    made,
    st.tuples(texts, texts, texts, texts),
    st.permutations((*IDS, "chatHistory")),
    st.sets(st.sampled_from(IDS), max_size=2),
)


@given(macro_presets)
def test_a_front_that_differs_has_a_cause(preset):
    """From the second turn on only what changes by itself differs; from the first to the second also what is written
    later. Whatever has no cause is the same in every turn."""
    front = {block.id: block for block in check(preset).blocks if block.where == "front" and block.kind == "prompt"}
    variables, told = Values(), []
    for turn in range(5):
        laid = lay(preset, turn, variables)
        variables = laid.variables
        blocks = [block for message in laid.messages for block in message.blocks]
        told.append({name: "".join(b.text for b in blocks if any(s.id == name for s in b.sources)) for name in front})

    for name, block in front.items():
        if told[0][name] != told[1][name]:
            assert block.causes, name
        if len({turn[name] for turn in told[1:]}) > 1:
            assert block.cost == "changes", name
