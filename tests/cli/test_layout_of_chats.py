"""The chats of `tests/data/chats` as final messages: every visible line is sent, the newest ones where there is no room."""

import json
from typing import Any

import pytest

from lorewright.cli.layout_scene import read_layout_scene
from lorewright.cli.options import Request
from lorewright.core.layout.defects import SILLYTAVERN_LAYOUT
from lorewright.core.layout.layout import lay_out
from lorewright.core.layout.scene import Persona
from lorewright.core.place import Placed
from lorewright.formats.chat import read_chat_lines
from lorewright.formats.things.layout_preset import read_layout_preset
from lorewright.templates.prompt_macros import PromptMacros
from tests.formats.chats import NAMES, chat

RESERVED = 3
"""What a request costs by itself (spec prompt-assembly §7, point 1)."""


class Characters:
    """Counts characters, so that costs can be added up by hand."""

    name = "characters"

    def count(self, text):
        return len(text)


def laid(chat, context=1_000_000, **asked):
    scene = read_layout_scene(Request(chat="", **asked), chat, [], Persona(), [])
    preset = read_layout_preset({"openai_max_context": context, "openai_max_tokens": 0})
    return lay_out(
        scene, preset, Placed(), macros=PromptMacros(scene), counter=Characters(), defects=SILLYTAVERN_LAYOUT
    ).messages


@pytest.mark.parametrize("name", NAMES)
def test_every_visible_line_is_sent(name):
    texts = [message.content for message in laid(chat(name))]

    for message in chat(name).messages:
        if not message.hidden and "{{" not in message.text:
            assert any(message.text in text for text in texts), message.text
    hidden = [message.text for message in chat(name).messages if message.hidden]
    assert not any(one in text for one in hidden for text in texts)


def test_a_group_sends_names_also_those_that_the_user_had_before():
    """Spec prompt-assembly §3: in groups all but the user's own name now."""
    found = [(message.role, message.content) for message in laid(chat("group")) if message.id.startswith("chatHistory")]

    assert found == [
        ("assistant", "Maren: Nobody moves until the tide turns."),
        ("assistant", "Rook: Then we wait."),
        ("user", "I can row against it."),
        ("user", "Old Wen: (years ago) I could not."),
        ("system", "Narrator: A bell sounds below the water."),
        ("assistant", "Rook: Did you hear that?"),
    ]


def test_the_note_stands_at_its_depth_in_its_role_at_its_interval():
    messages = [(message.role, message.content) for message in laid(chat("note"))]

    assert messages[-3:] == [
        ("user", "[Wen has not slept for two days.]"),
        ("assistant", "You put salt in the tea."),
        ("user", "On purpose."),
    ]


@pytest.mark.parametrize("context", [2_000, 9_999, 40_000])
def test_a_long_chat_loses_its_oldest_messages(context):
    lines: list[dict[str, Any]] = [
        {"name": "Wen" if n % 2 else "Maren", "is_user": bool(n % 2), "mes": f"{n}: " + "word " * (n % 60)}
        for n in range(500)
    ]
    header = {"user_name": "Wen", "character_name": "Maren"}
    long = read_chat_lines("\n".join(map(json.dumps, [header, *lines]))).value

    messages = laid(long, context)

    kept = [message.content for message in messages if message.id.startswith("chatHistory")]
    assert kept == [line["mes"] for line in lines[-len(kept) :]]
    cost = RESERVED + sum(len(message.content) for message in messages)
    assert cost <= context < cost + len(lines[-len(kept) - 1]["mes"])
