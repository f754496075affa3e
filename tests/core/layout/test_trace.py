"""Whose a character is, and why a text is not there; expected values by hand."""

from dataclasses import replace

import pytest

from lorewright.core.layout import SILLYTAVERN_LAYOUT, Source
from lorewright.core.layout.reasons import AtDepth, BesideMain, InOrder, OlderThanBudget, TooLong
from lorewright.core.layout.scene import Card, Injection, Line, Note, Preferences
from lorewright.core.place import Example, Placed, Text
from tests.core.layout.stage import CHAT, QUIET, lay, limited, lore, out, preset, prompt, scene, texts


def blocks(laid, number=0):
    """The blocks of a message: its sources as `kind id`, and the text."""
    return [
        (" & ".join(f"{source.kind} {source.id}" for source in block.sources), block.text)
        for block in laid.messages[number].blocks
    ]


def test_a_line_feed_belongs_to_the_text_behind_it():
    laid = lay(preset(listed=("worldInfoBefore",)), the_lore=lore(before=["one", "two"]))

    assert blocks(laid) == [("entry one", "one"), ("entry two", "\ntwo")]
    assert [block.tokens for block in laid.messages[0].blocks] == [1, 1]


def test_a_format_belongs_to_the_settings():
    wording = replace(QUIET, lore_format="<{0}>")
    laid = lay(preset(listed=("worldInfoBefore",), wording=wording), the_lore=lore(before=["one", "two"]))

    assert blocks(laid) == [
        ("setting lore_format", "<"),
        ("entry one", "one"),
        ("entry two", "\ntwo"),
        ("setting lore_format", ">"),
    ]


def test_a_field_in_its_format_keeps_its_characters():
    wording = replace(QUIET, scenario_format="Scene: {{scenario}}.")
    laid = lay(preset(listed=("scenario",), wording=wording), scene(card=Card(name="Aria", scenario="{{char}}'s ship")))

    assert blocks(laid) == [
        ("setting scenario_format", "Scene: "),
        ("card Aria.scenario", "Aria's ship"),
        ("setting scenario_format", "."),
    ]


def test_the_replaced_prompt_keeps_its_characters_in_the_cards():
    card = Card(name="Aria", system_prompt="First: {{original}}")
    laid = lay(preset(listed=("main",)), scene(card=card))

    assert blocks(laid) == [("card Aria.system_prompt", "First: "), ("prompt main", "MAIN")]
    assert laid.overridden == ("main",)


def test_the_text_of_an_outlet_keeps_its_characters():
    laid = lay(
        preset(prompt("a", "[{{outlet::shelf}}]"), listed=("a",)),
        the_lore=Placed(outlets={"shelf": texts(["one", "two"]), "other": texts(["three"])}),
    )

    assert blocks(laid) == [("prompt a", "["), ("entry one", "one"), ("entry two", "\ntwo"), ("prompt a", "]")]
    assert out(laid)["entry three"] == "outlet_unread"


def test_texts_that_macros_make_one_are_a_block_of_both():
    joined = Placed(before=texts(["{{user", "}}"]))
    laid = lay(preset(listed=("worldInfoBefore",)), the_lore=joined, defects=SILLYTAVERN_LAYOUT)

    assert blocks(laid) == [("entry {{user & entry }}", "Max")]


def test_trim_reaches_beyond_its_text():
    joined = Placed(before=texts(["a{{trim}}", "\nb"]))
    laid = lay(preset(listed=("worldInfoBefore",)), the_lore=joined, defects=SILLYTAVERN_LAYOUT)

    assert blocks(laid) == [("entry a{{trim}}", "a"), ("entry \nb", "b")]


def test_texts_with_macros_of_their_own_stay_apart():
    joined = Placed(before=texts(["{{char}}", "{{user}}"]))
    laid = lay(preset(listed=("worldInfoBefore",)), the_lore=joined, defects=SILLYTAVERN_LAYOUT)

    assert blocks(laid) == [("entry {{char}}", "Aria"), ("entry {{user}}", "\nMax")]


def test_macros_that_write_run_once_although_the_bits_are_looked_at_one_by_one():
    joined = Placed(before=texts(["{{incvar::n}}", "{{getvar::n}}"]))
    laid = lay(preset(listed=("worldInfoBefore",)), the_lore=joined, defects=SILLYTAVERN_LAYOUT)

    assert [message.content for message in laid.messages] == ["1\n1"]
    assert laid.variables.local == {"n": 1}


def test_merged_messages_keep_their_places():
    laid = lay(
        preset(prompt("a"), prompt("b", in_chat=True, depth=2), listed=("main", "a", "b", "chatHistory"), squash=True)
    )

    assert [(block.text, block.why) for block in laid.messages[0].blocks] == [
        ("MAIN", InOrder(0)),
        ("\nA", InOrder(1)),
        ("\nB", AtDepth(2, 100)),
    ]


def test_a_name_belongs_to_its_message():
    laid = lay(preset(names="content"), scene(chat=CHAT[:1]))

    assert blocks(laid, 1) == [("message 0", "Aria: Hello.")]


def test_a_text_beside_the_main_prompt_says_so():
    laid = lay(the_scene=scene(injections=(Injection(key="x", text="X", position="start"),)))

    assert laid.messages[0].blocks[0].why == BesideMain("start")
    assert laid.messages[0].blocks[0].why.sentence == "stands at the start of the main prompt"


