"""A preset for chat completion as data: prompts, their orders, texts and limits (spec prompt-assembly §1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lorewright.core.model import ABSENT, Field

__all__ = ["Limits", "Names", "OrderEntry", "OrderList", "Preset", "Prompt", "Wording"]

Names = Literal["none", "default", "completion", "content"]
"""Who spoke: nobody says; in the text where it is not plain (groups, other users); as the message's `name`; in the text
always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt. A field of the file with a wrong type is `Odd`, and one that is missing ABSENT.

    role: None where the file says nothing. of_user: the file's `system_prompt` is exactly false. in_chat: it stands
    `depth` messages before the end, and not at its place in the order. triggers: the types of reply that it is for,
    empty for all. fixed: a card may not replace it.
    """

    id: str
    name: str = ""
    content: str = ""
    role: str | None = None
    of_user: bool = False
    in_chat: bool = False
    depth: Field[float] = ABSENT
    order: Field[float] = ABSENT
    triggers: tuple[str, ...] = ()
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class OrderEntry:
    """A prompt's place in an order, and whether it is on."""

    id: str
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class OrderList:
    """An order of prompts. `owner` is the id of the character that it is for; 100001 is everybody's."""

    owner: str
    entries: tuple[OrderEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Texts among a preset's settings, with SillyTavern's shipped ones as defaults.

    In `lore_format` each `{0}` is the lore. An empty text means: nothing of the kind; an empty `scenario_format` or
    `personality_format`: the field as it is.
    """

    lore_format: str = "{0}"
    scenario_format: str = "{{scenario}}"
    personality_format: str = "{{personality}}"
    new_chat: str = "[Start a new Chat]"
    new_group_chat: str = "[Start a new group chat. Group members: {{group}}]"
    new_example: str = "[Example Chat]"
    group_nudge: str = "[Write the next reply only as {{char}}.]"
    impersonation: str = (
        "[Write your next reply from the point of view of {{user}}, using the chat history so far as a guideline for the "
        "writing style of {{user}}. Don't write as {{char}} or system. Don't describe actions of {{char}}.]"
    )
    continue_nudge: str = "[Continue your last message without repeating its original content.]"
    continue_postfix: str = " "
    assistant_prefill: str = ""
    send_if_empty: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """The model's context and how much of it is kept free for the reply, in tokens."""

    context_tokens: int = 4095
    response_tokens: int = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Prompts in the order of the file, order lists, and settings.

    squash: neighbouring system messages become one. continue_prefill: a message to be continued goes last, without a
    nudge. source: the provider's name in SillyTavern; `claude` takes the beginning of a reply.
    """

    prompts: tuple[Prompt, ...] = ()
    orders: tuple[OrderList, ...] = ()
    wording: Wording = field(default_factory=Wording)
    limits: Limits = field(default_factory=Limits)
    names: Names = "default"
    squash: bool = False
    continue_prefill: bool = False
    source: str = "openai"
