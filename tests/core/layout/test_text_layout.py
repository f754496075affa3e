"""Text completion: expected texts by hand, after SillyTavern's documentation of context and instruct templates."""

from dataclasses import replace

import pytest

from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.layout.preset import Limits
from lorewright.core.layout.scene import Card, Group, Injection, Line, Note, Persona, Preferences
from lorewright.core.layout.text_layout import lay_out_text
from lorewright.core.layout.text_preset import ContextTemplate, Instruct, SystemPrompt, TextPreset
from lorewright.core.place import Placed
from lorewright.formats.things.text_preset import read_text_preset
from lorewright.templates.handlebars import Handlebars
from lorewright.templates.prompt_macros import PromptMacros
from tests.core.layout.stage import CHAT, lore, out, scene

STORY = "{{#if system}}{{system}}\n{{/if}}{{#if description}}{{description}}\n{{/if}}"
CHATML = Instruct(
    sequences={
        "input_sequence": "[user]",
        "output_sequence": "[char]",
        "system_sequence": "[system]",
        "input_suffix": "[/user]\n",
        "output_suffix": "[/char]\n",
        "system_suffix": "[/system]\n",
        "stop_sequence": "[/char]",
    }
)
ARIA = Card(name="Aria", description="An elf.")


def preset(context=None, instruct=None, prompt=None, tokens=1000, **other):
    return TextPreset(
        context=ContextTemplate(**{"story": STORY, **(context or {})}),
        instruct=instruct,
        system_prompt=prompt,
        limits=Limits(tokens, 0),
        **other,
    )


def lay(the_preset=None, the_scene=None, the_lore=None):
    the_scene = the_scene or scene(card=ARIA)
    return lay_out_text(
        the_scene,
        the_preset or preset(),
        the_lore or Placed(),
        story=Handlebars(),
        macros=PromptMacros(the_scene),
        counter=CodePointCounter(),
    )


# --- lines


def test_without_an_instruct_template_turns_are_lines():
    assert lay().text == "An elf.\nAria: Hello.\nMax: Hi.\nAria:"


def test_the_name_at_the_end_is_an_option():
    assert lay(preset({"forces_name": False})).text == "An elf.\nAria: Hello.\nMax: Hi.\n"


def test_an_impersonation_ends_with_the_users_name():
    assert lay(the_scene=scene(card=ARIA, trigger="impersonate")).text.endswith("Max: Hi.\nMax:")


def test_a_bias_follows_the_name():
    likes = Preferences(bias="Well,")

    assert lay(the_scene=scene(card=ARIA, preferences=likes)).text.endswith("Max: Hi.\nAria: Well,")


def test_a_message_that_is_continued_has_no_end():
    assert lay(the_scene=scene(card=ARIA, trigger="continue")).text == "An elf.\nAria: Hello.\nMax: Hi."


# --- turns of an instruct template


def test_turns_stand_between_their_sequences():
    narrated = (*CHAT, Line(name="Fate", text="Rain.", narrator=True))

    assert lay(preset(instruct=CHATML), scene(card=ARIA, chat=narrated)).text == (
        "An elf.\n[char]\nHello.[/char]\n[user]\nHi.[/user]\n[system]\nRain.[/system]\n[char]\n"
    )


def test_without_wrapping_nothing_is_added():
    bare = replace(CHATML, wraps=False)

    assert lay(preset(instruct=bare)).text == "An elf.\n[char]Hello.[/char]\n[user]Hi.[/user]\n[char]"


NAMES = [
    ("none", None, "[char]\nHello.[/char]\n[user]\nHi.[/user]\n[char]\n"),
    ("always", None, "[char]\nAria: Hello.[/char]\n[user]\nMax: Hi.[/user]\n[char]\nAria:"),
    ("force", None, "[char]\nHello.[/char]\n[user]\nHi.[/user]\n[char]\n"),
    ("force", Group(members=(ARIA,)), "[char]\nAria: Hello.[/char]\n[user]\nHi.[/user]\n[char]\nAria:"),
]


@pytest.mark.parametrize(("names", "group", "expected"), NAMES)
def test_names_are_said_never_where_it_is_not_plain_or_always(names, group, expected):
    laid = lay(preset(instruct=replace(CHATML, names=names)), scene(card=ARIA, group=group))

    assert laid.text == f"An elf.\n{expected}"


def test_a_sequence_may_name_who_speaks():
    named = replace(CHATML, sequences={"input_sequence": "[{{name}}]", "output_sequence": "[{{name}} {{char}}]"})

    assert lay(preset(instruct=named)).text == "An elf.\n[Aria Aria]\nHello.\n[Max]\nHi.\n[Aria Aria]\n"


def test_the_first_and_the_last_turn_may_have_sequences_of_their_own():
    own = {**CHATML.sequences, "first_output_sequence": "[first]", "last_output_sequence": "[last]"}

    assert lay(preset(instruct=replace(CHATML, sequences=own))).text == (
        "An elf.\n[first]\nHello.[/char]\n[user]\nHi.[/user]\n[last]\n"
    )


