"""Where a prompt cache is told to begin: Anthropic's marks, OpenAI's cache key.

Sources: Anthropic's documentation of prompt caching (marks on tools, system and messages, at most four, a minimum
length by model, a look back of 20 blocks) and the `prompt_cache_key` of the `openai` SDK's types.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from lorewright.core.woven import WovenMessage

__all__ = ["MINIMUM_AS_OF", "MINIMUM_TOKENS", "Boundary", "frozen_boundaries", "has_marks", "mark", "with_cache_key"]

MAX_MARKS: Final = 4

MINIMUM_AS_OF: Final = "2026-11"
MINIMUM_TOKENS: Final[tuple[tuple[str, int], ...]] = (
    ("claude-opus-4-5", 4096),
    ("claude-opus-4-6", 4096),
    ("claude-opus-4-7", 4096),
    ("claude-haiku-4-5", 4096),
    ("claude-mythos-preview", 4096),
    ("claude-3-5-haiku", 2048),
    ("claude-3-haiku", 2048),
)
"""The shortest prompt that is cached, by the beginning of the model's name, where it is more than the usual 1,024. A
mark on a shorter one is taken and does nothing, so a model that is missing here costs no more than a mark."""

_USUAL_MINIMUM: Final = 1024
_UNMARKABLE: Final = ("thinking", "redacted_thinking")


class Boundary(NamedTuple):
    """The end of a part of the prompt that will be the same in the next request.

    message: an index in `messages`; None for the end of `system`, or of `tools` where there is no system text. block:
    the index of its last block that lasts; a content that is one text has one block.
    """

    message: int | None
    block: int = 0


def frozen_boundaries(body: Mapping[str, Any], woven: Sequence[WovenMessage]) -> tuple[Boundary, ...]:
    """The boundaries of an encoded request with frozen placement, from the front: the system text; the user's messages
    before the newest, where the cache of the last request ends; the newest up to what is only of this turn; the end.

    They end at user messages, since it is behind these that the next request differs.
    """
    passing = {text for message in woven if (text := _passing(message))}
    found: list[Boundary] = [Boundary(None)] if body.get("system") or body.get("tools") else []
    for index, message in enumerate(body["messages"]):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        first = next((at for at, block in enumerate(blocks) if _text_of(block) in passing), None)
        if first:
            found.append(Boundary(index, first - 1))
        if first is None or index < len(body["messages"]) - 1:
            found.append(Boundary(index, len(blocks) - 1))
    return tuple(found)


def _passing(message: WovenMessage) -> str:
    return "".join(piece.text for piece in message.pieces if piece.kind == "volatile")


def _text_of(block: Any) -> str:
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else ""


def mark(
    body: Mapping[str, Any], boundaries: Sequence[Boundary], count_tokens: Callable[[str], int]
) -> Mapping[str, Any]:
    """A Messages request with cache marks at these boundaries, in order from the front; the very object that came in if
    the client set a mark itself: then none is added or moved.

    At most four: the first and the last three. Boundaries before the model's minimum get none; `count_tokens` may be an
    estimate. A mark stands on the last block before its boundary that can bear one.
    """
    if has_marks(body):
        return body
    minimum = next(
        (least for name, least in MINIMUM_TOKENS if str(body.get("model", "")).startswith(name)), _USUAL_MINIMUM
    )
    sizes = _sizes(body, boundaries, count_tokens)
    long_enough = [boundary for boundary, size in zip(boundaries, sizes, strict=True) if size >= minimum]
    chosen = long_enough if len(long_enough) <= MAX_MARKS else [long_enough[0], *long_enough[1 - MAX_MARKS :]]
    marked = dict(body)
    for boundary in chosen:
        _set(marked, boundary)
    return marked if chosen else body


def has_marks(body: Mapping[str, Any]) -> bool:
    """Whether the client set a cache mark anywhere: at the top, on a tool, a block, or a block of a tool's result."""
    return "cache_control" in body or any(_is_marked(body.get(field)) for field in ("tools", "system", "messages"))


def _is_marked(value: Any) -> bool:
    """Whether an object here or in its content has a mark; what a tool was called with is none of ours to look into."""
    if isinstance(value, list):
        return any(_is_marked(item) for item in value)
    if not isinstance(value, dict):
        return False
    return value.get("cache_control") is not None or _is_marked(value.get("content"))


def _sizes(
    body: Mapping[str, Any], boundaries: Sequence[Boundary], count_tokens: Callable[[str], int]
) -> Iterator[int]:
    """The tokens in front of each boundary."""
    size = sum(count_tokens(_json(tool)) for tool in _blocks(body.get("tools")))
    size += sum(count_tokens(_text_of(block) or _json(block)) for block in _blocks(body.get("system")))
    at = Boundary(0)
    for boundary in boundaries:
        if boundary.message is not None:
            for index in range(at.message or 0, boundary.message + 1):
                blocks = _blocks(body["messages"][index].get("content"))
                first = at.block if index == at.message else 0
                end = boundary.block + 1 if index == boundary.message else len(blocks)
                size += sum(count_tokens(_text_of(block) or _json(block)) for block in blocks[first:end])
            at = Boundary(boundary.message, boundary.block + 1)
        yield size


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _set(body: dict[str, Any], boundary: Boundary) -> None:
    """Put a mark at a boundary; lists and objects on the way are copied."""
    if boundary.message is not None:
        messages = list(body["messages"])
        message = messages[boundary.message]
        blocks = _with_mark(_as_blocks(message.get("content")), boundary.block)
        if blocks is not None:
            messages[boundary.message] = {**message, "content": blocks}
            body["messages"] = messages
        return
    field = "system" if body.get("system") else "tools"
    blocks = _as_blocks(body.get(field))
    if (marked := _with_mark(blocks, len(blocks) - 1)) is not None:
        body[field] = marked


def _as_blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else _blocks(content)


def _with_mark(blocks: list[Any], block: int) -> list[Any] | None:
    """The blocks with a mark on this one or the nearest before it that can bear one; None if none can."""
    for at in range(min(block, len(blocks) - 1), -1, -1):
        one = blocks[at]
        if not isinstance(one, dict) or one.get("type") in _UNMARKABLE:
            continue
        if one.get("type") != "text" or _text_of(one).strip():
            return [*blocks[:at], {**one, "cache_control": {"type": "ephemeral"}}, *blocks[at + 1 :]]
    return None


def with_cache_key(body: Mapping[str, Any], scope: str, conversation: str) -> Mapping[str, Any]:
    """A request of OpenAI's with a `prompt_cache_key` for its conversation, for an upstream that takes one; the very
    object that came in if the client has set one, or the conversation has no name.

    scope: whose it is; the same conversation in two scopes has two keys. conversation: its name, or the key of its
    first message in the chain. The key is a hash of both: neither a text nor a name can be read from it.
    """
    if not conversation or body.get("prompt_cache_key") is not None:
        return body
    hashed = hashlib.sha256(f"{len(scope)}:{scope}{conversation}".encode("utf-8", "surrogatepass"))
    return {**body, "prompt_cache_key": f"lw-{hashed.hexdigest()[:32]}"}
