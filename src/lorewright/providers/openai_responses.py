"""OpenAI Responses. Source: the types of the `openai` SDK (`types/responses`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Role
from lorewright.core.woven import WovenMessage
from lorewright.errors import RequestError
from lorewright.providers.body import kind_of
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
from lorewright.providers.slots import GAP, Kept, Own, Slot

__all__ = ["decode", "encode", "encode_continued"]

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
}
_ARGUMENTS: Final = ("arguments", "input", "action", "operation")
"""Where the kinds of tool calls have what they call the tool with."""


def decode(body: Mapping[str, Any], memo: Memo = ANEW) -> Request:
    """Read a request. `instructions` are the first message; each item of `input` is one. `memo` keeps what was read of
    earlier requests.

    Raises:
        RequestError: `input` is neither a text nor a list of objects, or a content cannot be read.
    """
    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return Request(
        "responses",
        text_or_empty(body.get("model")),
        tuple(_messages(body, memo)),
        body,
        is_stream=body.get("stream") is True,
        tools=tools_of(body),
        previous=text_or_empty(body.get("previous_response_id")) or text_or_empty(conversation),
    )


def _messages(body: Mapping[str, Any], memo: Memo) -> Iterator[RequestMessage]:
    instructions = body.get("instructions")
    if isinstance(instructions, str):
        yield RequestMessage("system", (Text(instructions),), Place(None))
    elif instructions is not None:
        raise RequestError(f"`instructions` is {kind_of(instructions)}; send a text.", param="instructions")
    given = body.get("input")
    if isinstance(given, str):
        yield RequestMessage("user", (Text(given),), Place(None))
    elif given is not None:
        yield from read_each(memo, _message, objects(body, "input"))


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


def encode(request: Request, woven: Sequence[WovenMessage], dialect: Dialect, memo: Memo = ANEW) -> Mapping[str, Any]:
    """The client's JSON with what was woven. Without a change it is the very object that came in. `memo`: see `place`.

    Our system text at the front goes into `instructions`, which the API does not carry over to the next response: there
    it is sent with every request and never stored twice. An `input` that is one text becomes a list where a message of
    ours joins it.

    Raises:
        ValueError: what was woven does not fit the request (`placing.place`).
    """
    slots = place(request, woven, dialect, memo)
    if len(slots) == len(request.messages) and all(isinstance(slot, Kept) and slot.is_unchanged for slot in slots):
        return request.body
    body = dict(request.body)
    if slots and isinstance(slots[0], Own) and slots[0].role == "system":
        body["instructions"] = slots[0].text
        slots = slots[1:]
    elif slots and isinstance(slots[0], Kept) and _is_beside(request.messages[slots[0].index]):
        body["instructions"] = put_texts(body["instructions"], slots[0], _text_for("system"))
        slots = slots[1:]
    _put_input(body, request, slots)
    return body


def encode_continued(
    request: Request, front: Sequence[WovenMessage], woven: Sequence[WovenMessage], dialect: Dialect
) -> Mapping[str, Any]:
    """The JSON of a request that goes on from a stored response, without a change the very object that came in.

    front: what stands before all that is stored; it becomes `instructions`. woven: the new items and ours among them;
    ours stay items, since the next response goes on from them.

    Raises:
        ValueError: what was woven does not fit the request (`placing.place`).
    """
    head = sum(_is_beside(message) for message in request.messages)
    items = replace(request, messages=request.messages[head:])
    shifted = [one if one.index is None else replace(one, index=one.index - head) for one in woven]
    slots = place(items, shifted, dialect, has_head=False)
    instructions = GAP.join(message.content for message in front if message.content)
    is_unchanged = len(slots) == len(items.messages) and all(isinstance(s, Kept) and s.is_unchanged for s in slots)
    if is_unchanged and instructions == (request.body.get("instructions") or ""):
        return request.body
    body = dict(request.body)
    if instructions:
        body["instructions"] = instructions
    if not is_unchanged:
        _put_input(body, items, slots)
    return body


def _put_input(body: dict[str, Any], request: Request, slots: Sequence[Slot]) -> None:
    given = body.get("input")
    if isinstance(given, str) and len(slots) == 1 and isinstance(slots[0], Kept):
        body["input"] = put_texts(given, slots[0], _text_for("user"))
    elif "input" in body or slots:
        is_developer = any(message.role == "developer" for message in request.messages)
        system: Role = "developer" if is_developer else "system"
        body["input"] = [
            _own(slot, system) if isinstance(slot, Own) else _written(request, slot, given) for slot in slots
        ]


def _is_beside(message: RequestMessage) -> bool:
    """Whether a message is the `instructions`."""
    return message.place.item is None and message.role == "system"


def _own(slot: Own, system: Role) -> dict[str, Any]:
    return {"type": "message", "role": system if slot.role == "system" else slot.role, "content": slot.text}


def _written(request: Request, slot: Kept, given: Any) -> dict[str, Any]:
    message = request.messages[slot.index]
    make = _text_for(message.role)
    if message.place.item is None:
        return {"type": "message", "role": "user", "content": put_texts(given, slot, make)}
    old: dict[str, Any] = given[message.place.item]
    if slot.is_unchanged:
        return old
    field = "output" if message.role == "tool" else "content"
    content = old.get(field)
    end = len(content) if isinstance(content, list) else 0
    return {**old, field: put_texts(content, slot, make, end=end)}


def _text_for(role: Role) -> Callable[[str], dict[str, Any]]:
    """How a text of this role is written: the model's own ones are output, all others input."""
    kind = "output_text" if role == "assistant" else "input_text"
    return lambda text: {"type": kind, "text": text} | ({"annotations": []} if kind == "output_text" else {})
