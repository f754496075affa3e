"""Everything a macro can read, as data: who speaks, the card, the chat, variables, the clock, settings.

One frozen value for all of SillyTavern's dialects. Rendering changes none of it: what a text writes comes back in
`Rendered` (rendered.py). The names are ours; the keys of recorded cases are translated in `conformance/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lorewright.templates.clock import Clock

__all__ = [
    "Call",
    "Card",
    "ChatMessage",
    "Clock",
    "Context",
    "Dynamic",
    "Expressions",
    "Group",
    "Instruct",
    "Json",
    "Member",
    "Notes",
    "Settings",
]

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict."""

Dynamic: TypeAlias = Mapping[str, Any]
"""Macros of one call: a text, number or boolean, or a function of the arguments. Anything else is no macro."""


@dataclass(frozen=True, slots=True)
class Card:
    """A character card's texts, not yet rendered. `avatar` is the image's file name, which keys notes and images."""

    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_message: str = ""
    alternate_greetings: tuple[str, ...] = ()
    examples: str = ""
    system_prompt: str = ""
    post_history: str = ""
    depth_prompt: str = ""
    creator_notes: str = ""
    version: str = ""
    avatar: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """One character of a group chat. Without a `card`, the member named as the context's `char` uses its card."""

    name: str
    muted: bool = False
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group chat; `cards` says whose card texts a prompt gets: `swap` the speaker's, `join` those of all members
    that are not muted, `join_muted` those of all, each between `prefix` and `suffix`."""

    members: tuple[Member, ...] = ()
    cards: Literal["swap", "join", "join_muted"] = "swap"
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of the chat, as far as macros see it.

    `hidden` messages are not sent to the model. `sent` is a date text or milliseconds. `swipes` is the number of
    swipes, None when the message has none; `swipe` the one shown, from 0 (equal to `swipes` while a new one is being
    written). `summary` is a summary stored with it.
    """

    name: str
    text: str
    is_user: bool = False
    hidden: bool = False
    sent: Json = None
    swipes: int | None = None
    swipe: int | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Instruct:
    """An instruct template: `sequences` by SillyTavern's names (`input_sequence`, `stop_sequence`, ...)."""

    enabled: bool = False
    macro: bool = True
    wrap: bool = True
    skip_examples: bool = False
    names: Literal["none", "force", "always"] = "force"
    sequences: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notes:
    """Author's notes: of this chat, of this character, and the default."""

    chat: str = ""
    character: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class Expressions:
    """Character sprites: known expressions, the fallback, and the last one by character or avatar name."""

    known: tuple[str, ...] = ()
    custom: tuple[str, ...] = ()
    fallback: str = ""
    last: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings and facts of the program that state macros show. `api` is `openai` for chat completion."""

    api: str = "openai"
    model: str = ""
    max_context: int = 8192
    max_response: int = 500
    input: str = ""
    mobile: bool = False
    generation_type: str = ""
    first_displayed: int | None = None
    extensions: tuple[str, ...] = ()
    disabled_extensions: tuple[str, ...] = ()
    instruct: Instruct = field(default_factory=Instruct)
    system_prompt: str | None = None
    prefer_card_prompt: bool = True
    prefer_card_instruction: bool = True
    collapse_newlines: bool = False
    example_separator: str = ""
    chat_start: str = ""
    reasoning: tuple[str, str, str] = ("", "", "")
    notes: Notes = field(default_factory=Notes)
    summary: str = ""
    expressions: Expressions = field(default_factory=Expressions)
    image_prefix: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Call:
    """Options of one call: other names, the text that `{{original}}` stands for, macros of its own.

    `card=False` leaves every card macro empty. `post_process` changes each macro's result.
    """

    user: str | None = None
    char: str | None = None
    group: str | None = None
    original: str | None = None
    card: bool = True
    dynamic: Dynamic = field(default_factory=dict)
    post_process: Callable[[str], str] | None = None


def _no_random() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Context:
    """What one rendering can read.

    `metadata` are facts kept with the chat (`chat_id_hash`, `main_chat`, `pick_reroll_seed`,
    `lastInContextMessageId`, and the overrides `scenario`, `system_prompt`, `mes_example`). `outlets` None: whoever
    places the text fills them in, so that `{{outlet::NAME}}` stays. `random` gives the next number in [0, 1).
    """

    user: str = ""
    char: str = ""
    card: Card | None = None
    persona: str = ""
    group: Group | None = None
    chat: tuple[ChatMessage, ...] = ()
    chat_id: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    outlets: Mapping[str, str] | None = field(default_factory=dict)
    local_variables: Mapping[str, Json] = field(default_factory=dict)
    global_variables: Mapping[str, Json] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    random: Callable[[], float] = _no_random
    settings: Settings = field(default_factory=Settings)
    call: Call = field(default_factory=Call)

    @property
    def user_name(self) -> str:
        """The user's name in this call."""
        return self.user if self.call.user is None else self.call.user

    @property
    def char_name(self) -> str:
        """The character's name in this call."""
        return self.char if self.call.char is None else self.call.char
