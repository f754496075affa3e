"""OpenAI's legacy completions: one prompt, no messages. Source: the types of the `openai` SDK
(`types/completion_create_params.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorewright.core.woven import WovenMessage
from lorewright.providers.dialect import Dialect
from lorewright.providers.fields import text_or_empty
from lorewright.providers.placing import place
from lorewright.providers.request import Place, Request, RequestMessage, Text
from lorewright.providers.slots import GAP, Kept, Own

__all__ = ["decode", "encode"]


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


def encode(request: Request, woven: Sequence[WovenMessage], dialect: Dialect) -> Mapping[str, Any]:
    """The client's JSON with what was woven: all texts in one prompt, ours at the front. Without a change it is the
    very object that came in, and so it is for prompts that are no text.

    The model goes on with the prompt's last letter, so nothing of ours stands behind it.
    """
    if not request.messages:
        return request.body
    slots = place(request, woven, dialect)
    if all(isinstance(slot, Kept) and slot.is_unchanged for slot in slots):
        return request.body
    ours: list[str] = []
    prompt = ""
    for slot in slots:
        if isinstance(slot, Own):
            ours.append(slot.text)
        else:
            ours += [text for text in (slot.before.strip("\n"), slot.after.strip("\n")) if text]
            prompt = request.body["prompt"] if slot.text is None else slot.text
    return {**request.body, "prompt": GAP.join([*ours, prompt])}
