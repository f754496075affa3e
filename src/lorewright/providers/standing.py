"""Between which messages of a client a message of ours may stand.

Sources: OpenAI's and Anthropic's rules on tool use (results follow their calls, with nothing between), on reasoning
items (they stand directly before what they led to) and on prefill (it is the last message).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lorewright.providers.request import Request, RequestMessage, Unknown

__all__ = ["is_marked", "last_marked", "nearest_open", "open_gaps"]


_MARKS: Final = ("cache_control", "prompt_cache_breakpoint")


def open_gaps(request: Request) -> tuple[bool, ...]:
    """For each message whether ours may stand before it, and at the end whether behind the last one."""
    messages = request.messages
    if not messages:
        return (True,)
    held = _holding_calls(messages)
    closed = {request.prefill + 1} if request.prefill is not None else set()
    return tuple(gap not in closed and not held[gap] and not _is_led_into(messages, gap) for gap in _gaps(messages))


def nearest_open(gaps: Sequence[bool], gap: int) -> int:
    """Where a text goes that was meant for this gap: here, or up to the nearest open one; without any, down.

    Raises:
        ValueError: no gap is open.
    """
    above = next((place for place in range(gap, -1, -1) if gaps[place]), None)
    return above if above is not None else gaps.index(True, gap)


def _gaps(messages: Sequence[RequestMessage]) -> range:
    return range(len(messages) + 1)


def _holding_calls(messages: Sequence[RequestMessage]) -> list[bool]:
    """For each gap whether a tool call before it has its result behind it, or none yet."""
    held = [False] * (len(messages) + 1)
    last_result: dict[str, int] = {}
    for place, message in enumerate(messages):
        if message.result is not None:
            held[place] = True
            last_result[message.result.id] = place
    for place, message in enumerate(messages):
        if message.calls:
            end = max([place, *(last_result.get(call.id, place) for call in message.calls)])
            # A call without a result holds the gap behind it: the result may only be missing yet.
            for gap in range(place + 1, max(end, place + 1) + 1):
                held[gap] = True
    return held


def _is_led_into(messages: Sequence[RequestMessage], gap: int) -> bool:
    """Whether what stands before is a thought, or may be one, that belongs to what follows."""
    before = messages[gap - 1] if gap else None
    return before is not None and (before.is_reasoning or any(_is_reference(part) for part in before.parts))


def _is_reference(part: object) -> bool:
    return isinstance(part, Unknown) and isinstance(part.raw, dict) and part.raw.get("type") == "item_reference"


def last_marked(request: Request) -> int:
    """The place of the last message with a cache mark of the client's; -1 without any. Up to there nothing may stand
    that is only of this turn, or the cache that the client asked for is never read."""
    items = request.body.get("input" if request.api == "responses" else "messages")
    for place in range(len(request.messages) - 1, -1, -1):
        where = request.messages[place].place
        if where.item is None or not isinstance(items, list):
            continue
        content = items[where.item].get("content")
        parts = content[where.first : where.end] if isinstance(content, list) else []
        if is_marked(items[where.item]) or any(is_marked(part) or _holds_mark(part) for part in parts):
            return place
    return -1


def is_marked(part: Any) -> bool:
    """Whether a message or a part has a cache mark."""
    return isinstance(part, dict) and any(part.get(name) is not None for name in _MARKS)


def _holds_mark(part: Any) -> bool:
    """Whether a block of a tool's result has one."""
    content = part.get("content")
    return isinstance(content, list) and any(is_marked(block) for block in content)
