"""Large and odd presets, chats and cards: an answer, in time."""

import pytest

from lorewright.core.layout import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT
from lorewright.core.layout.preset import Limits
from lorewright.core.layout.scene import Card, Group, Injection, Line
from lorewright.core.model import Odd
from lorewright.core.place import Placed
from lorewright.formats.things.layout_preset import read_layout_preset
from tests.core.layout.stage import lay, order, preset, prompt, scene, texts
from tests.effort import cpu_below

MANY = 20_000
ROOMY = Limits(10**9, 0)
each_mode = pytest.mark.parametrize("defects", [SILLYTAVERN_LAYOUT, NATIVE_LAYOUT])


@each_mode
def test_many_prompts(defects):
    prompts = [prompt(f"p{at}", in_chat=at % 2 == 0, depth=at) for at in range(MANY)]
    names = [one.id for one in prompts]
    with cpu_below(10):
        laid = lay(preset(*prompts, orders=(order("main", *names, "chatHistory"),), limits=ROOMY), defects=defects)

    assert len(laid.messages) > MANY / 2


@each_mode
def test_many_messages(defects):
    said = tuple(Line(name="Max", text=f"{{{{user}}}} {at}", is_user=True) for at in range(MANY))
    with cpu_below(20):
        laid = lay(preset(limits=ROOMY), scene(chat=said), defects=defects)

    assert len(laid.messages) == MANY + 1


@each_mode
def test_many_texts_of_lore_and_many_injected(defects):
    found = texts([f"entry {at}" for at in range(MANY)])
    injected = tuple(Injection(key=f"k{at}", text=" ", position="in_chat", depth=1) for at in range(MANY))
    with cpu_below(10):
        laid = lay(
            preset(listed=("worldInfoBefore", "chatHistory"), limits=ROOMY),
            scene(injections=injected),
            Placed(before=found),
            defects=defects,
        )

    assert len(laid.messages[0].blocks) == MANY


@each_mode
def test_many_blocks_of_examples_and_many_members(defects):
    card = Card(name="Aria", examples="<START>\nAria: x\n" * MANY)
    members = tuple(Card(name=f"m{at}", description="d") for at in range(1_000))
    group = Group(members=(card, *members), cards="join", prefix="<FIELDNAME>: ")
    with cpu_below(20):
        laid = lay(preset(listed=("dialogueExamples",), limits=ROOMY), scene(card=card, group=group), defects=defects)

    assert len(laid.messages) >= MANY


ODD_FILES = [
    {},
    {"prompts": None, "prompt_order": None},
    {"prompts": [None, 1, [], {}], "prompt_order": [None, {}, {"character_id": 100001}]},
    {"prompts": [{"identifier": 1, "content": 2, "role": [], "injection_depth": {}, "injection_trigger": [1, None]}]},
    {"prompts": {}, "prompt_order": {}, "openai_max_context": "x", "openai_max_tokens": float("nan")},
    {"openai_max_context": 10**400, "openai_max_tokens": -1, "names_behavior": True, "wi_format": 3},
    {
        "prompt_order": [
            {"character_id": 100001, "order": [None, {"enabled": 1}, {"identifier": "main", "enabled": "x"}]}
        ]
    },
]


@each_mode
@pytest.mark.parametrize("value", ODD_FILES)
def test_an_odd_file_is_a_preset(value, defects):
    laid = lay(read_layout_preset(value), defects=defects)

    assert laid.messages or value.get("prompt_order")


@each_mode
@pytest.mark.parametrize(
    "depth", [float("inf"), float("-inf"), float("nan"), 10**30, Odd("1e999"), Odd([]), Odd({}), True]
)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), Odd("x"), Odd(None), -0.0, 10**30])
def test_an_odd_depth_or_order_is_no_error(depth, number, defects):
    laid = lay(
        preset(prompt("a", in_chat=True, depth=depth, order=number), listed=("a", "chatHistory")), defects=defects
    )

    assert [message.content for message in laid.messages if message.content != "A"] == ["Hello.", "Hi."]
