"""Texts of books between the messages of a chat, counted from its end (spec mvu-filter §9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorewright.tasks.lore import LoreText
from lorewright.templates.transcript import Said, read_said

__all__ = ["depth_message", "put_into_chat"]


def depth_message(text: LoreText) -> dict[str, Any]:
    """A text at a depth as a message of the context."""
    entry = text.entry
    return {
        "role": text.role,
        "content": text.content,
        "depth": entry.depth,
        "order": entry.order,
        "uid": 0,
        "index": text.index,
        "name": entry.title,
        "sourceName": entry.name,
        "worldbook": entry.book,
        "source": "worldInfo-atDepth",
        "sourceKey": "taskAdditionalMessages",
    }


def put_into_chat(messages: Sequence[Any], texts: Iterable[LoreText]) -> list[dict[str, Any]]:
    """The messages with the texts between them; a depth of 0 stands behind the last one, one that is too deep first.

    Texts at one depth stand in reverse order. Whatever is no message of the user is the assistant's.
    """
    chat = [_as_message(message, said) for message in messages if (said := read_said(message))]
    by_depth: dict[float, list[LoreText]] = {}
    for text in texts:
        by_depth.setdefault(max(text.entry.depth, 0), []).append(text)
    backwards = chat[::-1]
    inserted = 0
    for depth in sorted(by_depth):
        place = int(min(depth, len(chat))) + inserted
        here = [
            _as_message(message, said)
            for text in by_depth[depth]
            if (said := read_said(message := depth_message(text)))
        ]
        backwards[place:place] = here
        inserted += len(here)
    return backwards[::-1]


def _as_message(message: Mapping[str, Any], said: Said) -> dict[str, Any]:
    return {**message, "role": said.role, "content": said.text, "seq": said.seq}
