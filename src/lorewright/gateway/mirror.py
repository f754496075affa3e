"""The built-in model `mirror`: it answers with the prompt that it got, with no network and no key.

What comes back is what a model would read, role by role, so anybody sees in the client itself what was woven in.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any, Final

from lorewright.gateway.answers import json_bytes
from lorewright.gateway.endpoints import EndpointName
from lorewright.gateway.forward import Reply
from lorewright.gateway.mirror_shapes import Answer, as_object, as_stream
from lorewright.gateway.refusal import Refusal

__all__ = ["mirror_reply", "prompt_text"]

_OK: Final = 200


def mirror_reply(endpoint: EndpointName, body: bytes) -> Reply:
    """The reply of the mirror. The same body gives the same bytes.

    Raises:
        Refusal: the body is no JSON object.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise Refusal("body_invalid", "The body is no JSON object.")
    answer = Answer(str(request.get("model")), prompt_text(endpoint, request), body)
    options = request.get("stream_options")
    if request.get("stream") is True and endpoint != "count_tokens":
        wants_usage = isinstance(options, dict) and options.get("include_usage") is True
        return _reply(b"text/event-stream", as_stream(endpoint, answer, wants_usage=wants_usage))
    return _reply(b"application/json", iter([json_bytes(as_object(endpoint, answer))]))


def _reply(kind: bytes, pieces: Iterator[bytes]) -> Reply:
    async def give() -> AsyncGenerator[bytes, None]:
        for piece in pieces:
            yield piece

    return Reply(_OK, [(b"content-type", kind)], give())


def prompt_text(endpoint: EndpointName, request: dict[str, Any]) -> str:
    """The prompt of a request for people to read: every message below its role in brackets."""
    return "\n\n".join(f"[{role}]\n{text}" if role else text for role, text in _messages(endpoint, request))


def _messages(endpoint: EndpointName, request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Role and text of every message; no role where the API has none."""
    if endpoint == "completions":
        yield "", _text_of(request.get("prompt"))
        return
    head, body = ("instructions", "input") if endpoint == "responses" else ("system", "messages")
    if endpoint != "chat" and request.get(head):
        yield "system", _text_of(request[head])
    found = request.get(body)
    if isinstance(found, str):
        yield "user", found
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield str(item.get("role") or item.get("type") or "?"), _text_of_item(item)


def _text_of_item(item: dict[str, Any]) -> str:
    """The text of a message, and its tool calls; of an item that is no message, all it says."""
    if "content" not in item:
        return json.dumps(item, ensure_ascii=False)
    calls = item.get("tool_calls")
    parts = [_text_of(item["content"])] if item["content"] else []
    parts += [json.dumps(call, ensure_ascii=False) for call in calls] if isinstance(calls, list) else []
    return "\n".join(parts)


def _text_of(content: object) -> str:
    """Text as it is; of parts the texts, and for each other part its type in brackets."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False)
    return "\n".join(_text_of_part(part) for part in content)


def _text_of_part(part: object) -> str:
    if isinstance(part, dict):
        text = part.get("text")
        return text if isinstance(text, str) else f"({part.get('type')})"
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
