"""The preset of a request, and for whom its messages are laid out."""

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
from lorewright.formats.preferences import read_own_note, read_preferences
from lorewright.formats.read import read_card, read_preset

__all__ = ["read_plan", "read_preset_of"]


def read_preset_of(request: Request, reports: list[Report]) -> Preset | None:
    """The preset with the context size that was asked for; None: there is none.

    Raises:
        InputError: the file cannot be used.
    """
    if request.preset is None:
        return None
    with about_file(request.preset):
        read = read_preset(request.preset)
    reports += (replace(report, message=f"Preset: {report.message}") for report in read.reports)
    preset = read.value
    if request.context_tokens is not None:
        preset = replace(preset, limits=replace(preset.limits, context_tokens=request.context_tokens))
    return preset


def read_plan(
    request: Request, preset: Preset, chat: Chat, card: Card | None, persona: Persona, reports: list[Report]
) -> Plan:
    """The preset, and the scene that it is laid out for; `request.members` are further cards of a group.

    Raises:
        InputError: a file cannot be used, or the speaker is no member of the group.
    """
    cards = [card] if card else []
    for path in request.members:
        with about_file(path, "card"):
            cards.append(read_card(path).value)
    settings: Mapping[str, Any] = {} if request.settings is None else read_object(request.settings)
    scene = read_layout_scene(request, chat, cards, persona, reports, read_preferences(settings))
    own = read_own_note(settings, scene.card.name)
    if own is not None:
        scene = replace(scene, note=replace(scene.note, own=own))
    marks = {at: mark for at, mark in enumerate(map(_mark, scene.chat)) if mark != Mark()}
    return Plan(preset=preset, scene=replace(scene, chat=()), marks=marks)


def _mark(line: Line) -> Mark:
    return Mark(narrator=line.narrator, named=line.named, bias=line.bias)