def test_a_text_in_the_background_asks_with_the_systems_sequence():
    own = {**CHATML.sequences, "last_system_sequence": "[task]"}
    quiet = scene(card=ARIA, trigger="quiet", quiet_prompt="Sum it up.")

    assert lay(preset(instruct=replace(CHATML, sequences=own)), quiet).text.endswith(
        "[system]\nSum it up.[/system]\n[task]\n"
    )


def test_the_system_may_speak_as_the_user():
    narrated = (Line(name="Fate", text="Rain.", narrator=True),)

    assert (
        "[user]\nRain.[/user]" in lay(preset(instruct=replace(CHATML, system_as_user=True)), scene(chat=narrated)).text
    )


@pytest.mark.parametrize(("chat", "is_filled"), [(CHAT, True), (CHAT[1:], False)])
def test_a_filler_opens_a_chat_that_the_user_does_not_open(chat, is_filled):
    laid = lay(preset(instruct=replace(CHATML, filler="Let us start.")), scene(card=ARIA, chat=chat))

    assert ("[user]\nLet us start.[/user]" in laid.text) is is_filled


# --- the story string


def test_the_story_stands_between_its_sequences():
    own = {**CHATML.sequences, "story_string_prefix": "[story]", "story_string_suffix": "[/story]\n"}

    assert lay(preset(instruct=replace(CHATML, sequences=own))).text.startswith("[story]\nAn elf.\n[/story]\n[char]")


def test_the_story_may_stand_in_the_chat():
    assert lay(preset({"in_chat": True, "depth": 1}, CHATML)).text == (
        "[char]\nHello.[/char]\n[system]\nAn elf.[/system]\n[user]\nHi.[/user]\n[char]\n"
    )


def test_all_values_of_a_story():
    names = ("anchorBefore", "system", "wiBefore", "description", "personality", "scenario", "wiAfter", "persona")
    story = "|".join(f"{{{{{name}}}}}" for name in (*names, "char", "user", "anchorAfter"))
    the_scene = scene(
        card=Card(name="Aria", description="D", personality="P", scenario="S of {{char}}"),
        persona=Persona(text="{{user}}!"),
        injections=(Injection(key="x", text=" X ", position="start"), Injection(key="y", text="Y", position="end")),
    )
    laid = lay(preset({"story": story}, prompt=SystemPrompt("Sys")), the_scene, lore(before=["B"], after=["A"]))

    assert laid.text.startswith("X|Sys|B|D|P|S of Aria|A|Max!|Aria|Max|Y\n")
    assert laid.left_out == ()


def test_a_value_without_a_place_is_left_out():
    laid = lay(preset({"story": "{{char}}"}), scene(card=ARIA), lore(before=["B"]))

    assert laid.text == "Aria\nAria: Hello.\nMax: Hi.\nAria:"
    assert out(laid) == {"card Aria.description": "not_in_story", "entry B": "not_in_story"}


def test_trim_takes_the_line_feed_before_it():
    assert lay(preset({"story": STORY + "{{trim}}[end]"})).text.startswith("An elf.[end]\n")


# --- the system prompt


def test_a_card_may_have_prompts_of_its_own():
    card = replace(ARIA, system_prompt="Mine, then {{original}}", post_history="Also mine.")
    laid = lay(preset(instruct=CHATML, prompt=SystemPrompt("yours", "Yours.")), scene(card=card))

    assert laid.text.startswith("Mine, then yours\n")
    assert laid.text.endswith("[user]\nHi.[/user]\n[user]\nAlso mine.[/user]\n[char]\n")
    assert out(laid) == {"setting post_history": "replaced_by"}


def test_without_a_system_prompt_a_cards_is_not_used_either():
    card = replace(ARIA, system_prompt="Mine", post_history="Mine")
    laid = lay(preset(instruct=CHATML), scene(card=card))

    assert "Mine" not in laid.text
    assert out(laid) == {"card Aria.system_prompt": "not_replaceable", "card Aria.post_history": "not_replaceable"}


# --- texts in the chat, examples, budget


def test_texts_in_the_chat_are_turns_of_their_role():
    noted = scene(card=ARIA, note=Note(text="N", depth=0, role="assistant"))
    laid = lay(preset(instruct=CHATML), noted, lore(at_depth={1: ["L"]}))

    assert laid.text == (
        "An elf.\n[char]\nHello.[/char]\n[system]\nL[/system]\n[user]\nHi.[/user]\n[char]\nN[/char]\n[char]\n"
    )


EXAMPLES = Card(name="Aria", description="An elf.", examples="<START>\nMax: one\nAria: two\n<START>\nAria: three")


def test_examples_stand_behind_their_separator():
    laid = lay(preset({"separator": "***", "chat_start": "Go, {{char}}"}), scene(card=EXAMPLES))

    assert laid.text == ("An elf.\n***\nMax: one\nAria: two\n***\nAria: three\nGo, Aria\nAria: Hello.\nMax: Hi.\nAria:")


