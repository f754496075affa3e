"""Anthropic Messages. Source: the types of the `anthropic` SDK, and the rules of its documentation on tool use and
extended thinking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.core.model import Role
from lorewright.providers.fields import content_parts, objects, text_or_empty, tools_of
from lorewright.providers.identity import canonical_arguments, media_of_address, media_of_base64, media_of_id
from lorewright.providers.request import (
    MediaKind,
    Part,
    Place,
    Reasoning,
    Request,
    RequestMessage,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)

__all__ = ["decode"]

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA: Final[Mapping[str, MediaKind]] = {"image": "image", "document": "document"}


def decode(body: Mapping[str, Any]) -> Request:
    """Read a request. `system` is the first message; a user message with tool results is one message for each of them
    and one for what stands between or behind.

    Raises:
        RequestError: `messages` is no list of objects, or a content is neither text nor a list of blocks.
    """
    messages: list[RequestMessage] = []
    system = body.get("system")
    if system is not None:
        parts = tuple(_block(block) for block in content_parts(system, "system"))
        messages.append(RequestMessage("system", parts, Place(None, 0, _count(system))))
    for number, raw in enumerate(objects(body, "messages")):
        messages += _messages(raw, number)
    return Request(
        "messages",
        text_or_empty(body.get("model")),
        tuple(messages),
        body,
        is_stream=body.get("stream") is True,
        tools=tools_of(body),
    )


def _messages(raw: Mapping[str, Any], number: int) -> Iterator[RequestMessage]:
    role = _ROLES.get(text_or_empty(raw.get("role")), "system")
    param = f"messages[{number}].content"
    blocks = list(content_parts(raw.get("content"), param))
    start = 0
    for index, block in enumerate(blocks):
        if not isinstance(block, str) and block.get("type") == "tool_result":
            if start < index:
                yield _run(role, blocks, number, start, index)
            yield RequestMessage("tool", tuple(_result(block, f"{param}[{index}]")), Place(number, index, index + 1))
            start = index + 1
    if start < len(blocks) or not blocks:
        end = len(blocks) if isinstance(raw.get("content"), list) else 0
        yield _run(role, blocks, number, start, end)


def _run(role: Role, blocks: list[Mapping[str, Any] | str], number: int, start: int, end: int) -> RequestMessage:
    mine = blocks[start:end] if end else blocks
    return RequestMessage(role, tuple(_block(block) for block in mine), Place(number, start, end))


def _result(block: Mapping[str, Any], param: str) -> Iterator[Part]:
    yield ToolResult(text_or_empty(block.get("tool_use_id")))
    for part in content_parts(block.get("content"), f"{param}.content"):
        yield _block(part)


def _block(block: Mapping[str, Any] | str) -> Part:
    if isinstance(block, str):
        return Text(block)
    match block:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "tool_use", "id": str(identifier), "name": str(name)}:
            return ToolCall(identifier, name, canonical_arguments(block.get("input")))
        case {"type": "thinking" | "redacted_thinking"}:
            return Reasoning()
        case {"type": ("image" | "document") as kind, "source": dict(source)}:
            return _media(_MEDIA[kind], source) or Unknown(block)
    return Unknown(block)


def _media(kind: MediaKind, source: Mapping[str, Any]) -> Part | None:
    match source:
        case {"type": "base64", "data": str(data)}:
            return media_of_base64(kind, data)
        case {"type": "url", "url": str(url)}:
            return media_of_address(kind, url)
        case {"type": "file", "file_id": str(identifier)}:
            return media_of_id(kind, identifier)
        case {"type": "text", "data": str(data)}:
            return Text(data)
    return None


def _count(content: object) -> int:
    return len(content) if isinstance(content, list) else 0
