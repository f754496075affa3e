"""Who is there and what was said, for the layout of a prompt: from a chat, its cards, a persona and a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lorewright.cli.options import Request
from lorewright.core.layout import scene
from lorewright.core.layout.scene import Group, Persona, Preferences, Scene
from lorewright.core.model import Report
from lorewright.errors import InputError
from lorewright.formats.card import Card
from lorewright.formats.card_scene import scene_card
from lorewright.formats.chat import Chat
from lorewright.formats.chat_scene import chat_lines, chat_note, chat_texts, group_names
from lorewright.formats.imported import Notes

__all__ = ["read_layout_scene"]


def read_layout_scene(
    request: Request,
    chat: Chat,
    cards: Sequence[Card],
    persona: Persona,
    reports: list[Report],
    preferences: Preferences | None = None,
) -> Scene:
    """The scene of a request. What is odd about its files is added to `reports`, if it is not there yet.

    Several cards, or a chat of a group, make a group; a character that speaks in the chat and has no card takes part
    with its name only. The one that replies is `request.speaker`, or else the first.

    Raises:
        InputError: the speaker is no member of the group.
    """
    of_chat, of_cards = Notes(), Notes()
    members = _members(chat, cards, of_cards)
    speaker = _speaker(request.speaker, members)
    found = Scene(
        trigger=request.trigger,
        user=chat.user or "User",
        card=speaker,
        group=Group(members=members) if len(members) > 1 or group_names(chat) else None,
        persona=persona,
        chat=chat_lines(chat),
        note=chat_note(chat, of_chat),
        chat_texts=chat_texts(chat, of_chat),
        preferences=preferences or Preferences(),
    )
    told = [replace(report, message=f"Chat: {report.message}") for report in of_chat.reports()]
    reports += (report for report in (*told, *of_cards.reports()) if report not in reports)
    return found


def _members(chat: Chat, cards: Sequence[Card], notes: Notes) -> tuple[scene.Card, ...]:
    members = [scene_card(card, notes) for card in cards]
    known = {card.name for card in members}
    for name in group_names(chat):
        if name not in known:
            message = f"`{name}` speaks in the group chat, and no card of this name is given; only the name takes part."
            notes.add("member_without_card", message, "info", entry=name)
            members.append(scene.Card(name=name))
    return tuple(members) or (scene.Card(name=chat.character or "Assistant"),)


def _speaker(name: str | None, members: Sequence[scene.Card]) -> scene.Card:
    """The one that replies. In a chat with one character that is the character, whoever speaks to it."""
    if name is None or len(members) == 1:
        return members[0]
    for card in members:
        if card.name == name:
            return card
    known = ", ".join(f"`{card.name}`" for card in members)
    raise InputError(f"--speaker {name}: the group has no such member. Name one of {known}.", speaker=name)
