"""Blocks of a profile with what they show (spec mvu-filter §9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lorewright.core.javascript import trim
from lorewright.tasks.depth import depth_message
from lorewright.tasks.lore import LoreText, TaskLore, join_texts
from lorewright.tasks.messages import RenderedBlock, TaskMessage, origin_of, shows_lore
from lorewright.tasks.profile import Block, TaskProfile
from lorewright.templates.bme import fill_block, find_value, shown_in_block

__all__ = ["block_message", "lore_names", "lore_values", "render_blocks", "system_text"]


def render_blocks(profile: TaskProfile, context: Mapping[str, Any]) -> list[RenderedBlock]:
    """The blocks that show something, in their order."""
    rendered: list[RenderedBlock] = []
    for block in profile.blocks:
        content = _content(block, profile, context) if block.enabled else ""
        if trim(content):
            rendered.append(RenderedBlock(block, content, origin_of(block), shows_lore(block)))
    return rendered


def block_message(rendered: RenderedBlock) -> TaskMessage:
    """A rendered block as a message."""
    block = rendered.block
    return TaskMessage(
        role=block.role,
        content=rendered.content,
        source_key=block.source_key,
        block=block,
        origin=rendered.origin,
        eligible=rendered.origin != "template-owned",
        from_lore=rendered.from_lore,
    )


def system_text(blocks: Iterable[RenderedBlock]) -> str:
    """The blocks of the system as one text; one that is prepended stands before all that came until then."""
    text = ""
    for rendered in blocks:
        if rendered.block.role != "system":
            continue
        parts = (rendered.content, text) if rendered.block.mode == "prepend" else (text, rendered.content)
        text = "\n\n".join(filter(None, parts))
    return text


def lore_values(lore: TaskLore, report: Mapping[str, Any] | None) -> dict[str, Any]:
    """What blocks find of world books; `report` as JSON, None where no book was read."""
    return {
        "worldInfoBefore": join_texts(lore.before),
        "worldInfoAfter": join_texts(lore.after),
        "worldInfoBeforeEntries": list(map(_entry, lore.before)),
        "worldInfoAfterEntries": list(map(_entry, lore.after)),
        "worldInfoAtDepthEntries": list(map(_entry, lore.at_depth)),
        "activatedWorldInfoNames": lore_names(lore),
        "taskAdditionalMessages": list(map(depth_message, lore.at_depth)),
        "worldInfoDebug": report,
    }


def lore_names(lore: TaskLore) -> list[str]:
    """The titles of the texts that are in the prompt, each once."""
    return list(dict.fromkeys(filter(None, (text.entry.title for text in lore.texts))))


def _content(block: Block, profile: TaskProfile, context: Mapping[str, Any]) -> str:
    if block.type == "legacyPrompt":
        return profile.legacy_prompt or block.content
    if block.type not in {"builtin", "custom"}:
        return ""
    if block.content or block.type == "custom":
        return fill_block(block.content, context).text
    return shown_in_block(find_value(context, block.source_key))


def _entry(text: LoreText) -> dict[str, Any]:
    active, entry = text.active, text.entry
    return {
        "uid": 0,
        "name": entry.title,
        "sourceName": entry.name,
        "worldbook": entry.book,
        "content": text.content,
        "role": text.role,
        "position": entry.position,
        "depth": entry.depth,
        "order": entry.order,
        "index": text.index,
        "activationDebug": {
            "mode": active.by,
            "matchedPrimaryKey": active.primary,
            "matchedSecondaryKeys": list(active.secondary),
        },
    }
