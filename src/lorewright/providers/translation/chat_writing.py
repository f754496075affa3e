"""What a model says as a reply of Chat Completions, as a whole or chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.error import error_event
from lorewright.providers.sse import DONE, encode_event
from lorewright.providers.translation.saying import (
    Begun,
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
    Words,
)
from lorewright.providers.usage import Usage

__all__ = ["ChatWriting", "chat_body"]

_FINISH: Final[Mapping[Stop, str]] = {
    "end": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "tools": "tool_calls",
    "refusal": "content_filter",
}


def chat_body(reply: Reply, created: int) -> dict[str, Any]:
    """A whole reply. created: seconds since 1970."""
    texts = [block.text for block in reply.blocks if isinstance(block, Words) and block.kind == "text"]
    thoughts = [block.text for block in reply.blocks if isinstance(block, Words) and block.kind == "thought"]
    calls = [_call(block) for block in reply.blocks if isinstance(block, Call)]
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(texts) if texts or not calls else None,
        "refusal": None,
    }
    if thoughts:
        message["reasoning_content"] = "".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _FINISH[reply.stop or "end"]}
    usage = {"usage": _usage(reply.usage)} if reply.usage is not None else {}
    return {
        "id": _prefixed(reply.id),
        "object": "chat.completion",
        "created": created,
        "model": reply.model,
        "choices": [choice],
        **usage,
    }


class ChatWriting:
    """Writes a stream's chunks. wants_usage: whether the client asked for a last chunk with the usage."""

    def __init__(self, created: int, *, wants_usage: bool) -> None:
        self.created = created
        self.wants_usage = wants_usage
        self._begun = Begun("", "")
        self._calls = 0
        self._usage: Usage | None = None

    def write(self, saying: Saying) -> Iterator[bytes]:
        """The events for what is said next."""
        match saying:
            case Begun():
                self._begun = saying
                yield self._chunk({"role": "assistant", "content": ""})
            case TextPiece(text):
                yield self._chunk({"content": text})
            case ThoughtPiece(text):
                yield self._chunk({"reasoning_content": text})
            case CallBegun(id, name):
                self._calls += 1
                asked = {"name": name, "arguments": ""}
                yield self._call({"id": id, "type": "function", "function": asked})
            case CallPiece(text):
                yield self._call({"function": {"arguments": text}})
            case Stopped(why):
                yield self._chunk({}, _FINISH[why])
            case Used(usage):
                self._usage = usage
            case Failed(message):
                yield error_event("chat", 502, message)
            case Ended():
                if self.wants_usage and self._usage is not None:
                    yield encode_event({**self._head(), "choices": [], "usage": _usage(self._usage)})
                yield encode_event(DONE)

    def _head(self) -> dict[str, Any]:
        return {
            "id": _prefixed(self._begun.id),
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self._begun.model,
        }

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        return encode_event({**self._head(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _call(self, call: Mapping[str, Any]) -> bytes:
        return self._chunk({"tool_calls": [{"index": self._calls - 1, **call}]})


def _call(call: Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}


def _prefixed(identifier: str) -> str:
    return identifier if identifier.startswith("chatcmpl-") else f"chatcmpl-{identifier}"


def _usage(usage: Usage) -> dict[str, Any]:
    """What is unknown stands for nothing in it; the whole needs both parts."""
    given, output = usage.input_tokens, usage.output_tokens
    made: dict[str, Any] = {"prompt_tokens": given or 0, "completion_tokens": output or 0}
    made["total_tokens"] = made["prompt_tokens"] + made["completion_tokens"]
    if usage.read_tokens is not None:
        made["prompt_tokens_details"] = {"cached_tokens": usage.read_tokens, "cache_write_tokens": usage.written_tokens}
    return made
