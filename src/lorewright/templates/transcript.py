"""Messages of a chat written out in a text: `#7 [user|Mina]: text` (spec mvu-filter §9)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lorewright.core.javascript import number, number_text, trim, truthy, value_as_text
from lorewright.templates.context import Json

__all__ = [
    "CONTEXT_HEADER",
    "RECALL_HEADER",
    "TARGET_HEADER",
    "Said",
    "read_said",
    "read_said_list",
    "write_transcript",
]

CONTEXT_HEADER: Final = "--- 以下是上下文回顾（已提取过），仅供理解剧情 ---"
TARGET_HEADER: Final = "--- 以下是本次需要提取记忆的新对话内容 ---"
"""What stands before messages that were read before, and before those that the task is about, where there are both."""
RECALL_HEADER: Final = "--- 以下是本次需要召回记忆的新对话内容 ---"
"""What a host may write before the latter where they are for recalling memories."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as a transcript shows it. key: under which name the message had its text. context_only: it was read
    before; None: nobody says."""

    key: Literal["content", "mes"]
    text: str
    role: Literal["user", "assistant"]
    seq: float | None = None
    speaker: str = ""
    context_only: bool | None = None


def read_said(value: Json) -> Said | None:
    """A value that looks like a message: an object with a text under `content` or, as in SillyTavern's chats, `mes`."""
    if not isinstance(value, Mapping):
        return None
    speaker = next((value[name] for name in ("speaker", "name", "displayName") if truthy(value.get(name))), "")
    context_only = value.get("isContextOnly")
    rest = (
        _seq(value.get("seq")),
        "" if value.get("hideSpeakerLabel") is True else trim(value_as_text(speaker)),
        context_only if isinstance(context_only, bool) else None,
    )
    if isinstance(value.get("content"), str):
        role = trim(value_as_text(value.get("role") or "")).lower()
        return Said("content", value["content"], "user" if role == "user" else "assistant", *rest)
    if isinstance(value.get("mes"), str):
        return Said("mes", value["mes"], "user" if value.get("is_user") is True else "assistant", *rest)
    return None


def read_said_list(value: Json) -> list[Said] | None:
    """A list of nothing but messages; None for everything else, an empty list too."""
    if not isinstance(value, (list, tuple)) or not value:
        return None
    found = [said for item in value if (said := read_said(item))]
    return found if len(found) == len(value) else None


def write_transcript(messages: Iterable[Said]) -> str:
    """The messages, a blank line between them; a message without a number has that of its place. Where old and new ones
    are told apart, each run of one kind has its heading."""
    listed = list(messages)
    kinds = {said.context_only for said in listed}
    told_apart = {True, False} <= kinds
    pieces: list[str] = []
    current: bool | None = None
    for place, said in enumerate(listed, start=1):
        if told_apart and said.context_only is not None and said.context_only is not current:
            current = said.context_only
            pieces.append(CONTEXT_HEADER if current else TARGET_HEADER)
        label = f"{said.role}|{said.speaker}" if said.speaker else said.role
        pieces.append(f"#{number_text(place if said.seq is None else said.seq)} [{label}]: {said.text}")
    return "\n\n".join(pieces)


def _seq(value: Json) -> float | None:
    if value is None or value == "":
        return None
    found = number(value)
    return found if math.isfinite(found) else None
