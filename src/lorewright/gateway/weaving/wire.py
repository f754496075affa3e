"""The four APIs' readers and writers of requests, by endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from lorewright.core.memo import Memo
from lorewright.core.woven import WovenMessage
from lorewright.gateway.endpoints import EndpointName
from lorewright.providers import anthropic_messages, openai_chat, openai_responses
from lorewright.providers.api import Api
from lorewright.providers.dialect import Dialect
from lorewright.providers.request import Request

__all__ = ["WIRES", "Wire"]


class Wire(NamedTuple):
    """How a request of an endpoint is read, and written with what was woven."""

    api: Api
    decode: Callable[[Mapping[str, Any], Memo], Request]
    encode: Callable[[Request, Sequence[WovenMessage], Dialect, Memo], Mapping[str, Any]]


WIRES: Final[Mapping[EndpointName, Wire]] = {
    "chat": Wire("chat", openai_chat.decode, openai_chat.encode),
    "responses": Wire("responses", openai_responses.decode, openai_responses.encode),
    "messages": Wire("messages", anthropic_messages.decode, anthropic_messages.encode),
    "count_tokens": Wire("messages", anthropic_messages.decode, anthropic_messages.encode),
}
