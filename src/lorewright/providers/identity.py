"""Requests in the words of the core: what a message says, apart from all that clients change when they send it again."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from lorewright.core.model import Message
from lorewright.providers.body import canonical
from lorewright.providers.request import Media, MediaKind, Part, Request, RequestMessage, Text, ToolCall, Unknown

__all__ = [
    "canonical_arguments",
    "media_of_address",
    "media_of_base64",
    "media_of_id",
    "media_of_text",
    "to_message",
    "to_messages",
]

_FLEETING: Final = frozenset({"id", "cache_control", "prompt_cache_breakpoint", "status", "signature"})
"""Fields of an unknown part that are not what it says: a client may send them once and leave them out later."""


def to_messages(request: Request, *, user: str = "User", assistant: str = "Assistant") -> tuple[Message, ...]:
    """The messages of a request for the engine, each at the same place as in `request.messages`.

    System and tool messages are hidden, and so is what holds no text: it is neither scanned nor counted. Reasoning,
    ids and cache marks are left out; media and tool calls are attachments.
    """
    return tuple(to_message(message, user, assistant) for message in request.messages)


def to_message(message: RequestMessage, user: str, assistant: str) -> Message:
    """One message, as in `to_messages`."""
    role = message.role
    name = message.name or (user if role == "user" else assistant if role == "assistant" else "System")
    is_chat = role in ("user", "assistant")
    if len(message.parts) == 1 and isinstance(message.parts[0], Text):
        return Message(name, message.parts[0].text, role, hidden=not is_chat)
    has_text = is_chat and any(isinstance(part, Text) for part in message.parts)
    return Message(name, message.text, role, not has_text, tuple(_attachments(message.parts)))


def _attachments(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Media):
            yield f"{part.kind}:{part.sha256}"
        elif isinstance(part, ToolCall):
            yield f"call:{part.name}:{part.arguments}"
        elif isinstance(part, Unknown):
            yield f"part:{_sha256(canonical(_lasting(part.raw)).encode('utf-8', 'surrogatepass'))}"


def _lasting(raw: object) -> object:
    return {name: raw[name] for name in raw if name not in _FLEETING} if isinstance(raw, dict) else raw


def canonical_arguments(arguments: Any) -> str:
    """The arguments of a tool call in one form, whether they came as JSON or as a text of JSON. A text that is no JSON
    stays as it is."""
    if not isinstance(arguments, str):
        return canonical(arguments)
    try:
        return canonical(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments


def media_of_base64(kind: MediaKind, data: str) -> Media:
    """Media that the request holds. What is no base64 counts as a text."""
    try:
        return Media(kind, _sha256(base64.b64decode(data)))
    except (binascii.Error, ValueError):
        return media_of_text(kind, data)


def media_of_text(kind: MediaKind, text: str) -> Media:
    """A file that is a text."""
    return Media(kind, _sha256(text.encode("utf-8", "surrogatepass")))


def media_of_address(kind: MediaKind, address: str) -> Media:
    """Media at an address; `data:` addresses hold them."""
    head, comma, data = address.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return media_of_base64(kind, data)
    return Media(kind, f"url:{_sha256(address.encode('utf-8', 'surrogatepass'))}")


def media_of_id(kind: MediaKind, identifier: str) -> Media:
    """Media that the provider keeps under an id."""
    return Media(kind, f"id:{_sha256(identifier.encode('utf-8', 'surrogatepass'))}")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
