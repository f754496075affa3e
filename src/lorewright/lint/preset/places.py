"""Where the blocks of a preset stand in frozen placement, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from lorewright.core import javascript
from lorewright.core.layout.depths import nearest_depth
from lorewright.core.layout.preset import Prompt
from lorewright.core.layout.spread import TOP_DEPTH
from lorewright.core.layout.stock import MARKERS
from lorewright.core.model import ABSENT, Odd
from lorewright.lint.preset.block import Block, Cost, Where
from lorewright.lint.preset.flow import Flow
from lorewright.lint.preset.subject import PresetSubject

__all__ = ["CHAT", "FORMATS", "LORE", "place_blocks", "price"]

CHAT: Final = "chatHistory"
LORE: Final = ("worldInfoBefore", "worldInfoAfter")
"""Places for texts that frozen placement keeps where they were placed first."""
_NEW_CHAT: Final = "new_chat_prompt"
_USUAL_ORDER: Final = 100
FORMATS: Final = {
    "worldInfoBefore": "wi_format",
    "worldInfoAfter": "wi_format",
    "scenario": "scenario_format",
    "charPersonality": "personality_format",
    "dialogueExamples": "new_example_chat_prompt",
}
"""Texts of the settings that stand with what a marker is for."""


def place_blocks(subject: PresetSubject, flow: Flow) -> tuple[Block, ...]:
    """The blocks of a preset in the order in which frozen placement sends them; those that are not sent come last.

    A later prompt with a known id, and an order's second entry for a prompt, are no blocks: they are not sent.
    """
    blocks = list(_blocks(subject, flow))
    chat_place = next((block.place for block in blocks if block.id == CHAT and block.where == "chat"), None)
    placed = [_placed(block, chat_place) for block in blocks]
    if chat_place is not None and subject.preset.wording.new_chat:
        placed.append(_new_chat(subject, flow))
    return price(sorted(placed, key=_in_frozen_order))


def price(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks with what each costs."""
    sent = sorted((block for block in blocks if block.where != "off"), key=_in_sillytavern_order)
    from_here: dict[tuple[str, str], int] = {}
    tokens = 0
    for block in reversed(sent):
        tokens += block.tokens
        from_here[block.kind, block.id] = tokens
    return tuple(_priced(block, from_here.get((block.kind, block.id), 0)) for block in blocks)


def _blocks(subject: PresetSubject, flow: Flow) -> Iterator[Block]:
    """The blocks in the order of the preset, then the prompts and markers that the order does not name."""
    seen: set[str] = set()
    for place, entry in enumerate(subject.lineup.order):
        if entry.id not in seen:
            yield _block(subject, flow, subject.lineup.prompts[entry.id], place, enabled=entry.enabled)
        seen.add(entry.id)
    for prompt in subject.preset.prompts:
        if prompt.id not in seen:
            yield _block(subject, flow, prompt, None, enabled=False)
        seen.add(prompt.id)
    for marker in MARKERS:
        if marker not in seen:
            yield _block(subject, flow, subject.lineup.prompts[marker], None, enabled=False)


def _block(subject: PresetSubject, flow: Flow, prompt: Prompt, place: int | None, *, enabled: bool) -> Block:
    is_marker = prompt.id in MARKERS
    where: Where = "off" if not enabled else "chat" if prompt.id == CHAT else "front"
    causes = flow.causes("setting", FORMATS.get(prompt.id, "")) if is_marker else flow.causes("prompt", prompt.id)
    return Block(
        id=prompt.id,
        kind="marker" if is_marker else "prompt",
        name=prompt.name,
        role=prompt.role or "system",
        place=place,
        depth=nearest_depth(prompt.depth) if prompt.in_chat and prompt.id != CHAT else None,
        order=_order(prompt),
        tokens=0 if is_marker else subject.counter.count(prompt.content),
        triggers=prompt.triggers,
        causes=causes if enabled else (),
        where=where,
    )


def _placed(block: Block, chat_place: int | None) -> Block:
    if block.where != "front":
        return block
    if block.depth is not None:
        where: Where = "off" if chat_place is None else "front" if block.depth >= TOP_DEPTH else "tail"
        return replace(block, where=where)
    is_behind = chat_place is not None and block.place is not None and block.place > chat_place
    return replace(block, where="tail" if is_behind else "front")


def _new_chat(subject: PresetSubject, flow: Flow) -> Block:
    """The line that opens the chat."""
    return Block(
        id=_NEW_CHAT,
        kind="setting",
        name="New chat",
        tokens=subject.counter.count(subject.preset.wording.new_chat),
        causes=flow.causes("setting", _NEW_CHAT),
        where="front",
    )


def _order(prompt: Prompt) -> float:
    given = prompt.order
    if given is ABSENT or given is None:
        return _USUAL_ORDER
    return javascript.number(given.value if isinstance(given, Odd) else given)


def _in_frozen_order(block: Block) -> tuple[float, ...]:
    """Front, what opens the chat, deep texts, the chat, texts at a depth, what is behind the chat, what is not sent."""
    part = {"front": 0, "chat": 3, "tail": 5, "off": 6}[block.where]
    place = float("inf") if block.place is None else block.place
    if block.where in ("front", "tail") and block.depth is not None:
        return (2 if block.where == "front" else 4, -block.depth, _sortable(block.order), place)
    return (1 if block.kind == "setting" else part, 0, 0, place)


def _in_sillytavern_order(block: Block) -> tuple[float, ...]:
    """Front, what opens the chat, the chat, texts at a depth, what is behind the chat."""
    if block.depth is not None:
        return (3, -block.depth, _sortable(block.order), block.place or 0)
    opens_chat = block.kind == "setting" and block.place is None
    part = 1 if opens_chat else {"front": 0, "chat": 2, "tail": 4, "off": 5}[block.where]
    return (part, 0, 0, block.place or 0)


def _sortable(order: float) -> float:
    return order if order == order else 0  # noqa: PLR0124 -- what is no number


def _priced(block: Block, from_here: int) -> Block:
    cost = _cost(block)
    native = 0 if cost in ("none", "kept") else block.tokens
    if block.where in ("off", "chat"):
        return replace(block, cost=cost)
    if block.depth is not None:
        return replace(
            block,
            cost=cost,
            native_tokens=native,
            sillytavern_tokens=from_here if block.depth else block.tokens,
            sillytavern_messages=block.depth,
        )
    if block.where == "tail":
        return replace(block, cost=cost, native_tokens=native, sillytavern_tokens=block.tokens)
    if cost == "kept" and block.id not in LORE:
        return replace(block, cost=cost)
    return replace(block, cost=cost, native_tokens=native, sillytavern_tokens=from_here, sillytavern_messages=None)


def _cost(block: Block) -> Cost:
    if block.where == "off":
        return "none"
    if block.where == "tail":
        return "kept" if block.id in LORE else "anew"
    if any(cause.by_itself for cause in block.causes):
        return "changes"
    if block.triggers:
        return "comes and goes"
    return "may change" if block.causes else "kept"
