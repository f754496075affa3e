"""An answer in the shape of each API, whole and as a stream.

Source of the shapes: the types of the `openai` and `anthropic` SDKs; the tests read the answers with these SDKs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from lorewright.core.counter import EstimateCounter
from lorewright.gateway.endpoints import EndpointName
from lorewright.providers.sse import DONE, encode_event

__all__ = ["Answer", "as_object", "as_stream"]

_COUNTER: Final = EstimateCounter()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered: a text that is the prompt, too. request: the bytes of which the ids are made."""

    model: str
    text: str
    request: bytes

    @property
    def tokens(self) -> int:
        """Of the prompt, and of the answer. The mirror has no vocabulary: its tokens are our estimate."""
        return _COUNTER.count(self.text)

    def id(self, prefix: str) -> str:
        return f"{prefix}{sha256(self.request).hexdigest()[:24]}"

    def pieces(self) -> list[str]:
        """The text line by line."""
        return self.text.splitlines(keepends=True)


def as_object(endpoint: EndpointName, answer: Answer) -> dict[str, Any]:
    """The answer whole."""
    match endpoint:
        case "chat":
            message = {"role": "assistant", "content": answer.text, "refusal": None}
            choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            return {**_chat_head(answer, "chat.completion"), "choices": [choice], "usage": _chat_usage(answer)}
        case "responses":
            return _response(answer, "completed", [_item(answer, "completed", [_part(answer.text)])])
        case "messages":
            content = [{"type": "text", "text": answer.text, "citations": None}]
            return _message(answer, content, "end_turn", answer.tokens)
        case "count_tokens":
            return {"input_tokens": answer.tokens}
        case _:
            choice = {"index": 0, "text": answer.text, "logprobs": None, "finish_reason": "stop"}
            return {**_chat_head(answer, "text_completion"), "choices": [choice], "usage": _chat_usage(answer)}


def as_stream(endpoint: EndpointName, answer: Answer, *, wants_usage: bool) -> Iterator[bytes]:
    """The answer as events, a line of the text in each."""
    if endpoint == "responses":
        for number, event in enumerate(_responses_events(answer)):
            yield encode_event({**event, "sequence_number": number}, event["type"])
    elif endpoint == "messages":
        for event in _messages_events(answer):
            yield encode_event(event, event["type"])
    else:
        chunks = _chat_chunks(answer) if endpoint == "chat" else _completion_chunks(answer)
        for chunk in chunks:
            yield encode_event({**chunk, "usage": None} if wants_usage else chunk)
        if wants_usage:
            head = _chat_head(answer, "chat.completion.chunk" if endpoint == "chat" else "text_completion")
            yield encode_event({**head, "choices": [], "usage": _chat_usage(answer)})
        yield encode_event(DONE)


def _chat_head(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": answer.id("chatcmpl-"), "object": kind, "created": 0, "model": answer.model}


def _chat_usage(answer: Answer) -> dict[str, int]:
    tokens = answer.tokens
    return {"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": 2 * tokens}


def _chat_chunks(answer: Answer) -> Iterator[dict[str, Any]]:
    head = _chat_head(answer, "chat.completion.chunk")
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in answer.pieces()]
    for delta, reason in (*deltas, ({}, "stop")):
        yield {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}


def _completion_chunks(answer: Answer) -> Iterator[dict[str, Any]]:
    head = _chat_head(answer, "text_completion")
    for text, reason in (*((piece, None) for piece in answer.pieces()), ("", "stop")):
        yield {**head, "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": reason}]}


def _message(answer: Answer, content: list[Any], reason: str | None, output_tokens: int) -> dict[str, Any]:
    return {
        "id": answer.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": answer.tokens, "output_tokens": output_tokens},
    }


def _messages_events(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": _message(answer, [], None, 0)}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in answer.pieces():
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": answer.tokens}}
    yield {"type": "message_stop"}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _item(answer: Answer, status: str, content: list[Any]) -> dict[str, Any]:
    return {"id": answer.id("msg_"), "type": "message", "role": "assistant", "status": status, "content": content}


def _response(answer: Answer, status: str, output: list[Any]) -> dict[str, Any]:
    tokens = answer.tokens
    usage = {
        "input_tokens": tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2 * tokens,
    }
    return {
        "id": answer.id("resp_"),
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": answer.model,
        "output": output,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": usage if status == "completed" else None,
    }


def _responses_events(answer: Answer) -> Iterator[dict[str, Any]]:
    in_part = {"output_index": 0, "item_id": answer.id("msg_"), "content_index": 0}
    whole = _item(answer, "completed", [_part(answer.text)])
    yield {"type": "response.created", "response": _response(answer, "in_progress", [])}
    yield {"type": "response.in_progress", "response": _response(answer, "in_progress", [])}
    yield {"type": "response.output_item.added", "output_index": 0, "item": _item(answer, "in_progress", [])}
    yield {"type": "response.content_part.added", **in_part, "part": _part("")}
    for piece in answer.pieces():
        yield {"type": "response.output_text.delta", **in_part, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **in_part, "text": answer.text, "logprobs": []}
    yield {"type": "response.content_part.done", **in_part, "part": _part(answer.text)}
    yield {"type": "response.output_item.done", "output_index": 0, "item": whole}
    yield {"type": "response.completed", "response": _response(answer, "completed", [whole])}