def test_what_the_budget_leaves_out_says_how_much_it_needs():
    said = tuple(Line(name="Max", text=text, is_user=True) for text in ("old", "x" * 40, "new"))
    laid = lay(preset(limits=limited(8)), scene(chat=said))

    assert dict(laid.left_out) == {
        Source("message", "0"): OlderThanBudget(),
        Source("message", "1"): TooLong(10, 3),
    }


LEFT_OUT = [
    (preset(prompt("a"), listed=("main", "-a")), scene(), lore(), "prompt a", "switched_off"),
    (preset(prompt("a")), scene(), lore(), "prompt a", "not_in_order"),
    (preset(prompt("a", triggers=("quiet",)), listed=("a",)), scene(), lore(), "prompt a", "for_other_replies"),
    (preset(prompt("a", "{{noop}}"), listed=("a",)), scene(), lore(), "prompt a", "nothing_left"),
    (preset(prompt("a"), prompt("a", "B"), listed=("a",)), scene(), lore(), "prompt a#2", "replaced_by"),
    (preset(), scene(card=Card(name="Aria", system_prompt="S")), lore(), "prompt main", "replaced_by"),
    (
        preset(prompt("main", of_user=False, fixed=True)),
        scene(card=Card(name="Aria", system_prompt="S")),
        lore(),
        "card Aria.system_prompt",
        "not_replaceable",
    ),
    (
        preset(),
        scene(card=Card(name="Aria", system_prompt="S"), preferences=Preferences(card_system_prompt=False)),
        lore(),
        "card Aria.system_prompt",
        "not_preferred",
    ),
    (preset(listed=("main",)), scene(), lore(), "message 0", "no_marker"),
    (preset(), scene(card=Card(name="Aria", examples="Max: x")), lore(), "card Aria.examples", "no_marker"),
    (preset(), scene(), lore(before=["B"]), "entry B", "not_in_order"),
    (preset(), scene(chat=(Line(name="A", text="x", hidden=True),)), lore(), "message 0", "hidden"),
    (preset(), scene(trigger="swipe"), lore(), "message 1", "to_be_replaced"),
    (preset(), scene(trigger="regenerate", chat=CHAT[:1]), lore(), "message 0", "to_be_replaced"),
    (preset(), scene(note=Note(text="N", interval=3)), lore(), "note chat", "note_waits"),
    (preset(), scene(note=Note(text="N", position="none")), lore(), "note chat", "no_position_wanted"),
    (preset(), scene(without_lore=True), lore(at_depth={0: ["D"]}), "entry D", "without_lore"),
    (
        preset(listed=("dialogueExamples",)),
        scene(card=Card(name="Aria", examples="Max: x"), preferences=Preferences(strip_examples=True)),
        lore(),
        "card Aria.examples",
        "not_wanted",
    ),
    (
        preset(),
        scene(injections=(Injection(key="DEPTH_PROMPT", text="X", position="end"),)),
        lore(),
        "injection DEPTH_PROMPT",
        "reserved_key",
    ),
    (
        preset(),
        scene(injections=(Injection(key="x", text="X", position="end", allowed=False),)),
        lore(),
        "injection x",
        "not_allowed",
    ),
]


@pytest.mark.parametrize(("the_preset", "the_scene", "the_lore", "source", "code"), LEFT_OUT)
def test_a_text_that_is_left_out_says_why(the_preset, the_scene, the_lore, source, code):
    assert out(lay(the_preset, the_scene, the_lore))[source] == code


def test_what_comes_behind_the_end_names_the_end():
    laid = lay(
        preset(prompt("a", "x" * 400), listed=("main", "a", "chatHistory"), limits=limited(20)),
        on="stops_at_overflow",
    )

    assert (laid.overrun.what, laid.overrun.needed_tokens, laid.overrun.left_tokens) == ("a", 100, 16)
    assert out(laid) == {"prompt a": "too_long", "message 0": "after_end", "message 1": "after_end"}


NOBODYS_PROGRAM = "{{user}}{{setvar::x::1}}"
VALUES = {
    "a message": {"the_scene": scene(chat=(Line(name="Max", text=NOBODYS_PROGRAM, is_user=True),))},
    "a text of lore": {
        "the_preset": preset(listed=("worldInfoBefore",)),
        "the_lore": lore(before=[NOBODYS_PROGRAM]),
    },
    "lore in the chat": {"the_lore": lore(at_depth={0: [NOBODYS_PROGRAM]})},
    "an example of lore": {
        "the_preset": preset(listed=("dialogueExamples",)),
        "the_lore": Placed(examples=(Example("top", Text("e", f"Max: {NOBODYS_PROGRAM}")),)),
    },
    "an outlet": {
        "the_preset": preset(prompt("a", "{{outlet::shelf}}"), listed=("a",)),
        "the_lore": Placed(outlets={"shelf": texts([NOBODYS_PROGRAM])}),
    },
    "the beginning of a reply": {
        "the_scene": scene(chat=(Line(name="Max", text="x", is_user=True, bias=NOBODYS_PROGRAM),))
    },
    "a name": {"the_scene": scene(user=NOBODYS_PROGRAM), "the_preset": preset(prompt("a", "{{user}}"), listed=("a",))},
    "the message that is continued": {
        "the_scene": scene(trigger="continue", chat=(Line(name="Max", text=NOBODYS_PROGRAM, is_user=True),)),
        "the_preset": preset(wording=replace(QUIET, continue_nudge="{{lastChatMessage}}")),
    },
}


@pytest.mark.parametrize("given", VALUES.values(), ids=VALUES)
def test_in_native_what_was_said_and_what_was_rendered_is_no_template(given):
    laid = lay(**given)

    assert any(NOBODYS_PROGRAM in message.content for message in laid.messages)
    assert laid.variables.local == {}
