"""Between which messages of a client a message of ours may stand.

Sources: OpenAI's and Anthropic's rules on tool use (results follow their calls, with nothing between), on reasoning
items (they stand directly before what they led to) and on prefill (it is the last message).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lorewright.providers.request import Request, Unknown

__all__ = ["is_marked", "last_marked", "nearest_open", "open_gaps"]


_MARKS: Final = frozenset({"cache_control", "prompt_cache_breakpoint"})


def open_gaps(request: Request) -> tuple[bool, ...]:
    """For each message whether ours may stand before it, and at the end whether behind the last one."""
    messages = request.messages
    is_open = [True] * (len(messages) + 1)
    special = [(place, message) for place, message in enumerate(messages) if not message.is_plain]
    results = {message.result.id: place for place, message in special if message.role == "tool" and message.result}
    for place, message in special:
        if message.role == "tool":
            is_open[place] = False
        elif message.role == "assistant" and (calls := message.calls):
            # A call without a result holds the gap behind it: the result may only be missing yet.
            last = max(place + 1, *(results.get(call.id, 0) for call in calls))
            is_open[place + 1 : last + 1] = [False] * (last - place)
        elif message.role == "assistant" and (message.is_reasoning or any(map(_is_reference, message.parts))):
            # A thought, or what may be one, belongs to what follows.
            is_open[place + 1] = False
    if request.prefill is not None:
        is_open[-1] = False
    return tuple(is_open)


def nearest_open(gaps: Sequence[bool], gap: int) -> int:
    """Where a text goes that was meant for this gap: here, or up to the nearest open one; without any, down.

    Raises:
        ValueError: no gap is open.
    """
    above = next((place for place in range(gap, -1, -1) if gaps[place]), None)
    return above if above is not None else gaps.index(True, gap)


def _is_reference(part: object) -> bool:
    return isinstance(part, Unknown) and isinstance(part.raw, dict) and part.raw.get("type") == "item_reference"


def last_marked(request: Request) -> int:
    """The place of the last message with a cache mark of the client's; -1 without any. Up to there nothing may stand
    that is only of this turn, or the cache that the client asked for is never read."""
    items = request.body.get("input" if request.api == "responses" else "messages")
    if not isinstance(items, list):
        return -1
    for place in range(len(request.messages) - 1, -1, -1):
        item, first, end = request.messages[place].place
        if item is None:
            continue
        is_bare = _MARKS.isdisjoint(items[item])
        if (not is_bare and is_marked(items[item])) or (
            end and any(_holds_mark(part) for part in items[item]["content"][first:end])
        ):
            return place
    return -1


def is_marked(part: Any) -> bool:
    """Whether a message or a part has a cache mark."""
    return isinstance(part, dict) and not _MARKS.isdisjoint(part) and any(part.get(name) is not None for name in _MARKS)


def _holds_mark(part: Any) -> bool:
    """Whether a part has one, or a block of the tool's result that it is."""
    content = part.get("content")
    return is_marked(part) or (isinstance(content, list) and any(map(is_marked, content)))
