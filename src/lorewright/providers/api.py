"""The APIs that a client may speak, and where they stand under a base URL."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

__all__ = ["PATHS", "Api"]

Api = Literal["chat", "responses", "messages", "completions"]
"""OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, OpenAI's legacy completions."""

PATHS: Final[Mapping[Api, str]] = MappingProxyType(
    {
        "chat": "/v1/chat/completions",
        "responses": "/v1/responses",
        "messages": "/v1/messages",
        "completions": "/v1/completions",
    }
)
