"""Settings for text completion as data: the context template, the instruct template and the system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lorewright.core.layout.preset import Limits

__all__ = ["ContextTemplate", "Instruct", "SequenceName", "SystemPrompt", "TextPreset"]

SequenceName = Literal[
    "input_sequence",
    "output_sequence",
    "system_sequence",
    "first_input_sequence",
    "first_output_sequence",
    "last_input_sequence",
    "last_output_sequence",
    "last_system_sequence",
    "input_suffix",
    "output_suffix",
    "system_suffix",
    "story_string_prefix",
    "story_string_suffix",
    "stop_sequence",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTemplate:
    """What surrounds the chat.

    story: a template for everything before the chat. in_chat: it stands `depth` messages before the end in `role`.
    separator: stands before each block of examples; chat_start: before the first message. separators_stop, names_stop:
    the reply ends where one of them begins. forces_name: without an instruct template the prompt ends with the
    character's name.
    """

    story: str = ""
    in_chat: bool = False
    depth: float = 1
    role: str = "system"
    separator: str = ""
    chat_start: str = ""
    separators_stop: bool = False
    names_stop: bool = True
    forces_name: bool = True
    single_line: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruct:
    """How a model wants turns to be marked.

    sequences: texts around the turns, without those that are empty. wraps: a line feed stands between a sequence and the
    text. has_macros: macros run in the sequences. names: said never, where it is not plain who speaks, or always.
    filler: a message for the user where the chat does not begin with one. sequences_stop: the reply ends where a
    sequence begins.
    """

    sequences: Mapping[SequenceName, str] = field(default_factory=dict)
    wraps: bool = True
    has_macros: bool = True
    names: Literal["none", "force", "always"] = "force"
    filler: str = ""
    skips_examples: bool = False
    system_as_user: bool = False
    sequences_stop: bool = True


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system prompt, and a text behind the chat. A card may have its own for both."""

    text: str = ""
    post_history: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPreset:
    """Everything that decides how a text completion is laid out. `instruct` None: turns are lines `Name: text`.
    `system_prompt` None: there is none, not even the card's."""

    context: ContextTemplate = ContextTemplate()
    instruct: Instruct | None = None
    system_prompt: SystemPrompt | None = None
    limits: Limits = field(default_factory=Limits)
    stops: tuple[str, ...] = ()
