"""OpenAI Responses. Source: the types of the `openai` SDK (`types/responses`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.core.model import Role
from lorewright.errors import RequestError
from lorewright.providers.body import kind_of
from lorewright.providers.fields import content_parts, objects, text_or_empty, tools_of
from lorewright.providers.identity import canonical_arguments, media_of_address, media_of_base64, media_of_id
from lorewright.providers.request import (
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

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
}
_ARGUMENTS: Final = ("arguments", "input", "action", "operation")
"""Where the kinds of tool calls have what they call the tool with."""


def decode(body: Mapping[str, Any]) -> Request:
    """Read a request. `instructions` are the first message; each item of `input` is one.

    Raises:
        RequestError: `input` is neither a text nor a list of objects, or a content cannot be read.
    """
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return Request(
        "responses",
        text_or_empty(body.get("model")),
        tuple(_messages(body)),
        body,
        is_stream=body.get("stream") is True,
        tools=tools_of(body),
        previous=text_or_empty(body.get("previous_response_id")) or text_or_empty(conversation),
    )


def _messages(body: Mapping[str, Any]) -> Iterator[RequestMessage]:
    instructions = body.get("instructions")
    if isinstance(instructions, str):
        yield RequestMessage("system", (Text(instructions),), Place(None))
    elif instructions is not None:
        raise RequestError(f"`instructions` is {kind_of(instructions)}; send a text.", param="instructions")
    given = body.get("input")
    if isinstance(given, str):
        yield RequestMessage("user", (Text(given),), Place(None))
    elif given is not None:
        for number, raw in enumerate(objects(body, "input")):
            yield _message(raw, number)


def _message(raw: Mapping[str, Any], number: int) -> RequestMessage:
    kind = text_or_empty(raw.get("type")) or "message"
    param = f"input[{number}]"
    content = raw.get("content")
    if kind == "message":
        role = _ROLES.get(text_or_empty(raw.get("role")), "system")
        parts = tuple(_part(part) for part in content_parts(content, f"{param}.content"))
        return RequestMessage(role, parts, Place(number, 0, len(content) if isinstance(content, list) else 0))
    if kind.endswith("_output"):
        return RequestMessage("tool", tuple(_output(raw, param)), Place(number))
    return RequestMessage("assistant", (_item(raw, kind),), Place(number))


def _output(raw: Mapping[str, Any], param: str) -> Iterator[Part]:
    yield ToolResult(text_or_empty(raw.get("call_id")))
    output = raw.get("output")
    if isinstance(output, (str, list)):
        for part in content_parts(output, f"{param}.output"):
            yield _part(part)
    elif output is not None:
        yield Unknown(output)


def _item(raw: Mapping[str, Any], kind: str) -> Part:
    if kind == "reasoning":
        return Reasoning()
    if kind.endswith("_call") and isinstance(raw.get("call_id"), str):
        arguments = next((raw[field] for field in _ARGUMENTS if field in raw), "")
        return ToolCall(raw["call_id"], text_or_empty(raw.get("name")) or kind, canonical_arguments(arguments))
    return Unknown(raw)


def _part(part: Mapping[str, Any] | str) -> Part:
    if isinstance(part, str):
        return Text(part)
    match part:
        case {"type": "input_text" | "output_text" | "text", "text": str(text)}:
            return Text(text)
        case {"type": "refusal", "refusal": str(text)}:
            return Text(text)
        case {"type": "input_image", "image_url": str(url)}:
            return media_of_address("image", url)
        case {"type": "input_image", "file_id": str(identifier)}:
            return media_of_id("image", identifier)
        case {"type": "input_audio", "input_audio": {"data": str(data)}}:
            return media_of_base64("audio", data)
        case {"type": "input_file", "file_data": str(data)}:
            return media_of_address("document", data) if data.startswith("data:") else media_of_base64("document", data)
        case {"type": "input_file", "file_url": str(url)}:
            return media_of_address("document", url)
        case {"type": "input_file", "file_id": str(identifier)}:
            return media_of_id("document", identifier)
    return Unknown(part)
