"""For whom the prompt of a request is laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lorewright.cli.files import about_file, read_object
from lorewright.cli.layout_scene import read_layout_scene
from lorewright.cli.options import Request
from lorewright.core.layout.plan import Mark, Plan
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.scene import Line, Persona
from lorewright.core.model import Report
from lorewright.formats.card import Card
from lorewright.formats.chat import Chat
from lorewright.formats.preferences import with_preferences
from lorewright.formats.read import read_card

__all__ = ["read_plan"]


def read_plan(
    request: Request, preset: Preset, chat: Chat, card: Card | None, persona: Persona, reports: list[Report]
) -> Plan:
    """A preset with the scene that it is laid out for; `request.members` are further cards of a group.

    Raises:
        InputError: a file cannot be used, or the speaker is no member of the group.
    """
    cards = [card] if card else []
    for path in request.members:
        with about_file(path, "card"):
            cards.append(read_card(path).value)
    settings: Mapping[str, Any] = {} if request.settings is None else read_object(request.settings)
    scene = with_preferences(read_layout_scene(request, chat, cards, persona, reports), settings, cards)
    marks = {at: mark for at, mark in enumerate(map(_mark, scene.chat)) if mark != Mark()}
    return Plan(preset=preset, scene=replace(scene, chat=()), marks=marks)


def _mark(line: Line) -> Mark:
    return Mark(narrator=line.narrator, named=line.named, bias=line.bias)
