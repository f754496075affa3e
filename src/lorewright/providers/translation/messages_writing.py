"""What a model says as a reply of Anthropic Messages, as a whole or event by event."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.error import error_event
from lorewright.providers.sse import encode_event
from lorewright.providers.translation.saying import (
    Begun,
    Block,
    Call,
    CallBegun,
    CallPiece,
    Ended,
    Failed,
    Reply,
    Saying,
    Stop,
    Stopped,
    TextPiece,
    ThoughtPiece,
    Used,
)
from lorewright.providers.usage import Usage

__all__ = ["MessagesWriting", "messages_body"]

_REASONS: Final[Mapping[Stop, str]] = {
    "end": "end_turn",
    "stop_sequence": "stop_sequence",
    "length": "max_tokens",
    "tools": "tool_use",
    "refusal": "refusal",
}


def messages_body(reply: Reply) -> dict[str, Any]:
    """A whole reply. A thought has no signature: only the model that thought it could give one."""
    return {
        **_head(Begun(reply.id, reply.model)),
        "content": [_block(block) for block in reply.blocks],
        "stop_reason": _REASONS[reply.stop or "end"],
        "stop_sequence": None,
        "usage": _usage(reply.usage),
    }


class MessagesWriting:
    """Writes a stream's events. Why the model stopped comes with the usage, at the end."""

    def __init__(self) -> None:
        self._index = -1
        self._open = ""
        self._stop: Stop = "end"
        self._usage: Usage | None = None

    def write(self, saying: Saying) -> Iterator[bytes]:
        """The events for what is said next."""
        match saying:
            case Begun():
                message = {**_head(saying), "content": [], "stop_reason": None, "stop_sequence": None}
                yield _event("message_start", message={**message, "usage": {"input_tokens": 0, "output_tokens": 0}})
            case TextPiece(text):
                yield from self._begin("text", {"type": "text", "text": ""})
                yield self._delta({"type": "text_delta", "text": text})
            case ThoughtPiece(text):
                yield from self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
                yield self._delta({"type": "thinking_delta", "thinking": text})
            case CallBegun(id, name):
                yield from self._close()
                yield from self._begin("tool_use", {"type": "tool_use", "id": id, "name": name, "input": {}})
            case CallPiece(text):
                yield self._delta({"type": "input_json_delta", "partial_json": text})
            case Stopped(why):
                self._stop = why
            case Used(usage):
                self._usage = usage
            case Failed(message):
                yield error_event("messages", 502, message)
            case Ended():
                yield from self._close()
                delta = {"stop_reason": _REASONS[self._stop], "stop_sequence": None}
                yield _event("message_delta", delta=delta, usage=_usage(self._usage))
                yield _event("message_stop")

    def _begin(self, kind: str, block: Mapping[str, Any]) -> Iterator[bytes]:
        """Open a block, if the open one is of another kind."""
        if self._open == kind:
            return
        yield from self._close()
        self._open = kind
        self._index += 1
        yield _event("content_block_start", index=self._index, content_block=block)

    def _delta(self, delta: Mapping[str, Any]) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)

    def _close(self) -> Iterator[bytes]:
        if self._open:
            self._open = ""
            yield _event("content_block_stop", index=self._index)


def _event(kind: str, **fields: object) -> bytes:
    return encode_event({"type": kind, **fields}, kind)


def _head(begun: Begun) -> dict[str, Any]:
    identifier = begun.id if begun.id.startswith("msg_") else f"msg_{begun.id}"
    return {"id": identifier, "type": "message", "role": "assistant", "model": begun.model}


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, Call):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": _input(block.arguments)}
    if block.kind == "thought":
        return {"type": "thinking", "thinking": block.text, "signature": ""}
    return {"type": "text", "text": block.text}


def _input(arguments: str) -> dict[str, Any]:
    """The arguments of a call, which a model may write wrongly: what is no object stands in one, so that the client sees
    what it was."""
    try:
        found = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"arguments": arguments}


def _usage(usage: Usage | None) -> dict[str, Any]:
    """`input_tokens` is what was neither read nor written; without word of a cache it is all. What is unknown is left
    out, but for the two fields that must be there."""
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    uncached = usage.uncached_tokens
    made = {"input_tokens": uncached if uncached is not None else usage.input_tokens or 0}
    if uncached is not None:
        made |= {
            "cache_read_input_tokens": usage.read_tokens or 0,
            "cache_creation_input_tokens": usage.written_tokens or 0,
        }
    return {**made, "output_tokens": usage.output_tokens or 0}
