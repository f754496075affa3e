"""The prompt caches of providers as small models: what a request would have read from one, in the provider's own words.

    with FakeUpstream(cache=AnthropicCache()) as fake:
        ...  # send a conversation to fake.base_url; the replies' `usage` says what was read, written and neither

Every rule is a field, so that another one can be tried. Sources: Anthropic's and OpenAI's documentation of prompt
caching; the slots of llama.cpp's server. No cache here forgets with time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

__all__ = ["AnthropicCache", "LlamaCache", "OpenAICache", "PromptCache", "tokens_of"]

_TOKEN: Final = re.compile(r"\s*(?:\w{1,6}|[^\w\s])|\s+")
"""Up to six letters, or one sign, with the space before them: some 1.3 to a word, as in English, and always cut alike."""
_REPLY_TOKENS: Final = 1


def tokens_of(text: str) -> list[str]:
    """A text in the tokens of these models."""
    return _TOKEN.findall(text)


class PromptCache(Protocol):
    """usage: what the reply to a request says about its prompt; the cache knows the request from then on."""

    def usage(self, body: Mapping[str, Any]) -> dict[str, Any]: ...

    def problem(self, body: Mapping[str, Any]) -> str | None:
        """Why the provider refuses the request's use of its cache; None: it does not."""
        ...


@dataclass(slots=True)
class AnthropicCache:
    """A prompt is tools, system, messages, block by block. A mark (`cache_control`) keeps all up to its block, if that
    is long enough; it reads the longest part that was kept by an earlier request, of those that end at its block or at
    one of so many blocks before it."""

    minimum_tokens: int = 1024
    most_marks: int = 4
    look_back_blocks: int = 20
    _kept: set[int] = field(default_factory=set)

    def usage(self, body: Mapping[str, Any]) -> dict[str, Any]:
        sizes, prefixes, marks = [0], [0], []
        for number, (block, is_marked) in enumerate(_blocks(body), 1):
            sizes.append(sizes[-1] + len(tokens_of(block)))
            prefixes.append(hash((prefixes[-1], block)))
            marks += [number] if is_marked else []
        marks = [mark for mark in marks if sizes[mark] >= self.minimum_tokens]
        looked_at = {at for mark in marks for at in range(max(1, mark - self.look_back_blocks), mark + 1)}
        read = max((sizes[at] for at in looked_at if prefixes[at] in self._kept), default=0)
        written = max(0, max((sizes[mark] for mark in marks), default=0) - read)
        self._kept.update(prefixes[mark] for mark in marks)
        return {
            "input_tokens": sizes[-1] - read - written,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": _REPLY_TOKENS,
        }

    def problem(self, body: Mapping[str, Any]) -> str | None:
        marks = sum(is_marked for _, is_marked in _blocks(body))
        if marks <= self.most_marks:
            return None
        return f"A maximum of {self.most_marks} blocks with cache_control may be provided. Found {marks}."


@dataclass(slots=True)
class OpenAICache:
    """Every prompt is kept. The longest beginning that it shares with an earlier one is read, from so many tokens on
    and in steps of so many."""

    minimum_tokens: int = 1024
    step_tokens: int = 128
    _kept: list[list[str]] = field(default_factory=list)

    def usage(self, body: Mapping[str, Any]) -> dict[str, Any]:
        prompt = _prompt(body)
        shared = max((_shared(prompt, other) for other in self._kept), default=0)
        read = shared - shared % self.step_tokens if shared >= self.minimum_tokens else 0
        self._kept.append(prompt)
        names = ("input", "output") if "input" in body else ("prompt", "completion")
        return {
            f"{names[0]}_tokens": len(prompt),
            f"{names[0]}_tokens_details": {"cached_tokens": read},
            f"{names[1]}_tokens": _REPLY_TOKENS,
            "total_tokens": len(prompt) + _REPLY_TOKENS,
        }

    def problem(self, body: Mapping[str, Any]) -> str | None:  # noqa: ARG002  it refuses nothing
        return None


@dataclass(slots=True)
class LlamaCache:
    """A server of so many slots, each with the prompt that it had last. A prompt goes to the slot it shares most with, if
    that is such a share of it; else to one that is free, or was used longest ago. It reads what it shares there."""

    slots: int = 1
    least_share: float = 0.1
    _prompts: list[list[str]] = field(default_factory=list)
    """The one that was used last is the last."""

    def usage(self, body: Mapping[str, Any]) -> dict[str, Any]:
        prompt = _prompt(body)
        shared = [_shared(prompt, other) for other in self._prompts]
        read = max(shared, default=0)
        if read > self.least_share * len(prompt):
            del self._prompts[shared.index(read)]
        elif len(self._prompts) == self.slots:
            del self._prompts[0]
            read = shared[0]
        else:
            read = 0
        self._prompts.append(prompt)
        return {
            "prompt_tokens": len(prompt),
            "prompt_tokens_details": {"cached_tokens": read},
            "completion_tokens": _REPLY_TOKENS,
            "total_tokens": len(prompt) + _REPLY_TOKENS,
        }

    def problem(self, body: Mapping[str, Any]) -> str | None:  # noqa: ARG002  it refuses nothing
        return None


def _blocks(body: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The blocks of a Messages request in the order of its prompt, each with whether it is marked."""
    for tool in body.get("tools") or ():
        yield _said("tool", tool), tool.get("cache_control") is not None
    for role, content in [("system", body.get("system")), *_messages(body.get("messages"))]:
        for block in _parts(content):
            yield _said(role, block), block.get("cache_control") is not None


def _prompt(body: Mapping[str, Any]) -> list[str]:
    """The prompt of a request of OpenAI's APIs, in tokens."""
    given = body.get("messages", body.get("input"))
    messages = [("user", given)] if isinstance(given, str) else _messages(given)
    said = [_said("tool", tool) for tool in body.get("tools") or ()]
    said += [
        _said(role, part) for role, content in [("", body.get("instructions")), *messages] for part in _parts(content)
    ]
    return [token for text in said for token in tokens_of(text)]


def _messages(messages: Any) -> Iterator[tuple[str, Any]]:
    """Role and content of each; an item that is no message is its own content."""
    for message in messages or ():
        yield (
            message.get("role") or "",
            [message] if "content" not in message or "tool_calls" in message else message["content"],
        )


def _parts(content: object) -> Sequence[Mapping[str, Any]]:
    """A content that is one text is one part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _said(role: str, part: Mapping[str, Any]) -> str:
    """What a model reads of a part: its text if it is one, else its fields; never its mark."""
    if set(part) <= {"type", "text", "cache_control"}:
        return f"<{role}>{part.get('text')}"
    plain = {name: value for name, value in part.items() if name != "cache_control"}
    return f"<{role}>{json.dumps(plain, ensure_ascii=False, sort_keys=True)}"


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens two prompts begin with that are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
