"""Every defect of SillyTavern, kept and repaired; the expected messages are written by hand after the spec."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from lorewright.conformance import prompt_assembly as runner
from lorewright.core.layout import NATIVE_LAYOUT, SILLYTAVERN_LAYOUT, Defects
from lorewright.core.layout.scene import Card, Group, Injection, Line, Note, Persona
from lorewright.core.model import Odd
from tests.core.layout.stage import CHAT, QUIET, lay, limited, lore, order, preset, prompt, scene, shown

CORPUS = Path(__file__).resolve().parents[3] / "conformance" / "prompt-assembly"
SAID = ["assistant: Hello.", "user: Hi."]
GROUP = Group(members=(Card(name="Aria"), Card(name="Bo")))
EXAMPLES = Card(name="Aria", examples="<START>\nBo: one\nAria: two\nMax: three\nAria: four")

TABLE = {
    "ignores_default_order": (
        {"the_preset": preset(prompt("a"), orders=(order("a", "main", owner="100000"),))},
        ["MAIN", *SAID],
        ["A", "MAIN"],
    ),
    "keeps_empty_order": ({"the_preset": preset(orders=(order(),))}, [], ["MAIN", *SAID]),
    "renders_again": (
        {"the_scene": scene(quiet_prompt=r"\{\{user\}\}")},
        ["MAIN", *SAID, "Max"],
        ["MAIN", *SAID, "{{user}}"],
    ),
    "renders_messages": (
        {"the_scene": scene(chat=(Line(name="Max", text="I am {{user}}.", is_user=True),))},
        ["MAIN", "user: I am Max."],
        ["MAIN", "user: I am {{user}}."],
    ),
    "hides_card_in_card": (
        {
            "the_preset": preset(listed=("scenario",)),
            "the_scene": scene(card=Card(name="Aria", description="An elf.", scenario="[{{description}}]")),
        },
        ["[]"],
        ["[An elf.]"],
    ),
    "keeps_break_of_empty_note": (
        {"the_scene": scene(note=Note(position="end")), "the_lore": lore(note_top=["T"])},
        ["MAIN", "T\n", *SAID],
        ["MAIN", "T", *SAID],
    ),
    "loses_texts_of_inactive_note": (
        {
            "the_scene": scene(
                note=Note(text="N", position="end", interval=2), persona=Persona(text="P", position="above_note")
            ),
            "the_lore": lore(note_top=["T"], note_bottom=["B"]),
        },
        ["MAIN", *SAID],
        ["MAIN", "P\nT\nB", *SAID],
    ),
    "keeps_skipped_lore": (
        {
            "the_preset": preset(listed=("main", "worldInfoBefore", "chatHistory")),
            "the_scene": scene(without_lore=True, note=Note(text="N", position="end")),
            "the_lore": lore(before=["B"], at_depth={0: ["D"]}, note_top=["T"]),
        },
        ["MAIN", "T\nN", "B", *SAID],
        ["MAIN", *SAID],
    ),
    "names_narrators": (
        {"the_scene": scene(group=GROUP, chat=(Line(name="Fate", text="Rain.", narrator=True),))},
        ["MAIN", "Fate: Rain."],
        ["MAIN", "Rain."],
    ),
    "replaces_lore_by_format": (
        {
            "the_preset": preset(listed=("worldInfoBefore",), wording=replace(QUIET, lore_format="Lore:")),
            "the_lore": lore(before=["B"]),
        },
        ["Lore:"],
        ["B"],
    ),
    "appends_unlisted_markers": ({"the_lore": lore(before=["B"])}, ["MAIN", *SAID, "B"], ["MAIN", *SAID]),
    "takes_over_ids": (
        {
            "the_preset": preset(prompt("my_key"), listed=("main", "my_key")),
            "the_scene": scene(injections=(Injection(key="my key", text="INJECTED", position="end"),)),
        },
        ["MAIN", "INJECTED"],
        ["MAIN", "INJECTED", "MY_KEY"],
    ),
    "repeats_relative_texts": (
        {
            "the_preset": preset(prompt("summary", in_chat=True, depth=0), listed=("main", "summary", "chatHistory")),
            "the_scene": scene(injections=(Injection(key="1_memory", text="SUM", position="end"),)),
            "defects": replace(NATIVE_LAYOUT, takes_over_ids=True),
        },
        ["MAIN", "SUM", *SAID, "SUM"],
        ["MAIN", *SAID, "SUM"],
    ),
    "minds_case_of_start": (
        {
            "the_preset": preset(listed=("dialogueExamples",), wording=replace(QUIET, new_example="E")),
            "the_scene": scene(card=Card(name="Aria", examples="<start>\nMax: one")),
            "defects": replace(NATIVE_LAYOUT, opens_empty_examples=True),
        },
        ["E", "E", "one"],
        ["E", "one"],
    ),
    "opens_empty_examples": (
        {
            "the_preset": preset(listed=("dialogueExamples",), wording=replace(QUIET, new_example="E")),
            "the_scene": scene(card=Card(name="Aria", examples="<START>\nnobody speaks\n<START>\nMax: one")),
        },
        ["E", "E", "one"],
        ["E", "one"],
    ),
    "sticks_to_names": (
        {
            "the_preset": preset(listed=("dialogueExamples",)),
            "the_scene": scene(group=GROUP, card=EXAMPLES),
        },
        ["Bo: one\nAria: two", "Max: three", "Bo: Aria: four"],
        ["Bo: one", "Aria: two", "Max: three", "Aria: four"],
    ),
    "stops_at_overflow": (
        {"the_preset": preset(prompt("a", "x" * 40), listed=("main", "a", "chatHistory"), limits=limited(12))},
        ["MAIN"],
        ["MAIN", *SAID],
    ),
    "squashes_for_free": (
        {"the_preset": preset(prompt("a"), listed=("main", "a", "chatHistory"), limits=limited(8), squash=True)},
        ["MAIN\nA", *SAID],
        ["MAIN\nA", "user: Hi."],
    ),
    "charges_repeated_prompts": (
        {"the_preset": preset(prompt("a"), listed=("main", "a", "a", "chatHistory"), limits=limited(8))},
        ["MAIN", "A", "user: Hi."],
        ["MAIN", "A", *SAID],
    ),
    "loses_unmarked_prompts": (
        {"the_preset": preset(prompt("a", of_user=False), listed=("main", "a"))},
        ["MAIN"],
        ["MAIN", "A"],
    ),
    "loses_texts_without_main": (
        {
            "the_preset": preset(prompt("a"), listed=("a",)),
            "the_scene": scene(
                injections=(
                    Injection(key="x", text="X", position="end"),
                    Injection(key="y", text="Y", position="start"),
                )
            ),
        },
        ["A"],
        ["Y", "X", "A"],
    ),
    "loses_odd_depths": (
        {
            "the_preset": preset(
                prompt("a", in_chat=True, depth=Odd("1")),
                prompt("b", in_chat=True, depth=-3),
                prompt("c", in_chat=True),
                prompt("d", in_chat=True, depth=1.5),
                listed=("a", "b", "c", "d", "chatHistory"),
            )
        },
        SAID,
        ["C", "assistant: Hello.", "A\nD", "user: Hi.", "B"],
    ),
    "loses_odd_roles": (
        {"the_preset": preset(prompt("a", in_chat=True, depth=0, role="narrator"), listed=("a", "chatHistory"))},
        SAID,
        [*SAID, "A"],
    ),
    "ignores_filters_at_depth": (
        {"the_scene": scene(injections=(Injection(key="x", text="X", position="in_chat", allowed=False),))},
        ["MAIN", *SAID, "X"],
        ["MAIN", *SAID],
    ),
    "keeps_blank_lines": (
        {
            "the_preset": preset(
                prompt("a", in_chat=True, depth=0),
                prompt("b", "  ", in_chat=True, depth=0),
                prompt("c", in_chat=True, depth=0),
                listed=("a", "b", "c", "chatHistory"),
            )
        },
        [*SAID, "A\n  \nC"],
        [*SAID, "A\nC"],
    ),
    "stops_at_injections": (
        {"the_preset": preset(limits=limited(7)), "the_lore": lore(at_depth={2: ["D" * 8]})},
        ["MAIN", *SAID],
        ["MAIN", "DDDDDDDD", "user: Hi."],
    ),
    "overwrites_nudge": (
        {
            "the_preset": preset(
                listed=("main", "chatHistory", "dialogueExamples"), wording=replace(QUIET, continue_nudge="Go on.")
            ),
            "the_scene": scene(trigger="continue"),
        },
        ["MAIN", "assistant: Hello."],
        ["MAIN", "assistant: Hello.", "user: Hi.", "Go on."],
    ),
    "sends_raw_filler": (
        {
            "the_preset": preset(wording=replace(QUIET, send_if_empty="{{user}} nods.")),
            "the_scene": scene(chat=CHAT[:1]),
        },
        ["MAIN", "assistant: Hello.", "user: {{user}} nods."],
        ["MAIN", "assistant: Hello.", "user: Max nods."],
    ),
    "fills_behind_injections": (
        {
            "the_preset": preset(
                prompt("a", in_chat=True, depth=0, role="assistant"),
                listed=("main", "a", "chatHistory"),
                wording=replace(QUIET, send_if_empty="Go on."),
            )
        },
        ["MAIN", *SAID, "assistant: A", "user: Go on."],
        ["MAIN", *SAID, "assistant: A"],
    ),
    "separates_by_empty": (
        {
            "the_preset": preset(
                prompt("a"), prompt("b", "{{noop}}", role="user"), prompt("c"), listed=("a", "b", "c"), squash=True
            )
        },
        ["A", "C"],
        ["A\nC"],
    ),
}


NAMES = [field.name for field in fields(Defects)]


@pytest.mark.parametrize("name", NAMES)
def test_a_defect_is_kept_and_repaired(name):
    given, kept, repaired = TABLE[name]

    assert kept != repaired
    assert shown(lay(on=name, **given)) == kept
    assert shown(lay(**given)) == repaired


RECORDED = {
    "ignores_default_order": "order-018",
    "keeps_empty_order": "order-016",
    "renders_messages": "macros-001",
    "keeps_break_of_empty_note": "authors-note-018",
    "loses_texts_of_inactive_note": "authors-note-024",
    "keeps_skipped_lore": "depth-merge-027",
    "names_narrators": "combined-088",
    "replaces_lore_by_format": "formats-005",
    "appends_unlisted_markers": "markers-002",
    "takes_over_ids": "authors-note-044",
    "repeats_relative_texts": "authors-note-046",
    "minds_case_of_start": "examples-004",
    "opens_empty_examples": "examples-007",
    "sticks_to_names": "group-028",
    "stops_at_overflow": "budget-032",
    "squashes_for_free": "combined-082",
    "loses_unmarked_prompts": "order-033",
    "loses_texts_without_main": "markers-012",
    "loses_odd_depths": "in-chat-023",
    "loses_odd_roles": "in-chat-035",
    "ignores_filters_at_depth": "depth-merge-020",
    "stops_at_injections": "budget-016",
    "overwrites_nudge": "types-026",
    "sends_raw_filler": "types-049",
    "fills_behind_injections": "types-047",
    "separates_by_empty": "squash-017",
}
"""A recorded case that shows a defect. Of the others no case of this folder tells."""


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_case_notices_a_defect(name):
    topic, _, _ = RECORDED[name].rpartition("-")
    cases = json.loads((CORPUS / f"{topic}.json").read_bytes())["cases"]
    case = next(case for case in cases if case["id"] == RECORDED[name])
    laid = runner.lay_out_case(case["input"], replace(SILLYTAVERN_LAYOUT, **{name: False}))

    assert [(message.role, message.content) for message in laid.messages] != [
        (message["role"], message["content"]) for message in case["expect"]["messages"]
    ]
