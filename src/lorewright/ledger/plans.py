"""What a turn was laid out by, in parts that are each stored once: most turns share the preset, the cards and the persona."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

from lorewright.core.layout.plan import Plan
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.scene import Card, Persona
from lorewright.storage.image import Ref

__all__ = ["Kind", "Thing", "pack_plan", "things_in", "unpack_plan"]

Kind = Literal["preset", "card", "persona"]
Thing = Preset | Card | Persona


def things_in(plan: Plan) -> Iterator[tuple[Kind, str, Thing]]:
    """The preset, the cards and the persona, each with its kind and its name; presets and personas have none here."""
    scene = plan.scene
    yield "preset", "", plan.preset
    members = scene.group.members if scene.group else ()
    yield from (("card", card.name, card) for card in (scene.card, *members))
    if scene.persona != Persona():
        yield "persona", "", scene.persona


def pack_plan(plan: Plan, put: Callable[[Thing], Ref]) -> tuple[object, ...]:
    """The plan without these things, and references to them."""
    scene, group = plan.scene, plan.scene.group
    bare = replace(
        plan,
        preset=Preset(),
        scene=replace(scene, card=Card(), persona=Persona(), group=group and replace(group, members=())),
    )
    members = () if group is None else tuple(map(put, group.members))
    return bare, put(plan.preset), put(scene.card), put(scene.persona), members


def unpack_plan(packed: Any, get: Callable[[Ref], Any]) -> Plan:
    """The plan again.

    Raises:
        LedgerError: a part of it was erased.
    """
    bare, preset, card, persona, members = packed
    scene = replace(bare.scene, card=get(card), persona=get(persona))
    if scene.group is not None:
        scene = replace(scene, group=replace(scene.group, members=tuple(map(get, members))))
    plan: Plan = replace(bare, preset=get(preset), scene=scene)
    return plan
