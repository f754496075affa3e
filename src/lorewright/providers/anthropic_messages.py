"""Anthropic Messages. Source: the types of the `anthropic` SDK, and the rules of its documentation on tool use and
extended thinking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Role
from lorewright.core.woven import WovenMessage
from lorewright.providers.content import put_texts
from lorewright.providers.dialect import Dialect
from lorewright.providers.exact import read_each
from lorewright.providers.fields import content_parts, objects, text_or_empty, tools_of
from lorewright.providers.identity import (
    canonical_arguments,
    media_of_address,
    media_of_base64,
    media_of_id,
    media_of_text,
)
from lorewright.providers.placing import place
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
from lorewright.providers.slots import Kept, Own, Slot

__all__ = ["decode", "encode"]

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA: Final[Mapping[str, MediaKind]] = {"image": "image", "document": "document"}


def decode(body: Mapping[str, Any], memo: Memo = ANEW) -> Request:
    """Read a request. `system` is the first message; a user message with tool results is one message for each of them
    and one for what stands between or behind. `memo` keeps what was read of earlier requests.

    Raises:
        RequestError: `messages` is no list of objects, or a content is neither text nor a list of blocks.
    """
    messages: list[RequestMessage] = []
    system = body.get("system")
    if system is not None:
        parts = tuple(_block(block) for block in content_parts(system, "system"))
        messages.append(RequestMessage("system", parts, Place(None, 0, _count(system))))
    messages += chain.from_iterable(read_each(memo, _messages, objects(body, "messages")))
    return Request(
        "messages",
        text_or_empty(body.get("model")),
        tuple(messages),
        body,
        is_stream=body.get("stream") is True,
        tools=tools_of(body),
    )


def _messages(raw: Mapping[str, Any], number: int) -> tuple[RequestMessage, ...]:
    return tuple(_read(raw, number))


def _read(raw: Mapping[str, Any], number: int) -> Iterator[RequestMessage]:
    role = _ROLES.get(text_or_empty(raw.get("role")), "system")
    content = raw.get("content")
    if isinstance(content, str):
        yield RequestMessage(role, (Text(content),), Place(number))
        return
    param = f"messages[{number}].content"
    blocks = list(content_parts(content, param))
    start = 0
    for index, block in enumerate(blocks):
        if not isinstance(block, str) and block.get("type") == "tool_result":
            if start < index:
                yield _run(role, blocks, number, start, index)
            yield RequestMessage("tool", tuple(_result(block, f"{param}[{index}]")), Place(number, index, index + 1))
            start = index + 1
    if start < len(blocks) or not blocks:
        yield _run(role, blocks, number, start, len(blocks))


def _run(role: Role, blocks: list[Mapping[str, Any] | str], number: int, start: int, end: int) -> RequestMessage:
    return RequestMessage(role, tuple(_block(block) for block in blocks[start:end]), Place(number, start, end))


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
            return media_of_text(kind, data)
    return None


def _count(content: object) -> int:
    return len(content) if isinstance(content, list) else 0


def encode(request: Request, woven: Sequence[WovenMessage], dialect: Dialect, memo: Memo = ANEW) -> Mapping[str, Any]:
    """The client's JSON with what was woven. Without a change it is the very object that came in. `memo`: see `place`.

    Our system text at the front goes into `system`; our user texts behind tool results are blocks of their message.

    Raises:
        ValueError: what was woven does not fit the request (`placing.place`).
    """
    slots = place(request, woven, dialect, memo)
    if len(slots) == len(request.messages) and all(isinstance(slot, Kept) and slot.is_unchanged for slot in slots):
        return request.body
    body = dict(request.body)
    if slots and isinstance(slots[0], Own) and slots[0].role == "system":
        body["system"] = slots[0].text
        slots = slots[1:]
    elif slots and isinstance(slots[0], Kept) and request.messages[slots[0].index].place.item is None:
        if not slots[0].is_unchanged:
            body["system"] = put_texts(body["system"], slots[0], _text, end=_count(body["system"]))
        slots = slots[1:]
    body["messages"] = _Items(request).write(slots)
    return body


class _Items:
    """Writes the items of `messages`: one for all slots that share it."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.raw = request.body["messages"]
        self.sharing = Counter(message.place.item for message in request.messages)
        self.written: list[dict[str, Any]] = []

    def write(self, slots: Sequence[Slot]) -> list[dict[str, Any]]:
        at = 0
        while at < len(slots):
            slot = slots[at]
            if isinstance(slot, Own):
                self._own(slot)
                at += 1
                continue
            item = self._item(slot)
            shared = [slot]
            while (at := at + 1) < len(slots) and isinstance(other := slots[at], Kept) and self._item(other) == item:
                shared.append(other)
            self.written.append(self._kept(item, shared))
        return self.written

    def _item(self, slot: Kept) -> int:
        item = self.request.messages[slot.index].place.item
        assert item is not None, "`system` is not among the messages"
        return item

    def _kept(self, item: int, slots: list[Kept]) -> dict[str, Any]:
        old: dict[str, Any] = self.raw[item]
        content = old.get("content")
        if len(slots) == self.sharing[item] and all(slot.is_unchanged for slot in slots):
            return old
        if not isinstance(content, list):
            if not slots[0].after:
                return {**old, "content": put_texts(content, slots[0], _text)}
            # What stands behind may be gone in the next request, and a cache keeps whole blocks.
            lasting = put_texts(content, replace(slots[0], after=""), _text)
            return {**old, "content": [_text(text) for text in (lasting, slots[0].after) if text]}
        blocks: list[Any] = []
        for slot in slots:
            message = self.request.messages[slot.index]
            mine = content[message.place.first : message.place.end]
            if message.role == "tool":
                blocks.append(_with_result(mine[0], slot))
            else:
                blocks += put_texts(mine, slot, _text, end=len(mine))
        return {**old, "content": blocks}

    def _own(self, slot: Own) -> None:
        last = self.written[-1] if self.written else None
        if last is not None and last.get("role") == slot.role == "user":
            content = last.get("content")
            blocks = content if isinstance(content, list) else [_text(content)] if content else []
            self.written[-1] = {**last, "content": [*blocks, _text(slot.text)]}
        else:
            self.written.append({"role": slot.role, "content": slot.text})


def _with_result(block: dict[str, Any], slot: Kept) -> dict[str, Any]:
    if slot.is_unchanged:
        return block
    content = block.get("content")
    return {**block, "content": put_texts(content, slot, _text, end=_count(content))}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
