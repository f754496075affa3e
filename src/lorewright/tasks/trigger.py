"""The text in which a task's keys are looked for (spec mvu-filter §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lorewright.core.javascript import trim

__all__ = ["make_trigger"]

_FIELDS: Final = (
    "recentMessages",
    "dialogueText",
    "userMessage",
    "candidateNodes",
    "candidateText",
    "nodeContent",
    "eventSummary",
    "characterSummary",
    "threadSummary",
    "contradictionSummary",
)


def make_trigger(messages: Sequence[Any], user_message: str, context: Mapping[str, Any]) -> str:
    """Every message, the user's newest one, and the texts of the context, each once, a blank line between them.

    All of it is raw: what the task's prompt will not hold can activate an entry, too.
    """
    texts = [_text(message) for message in messages] + [user_message]
    texts += [value for field in _FIELDS if isinstance(value := context.get(field), str)]
    return "\n\n".join(dict.fromkeys(filter(None, map(trim, texts))))


def _text(message: Any) -> str:
    if isinstance(message, str):
        return message
    if not isinstance(message, Mapping):
        return ""
    return next((message[key] for key in ("content", "mes") if isinstance(message.get(key), str)), "")
