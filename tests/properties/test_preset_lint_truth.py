"""What a check says of a preset is what laying it out does: where prompts stand, and whose text differs."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from lorewright import NATIVE, DictMemory, Message, Turn, load_lore, make_tools, weave
from lorewright.core.counter import EstimateCounter
from lorewright.core.layout import NATIVE_LAYOUT, Scene, lay_out
from lorewright.core.layout.plan import Plan
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
TOOLS = make_tools()
NO_LORE = load_lore([], TOOLS, NATIVE)
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


def go_on(preset, turns=5):
    """What `weave` makes of the preset in `native`, turn by turn: another hour, one message more."""
    memory, plan = DictMemory(), Plan(preset=preset, scene=replace(SCENE, chat=()))
    said: list[Message] = []
    for turn in range(turns):
        said += [Message("Aria", f"Reply {turn}.", "assistant")] if said else []
        said.append(Message("Max", f"Turn {turn}."))
        asked = Turn(messages=tuple(said), user="Max", clock_ms=turn * 3_700_000, plan=plan)
        woven = weave(asked, NO_LORE, memory, TOOLS)
        memory.put(woven.nodes)
        yield woven


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


@given(presets)
def test_a_front_stands_where_frozen_placement_has_it(preset):
    """Before the chat is what the check calls front, and nothing else of the preset; it is never renewed if it is kept."""
    preset = replace(preset, limits=Limits(5000, 0))
    blocks = check(preset).blocks
    front = {block.id for block in blocks if block.where == "front" and block.kind == "prompt" and not block.triggers}
    kept = {block.id for block in blocks if block.where == "front" and block.cost == "kept"}
    for woven in go_on(preset):
        begin, _ = woven.laid.borders
        before = [block for message in woven.laid.messages[:begin] for block in message.blocks]
        assert {source.id for block in before for source in block.sources if source.kind == "prompt"} <= front
        assert renewed(woven.laid) & kept == set()


def renewed(laid):
    """The prompts that are said again behind the chat, since they are other texts now."""
    blocks = [block for message in laid.messages for block in message.blocks if block.why.code == "renewed"]
    return {source.id for block in blocks for source in block.sources if source.kind == "prompt"}


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


@given(macro_presets)
def test_what_is_kept_is_never_renewed(preset):
    blocks = {block.id: block for block in check(preset).blocks if block.where == "front" and block.kind == "prompt"}
    for woven in go_on(preset):
        for name in renewed(woven.laid):
            assert blocks[name].cost != "kept", name
