"""What is sent for a task: the last sanitising, and what to do when nothing is left of the user (spec mvu-filter §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from lorewright.core.javascript import trim
from lorewright.core.protocols import Regexes
from lorewright.mvu.sanitize import Blocked, sanitize
from lorewright.tasks.messages import TaskMessage
from lorewright.tasks.prompt import TaskPrompt
from lorewright.tasks.regexes import Allowance, RuleEvent, apply_rules
from lorewright.tasks.runway import Runway
from lorewright.templates.transcript import CONTEXT_HEADER, RECALL_HEADER, TARGET_HEADER

__all__ = ["Payload", "PromptParts", "UserSource", "finish", "make_payload", "parts_of"]

UserSource = Literal["execution-messages", "additional-messages", "structured-user-blocks", "fallback-user-prompt", ""]
"""Where the text of the user comes from: the messages in order, the private ones, the user's blocks as they were before
they were sanitised, or the caller's own fallback."""

_FINAL: Final = "final-safe"
_TRANSCRIPTS: Final = ("recentMessages", "dialogueText")


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of a prompt that are sent."""

    messages: Sequence[TaskMessage]
    private: Sequence[TaskMessage]
    system: str
    blocked: Blocked
    runway: Runway


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """Messages in order, if there are any; else a system prompt and the private messages. user: a text of the user, where
    no message is theirs; user_source says where it comes from, or where they are."""

    system: str
    messages: tuple[TaskMessage, ...]
    private: tuple[TaskMessage, ...]
    user: str
    user_source: UserSource


def parts_of(prompt: TaskPrompt) -> PromptParts:
    """What of a prompt is sent."""
    return PromptParts(prompt.messages, prompt.private, prompt.system, prompt.blocked, prompt.runway)


def make_payload(parts: PromptParts, fallback: str = "") -> Payload:
    """The messages after their last sanitising. `fallback` is said for the user if nothing else is."""
    given, given_private = _trimmed(parts.messages), _trimmed(parts.private)
    messages = _split(_cleaned(given, parts, spared=False))
    private: list[TaskMessage] = []
    if not messages:
        private = _split(_cleaned(given_private, parts, spared=not parts.runway.cleans))
    text, source = "", _who_speaks(messages, private)
    if not source:
        text, source = _fall_back([*given, *given_private], fallback, parts.blocked)
    return Payload(
        system="" if messages else parts.system,
        messages=tuple(messages),
        private=tuple(private),
        user=text,
        user_source=source,
    )


def finish(payload: Payload, prompt: TaskPrompt, regexes: Regexes) -> tuple[list[dict[str, Any]], list[RuleEvent]]:
    """The messages as a model gets them, after the task's rules for the finished prompt; and what those did."""
    said = [("system", payload.system), *((m.role, m.content) for m in (*payload.messages, *payload.private))]
    finished: list[dict[str, Any]] = []
    events: list[RuleEvent] = []
    allowance = Allowance()
    for role, content in [*said, ("user", payload.user)]:
        text, done = apply_rules(prompt.profile.rules, content, "input.finalPrompt", role, regexes, allowance)
        events += done
        if trim(text):
            finished.append({"role": role, "content": text})
    return finished, events


def _trimmed(messages: Iterable[TaskMessage]) -> list[TaskMessage]:
    trimmed = (replace(message, content=trim(message.content)) for message in messages)
    return [message for message in trimmed if message.content]


def _cleaned(messages: Iterable[TaskMessage], parts: PromptParts, *, spared: bool) -> list[TaskMessage]:
    """What is left of the messages; `spared`: they are sent as they are."""
    kept: list[TaskMessage] = []
    for message in messages:
        if spared or (message.is_lore and not parts.runway.cleans):
            kept.append(replace(message, eligible=False))
        elif not message.eligible or message.origin == "template-owned":
            kept.append(message)
        elif text := trim(sanitize(message.content, _FINAL, parts.blocked).text):
            kept.append(replace(message, content=text))
    return kept


def _who_speaks(messages: Iterable[TaskMessage], private: Iterable[TaskMessage]) -> UserSource:
    if any(message.role == "user" for message in messages):
        return "execution-messages"
    return "additional-messages" if any(message.role == "user" for message in private) else ""


def _fall_back(given: Iterable[TaskMessage], fallback: str, blocked: Blocked) -> tuple[str, UserSource]:
    """The first text of the user that something is left of, and where it comes from."""
    blocks = "\n\n".join(message.content for message in given if message.role == "user")
    candidates: list[tuple[UserSource, str]] = [
        ("structured-user-blocks", trim(blocks)),
        ("fallback-user-prompt", trim(fallback)),
    ]
    candidates = [candidate for candidate in candidates if candidate[1]]
    for source, text in candidates:
        if left := trim(sanitize(text, _FINAL, blocked).text):
            return left, source
    return "", candidates[0][0] if candidates else ""


def _split(messages: Iterable[TaskMessage]) -> list[TaskMessage]:
    """Transcripts with both headings as one message for each part."""
    return [part for message in messages for part in _parts(message)]


def _parts(message: TaskMessage) -> list[TaskMessage]:
    text = message.content
    target = RECALL_HEADER if RECALL_HEADER in text else TARGET_HEADER
    if message.role == "assistant" or trim(message.source_key) not in _TRANSCRIPTS or target not in text:
        return [message]
    starts = sorted([*_places(text, CONTEXT_HEADER), *_places(text, target)])
    if CONTEXT_HEADER not in text or starts[0] != 0:
        return [message]
    return [_part(message, text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _part(message: TaskMessage, text: str) -> TaskMessage:
    if text.startswith(CONTEXT_HEADER):
        section: Literal["context", "target"] = "context"
        body = text.removeprefix(CONTEXT_HEADER)
    else:
        section = "target"
        body = text.removeprefix(RECALL_HEADER).removeprefix(TARGET_HEADER)
    header = text[: len(text) - len(body)]
    return replace(message, content="\n\n".join(filter(None, (header, trim(body)))), section=section)


def _places(text: str, header: str) -> list[int]:
    places: list[int] = []
    at = text.find(header)
    while at >= 0:
        places.append(at)
        at = text.find(header, at + len(header))
    return places
