"""OpenAI's legacy completions: one prompt, no messages. Source: the types of the `openai` SDK
(`types/completion_create_params.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.providers.fields import text_or_empty
from lorewright.providers.request import Place, Request, RequestMessage, Text

__all__ = ["decode"]


def decode(body: Mapping[str, Any]) -> Request:
    """Read a request. A prompt that is one text is one user message; several prompts and tokens are none."""
    prompt = body.get("prompt")
    messages = (RequestMessage("user", (Text(prompt),), Place(None)),) if isinstance(prompt, str) else ()
    options = body.get("stream_options")
    is_stream = body.get("stream") is True
    return Request(
        "completions",
        text_or_empty(body.get("model")),
        messages,
        body,
        is_stream=is_stream,
        wants_usage=not is_stream or (isinstance(options, dict) and options.get("include_usage") is True),
    )
