"""What the blocks of a preset cost a prompt cache; places, tokens and causes counted by hand after the rules of frozen
placement (docs/explanation/what-a-preset-costs-in-cache.md)."""

import pytest

from tests.lint.presets import at_depth, block, check, codes, preset, prompt


def sent(value):
    """The prompts with a text in the order in which they are sent, as `place: id`."""
    return [f"{one.where}: {one.id}" for one in check(value).blocks if one.kind != "marker" and one.where != "off"]


def causes(value, name):
    return [(cause.kind, cause.macro, cause.variable, cause.writer) for cause in block(value, name).causes]


def test_frozen_order():
    """Front, what opens the chat, deep texts, texts at a depth (deepest first, low order first), what is behind."""
    value = preset(
        prompt("main", "One."),
        at_depth("near", "Two.", 1),
        prompt("style", "Three."),
        "chatHistory",
        at_depth("far", "Four.", 5, injection_order=200),
        at_depth("low", "Five.", 5, injection_order=10),
        at_depth("deep", "Six.", 100),
        prompt("last", "Seven."),
        new_chat_prompt="[Begin]",
    )

    assert sent(value) == [
        "front: main",
        "front: style",
        "front: new_chat_prompt",
        "front: deep",
        "tail: low",
        "tail: far",
        "tail: near",
        "tail: last",
    ]


def test_tokens_by_place():
    checked = check(
        preset(
            prompt("main", "one two three"),
            prompt("clock", "now {{time}}"),
            "chatHistory",
            at_depth("near", "four", 2),
            prompt("last", "five six"),
            off=[prompt("off", "a b c d e f")],
        )
    )

    assert {place: checked.tokens(place) for place in ("front", "chat", "tail", "off")} == {
        "front": 5,
        "chat": 0,
        "tail": 3,
        "off": 6,
    }
    assert checked.kept_tokens == 3


def test_what_each_placement_reads_anew():
    value = preset(
        prompt("main", "one two three"),
        prompt("clock", "now {{time}}"),
        prompt("style", "a b c d"),
        "chatHistory",
        at_depth("far", "e f", 4),
        at_depth("near", "g", 0),
        prompt("last", "h i j"),
    )
    costs = {
        name: (one.cost, one.native_tokens, one.sillytavern_tokens, one.sillytavern_messages)
        for name in ("main", "clock", "style", "far", "near", "last")
        for one in [block(value, name)]
    }

    assert costs == {
        "main": ("kept", 0, 0, 0),
        "clock": ("changes", 2, 2 + 4 + 2 + 1 + 3, None),
        "style": ("kept", 0, 0, 0),
        "far": ("anew", 2, 2 + 1 + 3, 4),
        "near": ("anew", 1, 1, 0),
        "last": ("anew", 3, 3, 0),
    }


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{{time}}", "clock"),
        ("{{idleDuration}}", "chat"),
        ("{{random::a::b}}", "random"),
        ("{{roll::1d6}}", "random"),
        ("{{lastMessage}}", "chat"),
        ("{{firstIncludedMessageId}}", "chat"),
        ("{{outlet::shelf}}", "lore"),
        ("{{input}}", "input"),
        ("{{lastGenerationType}}", "reply"),
        ("{{model}}", "setting"),
        ("{{getvar::day}}", "variable_outside"),
        ("{{incvar::day}}", "variable"),
    ],
)
def test_a_macro_is_a_cause(text, kind):
    assert causes(preset(prompt("main", f"Say {text}."), "chatHistory"), "main")[0][:2] == (kind, text)


@pytest.mark.parametrize(
    "text", ["{{user}}", "{{char}}", "{{description}}", "{{pick::a::b}}", "{{newline}}", "{{// {{time}} }}"]
)
def test_a_constant_macro_is_none(text):
    assert causes(preset(prompt("main", text), "chatHistory"), "main") == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # set before it is shown: a constant
        ("{{setvar::tone::dry}}", "{{getvar::tone}}", []),
        ("{{setvar::n::1}}{{incvar::n}}", "{{getvar::n}}", []),
        ("{{setvar::tone::{{user}}}}", "{{getvar::tone}}", []),
        # what it was set to differs
        ("{{setvar::now::{{time}}}}", "{{getvar::now}}", [("clock", "{{getvar::now}}", "local:now", "first")]),
        (
            "{{setvar::a::{{time}}}}{{setvar::b::{{getvar::a}}}}",
            "{{getvar::b}}",
            [("clock", "{{getvar::b}}", "local:b", "first")],
        ),
        # counted on from turn to turn
        ("{{addvar::n::2}}", "{{getvar::n}}", [("variable", "{{getvar::n}}", "local:n", "first")]),
        # shown before it is set: the value of the turn before
        ("{{getvar::tone}}", "{{setvar::tone::dry}}", []),
        # set on one branch only: it may be that of the turn before
        ("{{if .on}}{{setvar::a::1}}{{/if}}", "{{getvar::a}}", [("variable", "{{getvar::a}}", "local:a", "first")]),
        # what was set by a draw and is then set to a constant
        ("{{setvar::a::{{roll::1d6}}}}", "{{setvar::a::1}}{{getvar::a}}", []),
    ],
)
def test_variables_are_followed(first, second, expected):
    value = preset(prompt("first", first), prompt("second", f"{second}"), "chatHistory")
    found = causes(value, "second")

    assert [cause for cause in found if cause[0] != "variable_outside"] == expected


