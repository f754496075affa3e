"""What an upstream takes beyond the shape of its API, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """system_in_middle: system messages may stand behind the first message of the chat, and there may be several.
    roles_must_alternate: user and assistant take turns, as the chat templates of Gemma and Mistral want it.

    Only for translations: sampling: a request may have `temperature` and `top_p`, which newer models of Anthropic do
    not take. max_tokens: the name of that field in Chat Completions.
    """

    system_in_middle: bool = True
    roles_must_alternate: bool = False
    sampling: bool = True
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
