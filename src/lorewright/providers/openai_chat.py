"""OpenAI Chat Completions. Source: the types of the `openai` SDK (`types/chat`), and what servers add to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Role
from lorewright.core.woven import WovenMessage
from lorewright.providers.content import put_texts
from lorewright.providers.dialect import Dialect
from lorewright.providers.exact import read_each
from lorewright.providers.fields import content_parts, objects, text_or_empty, tools_of
from lorewright.providers.identity import canonical_arguments, media_of_address, media_of_base64, media_of_id
from lorewright.providers.placing import place
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
from lorewright.providers.slots import Kept

__all__ = ["decode", "encode"]

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_PLAIN: Final = 2
"""The fields of a message that has a role and a content, and nothing else."""
_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Fields of servers that give the model's thoughts beside its text (DeepSeek, vLLM, OpenRouter, LiteLLM)."""


def decode(body: Mapping[str, Any], memo: Memo = ANEW) -> Request:
    """Read a request. A role that we do not know is taken for a system message: nothing is put beside it. `memo` keeps
    what was read of earlier requests.

    Raises:
        RequestError: `messages` is no list of objects, or a content is neither text nor a list of parts.
    """
    messages = objects(body, "messages")
    options = body.get("stream_options")
    is_stream = body.get("stream") is True
    return Request(
        "chat",
        text_or_empty(body.get("model")),
        tuple(read_each(memo, _message, messages)),
        body,
        is_stream=is_stream,
        wants_usage=not is_stream or (isinstance(options, dict) and options.get("include_usage") is True),
        tools=tools_of(body),
    )


def _message(raw: Mapping[str, Any], number: int) -> RequestMessage:
    content = raw.get("content")
    role = _ROLES.get(text_or_empty(raw.get("role")), "system")
    if len(raw) == _PLAIN and isinstance(content, str) and role != "tool":
        return RequestMessage(role, (Text(content),), Place(number))
    parts = [*_result(raw, role)]
    parts += [Reasoning() for field in _REASONING if raw.get(field)]
    parts += [_part(part) for part in content_parts(content, f"messages[{number}].content")]
    parts += _calls(raw)
    end = len(content) if isinstance(content, list) else 0
    name = "" if role == "tool" else text_or_empty(raw.get("name"))
    return RequestMessage(role, tuple(parts), Place(number, 0, end), name)


def _result(raw: Mapping[str, Any], role: Role) -> Iterator[Part]:
    if role == "tool":
        called = raw.get("tool_call_id")
        yield ToolResult(called if isinstance(called, str) else _function_id(raw.get("name")))


def _calls(raw: Mapping[str, Any]) -> Iterator[Part]:
    calls = raw.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        kind = call.get("type", "function") if isinstance(call, dict) else None
        asked = call.get(kind) if isinstance(kind, str) else None
        if not isinstance(asked, dict):
            yield Unknown(call)
            continue
        arguments = asked.get("arguments") if kind == "function" else asked.get("input")
        yield ToolCall(
            text_or_empty(call.get("id")), text_or_empty(asked.get("name")), canonical_arguments(arguments or "")
        )
    old = raw.get("function_call")
    if isinstance(old, dict):
        name = old.get("name")
        yield ToolCall(_function_id(name), text_or_empty(name), canonical_arguments(old.get("arguments") or ""))


def _function_id(name: object) -> str:
    """Calls of before `tool_calls` have no id: the name tells which result is whose."""
    return f"function {text_or_empty(name)}"


def _part(part: Mapping[str, Any] | str) -> Part:
    if isinstance(part, str):
        return Text(part)
    match part:
        case {"type": "text", "text": str(text)} | {"type": "refusal", "refusal": str(text)}:
            return Text(text)
        case {"type": "image_url", "image_url": {"url": str(url)}} | {"type": "image_url", "image_url": str(url)}:
            return media_of_address("image", url)
        case {"type": "video_url", "video_url": {"url": str(url)}}:
            return media_of_address("video", url)
        case {"type": "audio_url", "audio_url": {"url": str(url)}}:
            return media_of_address("audio", url)
        case {"type": "input_audio", "input_audio": {"data": str(data)}}:
            return media_of_base64("audio", data)
        case {"type": "file", "file": {"file_data": str(data)}}:
            return media_of_address("document", data) if data.startswith("data:") else media_of_base64("document", data)
        case {"type": "file", "file": {"file_id": str(identifier)}}:
            return media_of_id("document", identifier)
    return Unknown(part)


def encode(request: Request, woven: Sequence[WovenMessage], dialect: Dialect, memo: Memo = ANEW) -> Mapping[str, Any]:
    """The client's JSON with what was woven. Without a change it is the very object that came in. `memo`: see `place`.

    Our system messages are `developer` ones for a client that uses that word: the API takes one of the two.

    Raises:
        ValueError: what was woven does not fit the request (`placing.place`).
    """
    slots = place(request, woven, dialect, memo)
    raw = request.body["messages"]
    changed = [
        at
        for at, slot in enumerate(slots)
        if not isinstance(slot, Kept) or slot.before or slot.after or slot.text is not None
    ]
    if len(slots) == len(raw) and not changed:
        return request.body
    system = "developer" if any(message.role == "developer" for message in request.messages) else "system"
    messages: list[Any] = [raw[slot.index] if isinstance(slot, Kept) else None for slot in slots]
    for at in changed:
        slot = slots[at]
        if not isinstance(slot, Kept):
            named = {"name": slot.name} if slot.name else {}
            messages[at] = {"role": system if slot.role == "system" else slot.role, **named, "content": slot.text}
        else:
            old = raw[slot.index]
            end = request.messages[slot.index].place.end
            messages[at] = {**old, "content": put_texts(old.get("content"), slot, _text, end=end)}
    return {**request.body, "messages": messages}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