def test_a_variable_that_is_written_later_differs_once():
    value = preset(prompt("shows", "Be {{getvar::tone}}."), "chatHistory", prompt("sets", "{{setvar::tone::dry}}"))

    assert causes(value, "shows") == [("variable_once", "{{getvar::tone}}", "local:tone", "sets")]
    assert block(value, "shows").cost == "may change"
    assert ("shows", "preset_front_written_late") in codes(value)


def test_a_prompt_that_is_off_writes_nothing():
    value = preset(prompt("shows", "{{getvar::tone}}"), "chatHistory", off=[prompt("sets", "{{setvar::tone::dry}}")])

    assert causes(value, "shows") == [("variable_outside", "{{getvar::tone}}", "local:tone", "")]


def test_a_prompt_for_some_replies_writes_for_them_alone():
    value = preset(
        prompt("sets", "{{setvar::tone::dry}}", injection_trigger=["swipe"]),
        prompt("shows", "{{getvar::tone}}"),
        "chatHistory",
    )

    assert {cause[0] for cause in causes(value, "shows")} == {"reply", "variable"}


def test_the_format_of_a_marker_is_part_of_it():
    value = preset("chatHistory", scenario_format="{{scenario}} at {{time}}", wi_format="{0} {{date}}")

    assert block(value, "scenario").cost == "changes"
    assert block(value, "worldInfoBefore").cost == "changes"
    assert block(value, "charDescription").cost == "kept"
    assert [(found.entry, found.field) for found in check(value).findings if found.code == "preset_front_changes"] == [
        ("worldInfoBefore", "wi_format"),
        ("scenario", "scenario_format"),
        ("worldInfoAfter", "wi_format"),
    ]


def test_lore_behind_the_chat_is_placed_once_like_all_lore():
    value = preset("chatHistory", "worldInfoAfter", "scenario")

    assert [(block(value, name).where, block(value, name).cost) for name in ("worldInfoAfter", "scenario")] == [
        ("tail", "kept"),
        ("tail", "anew"),
    ]
    assert codes(value) == [("scenario", "preset_marker_in_tail")]


def test_a_marker_has_no_text_of_its_own():
    """What a file has as the content of a marker is never sent."""
    value = preset(prompt("scenario", "{{time}} and more"), "chatHistory")

    assert (block(value, "scenario").tokens, causes(value, "scenario")) == (0, [])


def test_the_message_names_what_to_move():
    value = preset(
        prompt("main", "You wait."), prompt("clock", "It is {{time}} now."), "chatHistory", prompt("end", "Go on.")
    )
    found = next(one for one in check(value).findings if one.code == "preset_front_changes")

    assert (found.level, found.entry, found.field) == ("warning", "clock", "content")
    assert found.message == (
        "In front of the chat stands a text that can differ: `{{time}}` tells the time. Each time it does, frozen placement "
        "sends its 4 tokens again behind the newest message; placed as in SillyTavern, everything from there on is read anew: "
        "6 tokens of the preset and the whole chat. Put `{{time}}` into a prompt of its own behind the chat; the rest "
        "then stays."
    )


def test_a_long_macro_is_cut():
    value = preset(prompt("main", "{{random::" + "x" * 500 + "}}"), "chatHistory")

    assert all(len(found.message) < 600 for found in check(value).findings)


def test_very_many_causes_are_counted():
    text = "".join(f"{{{{getvar::v{number}}}}}" for number in range(50))
    found = next(one for one in check(preset(prompt("main", text), "chatHistory")).findings if "may_change" in one.code)

    assert "and 44 more" in found.message
    assert len(found.message) < 1500


def test_a_variable_of_very_many_origins_differs():
    """One text that stores a hundred others in a variable, which nobody follows one by one."""
    others = "".join(f"{{{{getvar::v{number}}}}}" for number in range(100))
    text = f"{{{{setvar::all}}}}{others}{{{{/setvar}}}}"
    value = preset(prompt("first", text), prompt("second", "{{getvar::all}}"), "chatHistory")

    assert block(value, "second").cost == "changes"
    assert causes(value, "second") == [("variable", "{{getvar::all}}", "local:all", "first")]
