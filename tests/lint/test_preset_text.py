"""Checks of templates for text completion."""

import pytest

from lorewright.formats.things.text_preset import read_text_preset
from lorewright.lint.preset import TextSubject, check_text_preset
from lorewright.templates.handlebars import Handlebars
from lorewright.templates.sillytavern.uses import macro_uses
from tests.lint.presets import Words

NAMES = (
    "system",
    "wiBefore",
    "description",
    "personality",
    "scenario",
    "wiAfter",
    "persona",
    "anchorBefore",
    "anchorAfter",
)
STORY = "".join(f"{{{{#if {name}}}}}{{{{{name}}}}}\n{{{{/if}}}}" for name in NAMES)


def check(**sections):
    subject = TextSubject(
        preset=read_text_preset(sections),
        uses=macro_uses,
        counter=Words(),
        story=Handlebars(),
        has_context="context" in sections,
    )
    return check_text_preset(subject)


def codes(**sections):
    return [(found.entry, found.code) for found in check(**sections).findings]


def test_blocks_in_the_order_in_which_they_are_sent():
    checked = check(
        context={"story_string": f"A story. {STORY}", "example_separator": "* *", "chat_start": "Begin."},
        instruct={
            "input_sequence": "<user> <",
            "output_suffix": "end",
            "story_string_prefix": "<s>",
            "last_output_sequence": "<r>",
        },
        sysprompt={"content": "You are kind.", "post_history": "Stay kind."},
    )

    assert [(block.where, block.id, block.tokens, block.cost) for block in checked.blocks] == [
        ("front", "story_string_prefix", 1, "kept"),
        ("front", "story_string", 2, "kept"),
        ("front", "system_prompt", 3, "kept"),
        ("front", "example_separator", 2, "kept"),
        ("front", "chat_start", 1, "kept"),
        ("chat", "input_sequence", 2, "kept"),
        ("chat", "output_suffix", 1, "kept"),
        ("tail", "post_history", 2, "anew"),
        ("tail", "last_output_sequence", 1, "anew"),
    ]


def test_a_clean_template_has_no_findings():
    assert codes(context={"story_string": STORY}) == []
    assert codes(sysprompt={"content": "You are {{char}}."}) == []
    assert codes(instruct={"input_sequence": "<{{name}}>", "output_sequence": "<{{name}}>"}) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_story_without_a_place(name):
    story = STORY.replace(f"{{{{#if {name}}}}}{{{{{name}}}}}\n{{{{/if}}}}", "")

    assert codes(context={"story_string": story}) == [("story_string", "preset_story_without_place")]


def test_another_name_is_a_place_too():
    assert codes(context={"story_string": STORY.replace("wiBefore", "loreBefore")}) == []


def test_a_story_in_the_chat_is_read_anew():
    checked = check(context={"story_string": f"Told. {STORY}", "story_string_position": 1, "story_string_depth": 3})

    assert [(block.where, block.depth, block.sillytavern_messages) for block in checked.blocks] == [("tail", 3, 3)]
    assert [found.code for found in checked.findings] == ["preset_at_depth"]


@pytest.mark.parametrize(("depth", "expected"), [(float("nan"), 4), (float("inf"), 10_000), (-3, 0), (2.9, 2)])
def test_an_odd_depth_is_the_nearest_one(depth, expected):
    checked = check(context={"story_string": "Told.", "story_string_position": 1, "story_string_depth": depth})

    assert [block.depth for block in checked.blocks] == [expected]


def test_the_system_prompt_without_a_place_is_off():
    checked = check(context={"story_string": "{{description}}"}, sysprompt={"content": "It is {{time}}."})

    assert [block.where for block in checked.blocks if block.id == "system_prompt"] == ["off"]
    assert "preset_front_changes" not in [found.code for found in checked.findings]


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"context": {"story_string": STORY + "{{time}}"}}, ("story_string", "preset_front_changes")),
        # the branch for a card without a scenario has macros, too
        (
            {"context": {"story_string": STORY + "{{#if scenario}}Yes.{{else}}{{date}}{{/if}}"}},
            ("story_string", "preset_front_changes"),
        ),
        ({"context": {"story_string": STORY, "chat_start": "{{date}}"}}, ("chat_start", "preset_front_changes")),
        ({"sysprompt": {"content": "{{random::a::b}}"}}, ("system_prompt", "preset_front_changes")),
        ({"instruct": {"input_sequence": "[{{time}}]"}}, ("input_sequence", "preset_sequence_changes")),
        ({"instruct": {"input_sequence": "[{{who}}]"}}, ("input_sequence", "preset_macro_unknown")),
        (
            {"instruct": {"output_sequence": "A:", "last_output_sequence": "B:"}},
            ("last_output_sequence", "preset_last_sequence"),
        ),
    ],
)
def test_finding(sections, expected):
    assert codes(**sections) == [expected]


def test_the_same_last_sequence_costs_nothing():
    assert codes(instruct={"output_sequence": "A:", "last_output_sequence": "A:"}) == []
