"""The messages that a client could send: the chat with the active texts woven in.

This is a plain layout: texts that stand before or after the character in two system messages at the top, at-depth
texts between the messages. Example dialogues and outlets have no place in it; a report says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lorewright.core.model import Message, Report, Turn
from lorewright.core.place import DEFAULT_DEPTH, Placed, Text, join

__all__ = ["Layout", "WovenMessage", "build_messages"]

"""By the number that entries use."""
_READING_ORDER: Final = ("assistant", "user", "system")
"""At one depth the system's text stands nearest to the end (spec world-info §8)."""


class WovenMessage(NamedTuple):
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The messages, and what did not find a place in them."""

    messages: tuple[WovenMessage, ...]
    reports: tuple[Report, ...]


@dataclass(slots=True)
class _Depth:
    """What stands at one depth: texts by role, and the texts around the author's note."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    note: str = ""

    def messages(self) -> Iterator[WovenMessage]:
        for role in _READING_ORDER:
            if role == "system" and self.note:
                yield WovenMessage("system", self.note)
            if role in self.texts:
                yield WovenMessage(role, "\n".join(self.texts[role]))


def build_messages(turn: Turn, placed: Placed, *, note_without_note: bool) -> Layout:
    """Weave the placed texts into the chat. Of the hidden messages only a system prompt at the very top is kept.

    `note_without_note`: texts around the author's note are placed although there is no author's note here.
    """
    prompts, chat, dropped = _split_chat(turn)
    depths: dict[int, _Depth] = {}
    for group in placed.at_depth:
        texts = depths.setdefault(_depth(group.depth, len(chat)), _Depth()).texts
        texts.setdefault(group.role_name, []).append(join(group.texts))
    around_note = (*placed.note_top, *placed.note_bottom)
    if around_note and note_without_note:
        depths.setdefault(_depth(DEFAULT_DEPTH, len(chat)), _Depth()).note = join(around_note)
    return Layout(
        (
            *_system(placed.before),
            *prompts,
            *_system(placed.after),
            *_weave(chat, depths),
        ),
        tuple(_reports(placed, around_note, dropped, note_without_note)),
    )


def _split_chat(turn: Turn) -> tuple[list[WovenMessage], list[WovenMessage], int]:
    """The system prompts at the top, the visible messages, and how many hidden ones are left out."""
    listed = list(turn.messages)
    prompts: list[WovenMessage] = []
    while listed and listed[0].hidden and listed[0].role == "system":
        prompts += _spoken([listed.pop(0)])
    visible = [message for message in listed if not message.hidden]
    dropped = len(listed) - len(visible)
    if turn.trigger == "swipe" and visible:
        visible.pop()  # the reply that another one shall replace
    return prompts, _spoken(visible), dropped


def _spoken(messages: Iterable[Message]) -> list[WovenMessage]:
    return [WovenMessage(message.role, message.text) for message in messages]


def _system(texts: tuple[Text, ...]) -> Iterator[WovenMessage]:
    if texts:
        yield WovenMessage("system", join(texts))


def _depth(depth: float | str | None, chat: int) -> int:
    """How many messages stand behind; at most all of them."""
    try:
        number = float(DEFAULT_DEPTH if depth is None else depth)
    except ValueError:
        number = DEFAULT_DEPTH
    return 0 if math.isnan(number) else int(min(max(number, 0), chat))


def _weave(chat: list[WovenMessage], depths: dict[int, _Depth]) -> Iterator[WovenMessage]:
    for place in range(len(chat) + 1):
        if at_depth := depths.get(len(chat) - place):
            yield from at_depth.messages()
        if place < len(chat):
            yield chat[place]


def _reports(placed: Placed, around_note: tuple[Text, ...], dropped: int, note_without_note: bool) -> Iterator[Report]:
    if around_note and not note_without_note:
        yield _left_out(
            "authors_note_off",
            around_note,
            "There is no author's note here, so the texts around it are lost, as in SillyTavern without a note.",
        )
    if placed.examples:
        yield _left_out(
            "examples_not_in_messages",
            [example.text for example in placed.examples],
            "Texts for the example dialogues are listed under positions only.",
        )
    if placed.outlets:
        yield _left_out(
            "outlets_not_in_messages",
            [text for texts in placed.outlets.values() for text in texts],
            "Texts of outlets are listed under positions only; a prompt takes them by {{outlet::name}}.",
        )
    if dropped:
        yield Report(
            code="hidden_messages_left_out",
            level="info",
            message=f"{dropped} hidden messages of the chat are not among the messages.",
        )


def _left_out(code: str, texts: Iterable[Text], message: str) -> Report:
    entries = ", ".join(text.entry for text in texts)
    return Report(code=code, message=f"{message} Entries: {entries}.")
