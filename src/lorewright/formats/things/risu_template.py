"""The prompt template of a RisuAI preset as the parts that it puts one behind the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from lorewright.formats.things.scripts import text_of

__all__ = ["TemplatePart", "read_risu_template"]

_CHAT: Final = "chat"
_TEXTS: Final = ("text", "content", "innerFormat")


class TemplatePart(NamedTuple):
    """A part of a template. kind: a text; a place for texts of card, persona or lore, with the format around them as its
    text; or (a part of) the chat."""

    id: str
    name: str
    role: str
    text: str
    kind: Literal["text", "place", "chat"]


def read_risu_template(value: Mapping[str, Any]) -> tuple[TemplatePart, ...]:
    """The parts of a parsed preset in their order. What is no object is passed over, as the program does."""
    listed = value.get("promptTemplate")
    return tuple(
        _part(str(at), raw)
        for at, raw in enumerate(listed if isinstance(listed, list) else ())
        if isinstance(raw, dict)
    )


def _part(at: str, raw: Mapping[str, Any]) -> TemplatePart:
    sort = text_of(raw.get("type"))
    text = next((text_of(raw[name]) for name in _TEXTS if name in raw), "")
    is_text = "text" in raw or "content" in raw
    return TemplatePart(
        at,
        text_of(raw.get("name")) or sort or text_of(raw.get("role")),
        text_of(raw.get("role")) or "system",
        text,
        "chat" if sort == _CHAT else "text" if is_text else "place",
    )
