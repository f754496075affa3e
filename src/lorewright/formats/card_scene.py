"""A character card -> the texts that a prompt is laid out from."""

from __future__ import annotations

from typing import Any

from lorewright.core.layout import scene
from lorewright.core.model import EMPTY
from lorewright.formats.card import Card, find_data
from lorewright.formats.card_yaml import as_card, is_foreign_card
from lorewright.formats.imported import Notes
from lorewright.formats.odd_values import Values

__all__ = ["scene_card"]


def scene_card(card: Card, notes: Notes) -> scene.Card:
    """The card's texts as written, with its note for the chat (`extensions.depth_prompt`)."""
    data: Any = as_card(card.data) if is_foreign_card(card.data) else card.data
    for name in find_data(data):
        data = data[name]
    values = Values(data, f"card `{card.name}`", notes)
    return scene.Card(
        name=card.name,
        description=card.character.description,
        personality=card.character.personality,
        scenario=card.character.scenario,
        examples=values.text("mes_example"),
        system_prompt=values.text("system_prompt"),
        post_history=values.text("post_history_instructions"),
        note=_note(card, data, notes),
    )


def _note(card: Card, data: Any, notes: Notes) -> scene.CharacterNote:
    extensions = data.get("extensions")
    found = extensions.get("depth_prompt") if isinstance(extensions, dict) else None
    values = Values(found if isinstance(found, dict) else EMPTY, f"card `{card.name}`.extensions.depth_prompt", notes)
    usual = scene.CharacterNote()
    return scene.CharacterNote(
        card.character.depth_prompt, values.number("depth", usual.depth), values.text("role") or usual.role
    )