def test_examples_are_turns():
    laid = lay(preset({"separator": "***"}, replace(CHATML, names="none")), scene(card=EXAMPLES))

    assert laid.text.startswith(
        "An elf.\n***\n[user]\none[/user]\n[char]\ntwo[/char]\n***\n[char]\nthree[/char]\n[char]\nHello."
    )


def test_the_oldest_messages_go_first_and_examples_after_them():
    """3 for the opening; each message 6, each example 6."""
    said = tuple(Line(name="Max", text="x" * 18, is_user=True) for _ in range(3))
    examples = Card(name="Aria", examples="Max: " + "y" * 18)
    told = scene(card=examples, chat=said)
    short = lay(preset({"story": ""}, tokens=2 + 2 * 6), told)
    pinned = lay(preset({"story": ""}, tokens=2 + 2 * 6), replace(told, preferences=Preferences(pin_examples=True)))

    assert out(short) == {"card Aria.examples": "too_long", "message 0": "too_long"}
    assert out(pinned) == {"message 0": "older_than_budget", "message 1": "too_long"}


def test_what_must_stand_and_does_not_fit_is_an_overrun():
    laid = lay(preset(tokens=3))

    assert laid.text == "An elf.\nAria:"
    assert (laid.overrun.needed_tokens, laid.overrun.left_tokens) == (4, 3)


# --- stop strings


def test_stop_strings():
    own = {**CHATML.sequences, "output_sequence": "<{{name}}>\nsays"}
    group = Group(members=(ARIA, Card(name="Bo")))
    wanted = preset(
        {"single_line": True, "separators_stop": True, "separator": "***", "chat_start": "Go, {{char}}"},
        replace(CHATML, sequences=own),
        stops=("END", "\n"),
    )

    assert lay(wanted, scene(card=ARIA, group=group)).stops == (
        "\n",
        "\nMax:",
        "\nBo:",
        "\n[/char]",
        "\n[user]",
        "\n<Aria>",
        "\nsays",
        "\n[system]",
        "\nGo, Aria",
        "\n***",
        "END",
    )


def test_who_writes_does_not_stop():
    assert lay(the_scene=scene(card=ARIA, trigger="impersonate")).stops == ("\nAria:",)
    assert lay(preset({"names_stop": False})).stops == ()


# --- files


def test_templates_are_read_from_their_files():
    found = read_text_preset(
        {
            "context": {
                "story_string": "S",
                "story_string_position": 1,
                "story_string_depth": 3,
                "story_string_role": 1,
                "chat_start": "C",
                "example_separator": "E",
                "use_stop_strings": True,
                "names_as_stop_strings": False,
                "always_force_name2": False,
                "single_line": True,
            },
            "instruct": {
                "input_sequence": "I",
                "output_suffix": "",
                "separator_sequence": "old",
                "system_sequence_prefix": "P",
                "wrap": False,
                "macro": False,
                "names_behavior": "always",
                "user_alignment_message": "F",
                "skip_examples": True,
                "system_same_as_user": True,
                "sequences_as_stop_strings": False,
            },
            "sysprompt": {"content": "Y", "post_history": "H"},
            "custom_stopping_strings": ["X"],
        },
        Limits(10, 2),
    )

    assert found == TextPreset(
        context=ContextTemplate(
            story="S",
            in_chat=True,
            depth=3,
            role="user",
            separator="E",
            chat_start="C",
            separators_stop=True,
            names_stop=False,
            forces_name=False,
            single_line=True,
        ),
        instruct=Instruct(
            sequences={"input_sequence": "I", "output_suffix": "old", "story_string_prefix": "P"},
            wraps=False,
            has_macros=False,
            names="always",
            filler="F",
            skips_examples=True,
            system_as_user=True,
            sequences_stop=False,
        ),
        system_prompt=SystemPrompt("Y", "H"),
        limits=Limits(10, 2),
        stops=("X",),
    )


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({}, "force"),
        ({"names_behavior": "none"}, "none"),
        ({"names": True}, "always"),
        ({"names": False, "names_force_groups": True}, "force"),
        ({"names": False, "names_force_groups": False}, "none"),
    ],
)
def test_older_files_say_names_in_two_flags(value, names):
    instruct = read_text_preset({"instruct": value}).instruct

    assert instruct is not None
    assert instruct.names == names


def test_hostile_templates_are_new_ones():
    odd = {"context": {"story_string": 1, "story_string_role": [], "story_string_depth": "x"}, "instruct": {"wrap": []}}

    assert read_text_preset({"context": [], "instruct": 3, "sysprompt": "x"}) == TextPreset()
    assert read_text_preset(odd).context == ContextTemplate()
    assert read_text_preset({"instruct": {"enabled": False}, "sysprompt": {"enabled": False}}) == TextPreset()
