"""The endpoints that take a body with a model's name, as data: where they are, and what is special about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from lorewright.providers.api import Api

__all__ = ["ENDPOINTS", "OF_KIND", "Endpoint", "EndpointName", "Kind", "shape_of"]

EndpointName = Literal["chat", "responses", "completions", "embeddings", "messages", "count_tokens"]
Kind = Literal["openai", "anthropic"]
"""Whose API this is; of an upstream: how it takes its key."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """path: on this server. shape: whose errors its clients read. weaves: whether it sends a conversation."""

    name: EndpointName
    path: str
    kind: Kind
    shape: Api
    weaves: bool


ENDPOINTS: Final[Mapping[EndpointName, Endpoint]] = MappingProxyType(
    {
        endpoint.name: endpoint
        for endpoint in (
            Endpoint("chat", "/v1/chat/completions", "openai", "chat", weaves=True),
            Endpoint("responses", "/v1/responses", "openai", "responses", weaves=True),
            Endpoint("completions", "/v1/completions", "openai", "completions", weaves=False),
            Endpoint("embeddings", "/v1/embeddings", "openai", "chat", weaves=False),
            Endpoint("messages", "/v1/messages", "anthropic", "messages", weaves=True),
            Endpoint("count_tokens", "/v1/messages/count_tokens", "anthropic", "messages", weaves=True),
        )
    }
)
OF_KIND: Final[Mapping[Kind, frozenset[EndpointName]]] = MappingProxyType(
    {
        "openai": frozenset(name for name, endpoint in ENDPOINTS.items() if endpoint.kind == "openai"),
        "anthropic": frozenset(name for name, endpoint in ENDPOINTS.items() if endpoint.kind == "anthropic"),
    }
)
"""What an upstream is taken to speak if its configuration does not say."""


def shape_of(path: str, headers: list[tuple[bytes, bytes]]) -> Api:
    """Whose errors a client reads that asks for this path: Anthropic's if it names the version of its API."""
    for endpoint in ENDPOINTS.values():
        if endpoint.path == path:
            return endpoint.shape
    is_anthropic = path.startswith("/v1/messages") or any(name == b"anthropic-version" for name, _ in headers)
    return "messages" if is_anthropic else "chat"
