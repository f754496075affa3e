"""Where the texts of a reply stand, in each API: in its JSON, and in the events of its stream.

Sources: the reply and event types of the `openai` SDK (`types/chat`, `types/responses`, `types/completion.py`) and of the
`anthropic` SDK (`types/raw_message_stream_event.py`). Reasoning, calls of tools and refusals are no such texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lorewright.providers.api import Api

__all__ = ["Slot", "ended", "put", "texts_of", "texts_of_event"]

Key = tuple[int | str, int]
"""Which text of a reply: the choice, 0 (Chat Completions, completions); 0, the block (Messages); the item's id, the part
(Responses; without an id the item's place, and llama.cpp's server does not say the place)."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A text in a JSON object. holder: the object that has it in its field `name`. probabilities: the object whose field
    `logprobs` tells of its tokens. is_whole: all of the text stands here, not a piece of it. is_alone: the object says
    nothing else."""

    key: Key
    holder: dict[str, Any]
    name: str
    probabilities: dict[str, Any]
    is_whole: bool = True
    is_alone: bool = False

    @property
    def text(self) -> str:
        found: str = self.holder[self.name]
        return found


def put(slot: Slot, text: str) -> bool:
    """Put another text there. The probabilities of the model's own tokens go away; says whether there were any."""
    slot.holder[slot.name] = text
    had = slot.probabilities.get("logprobs")
    if had:
        slot.probabilities["logprobs"] = [] if isinstance(had, list) else None
    return bool(had)


def texts_of(api: Api, body: Any) -> Iterator[Slot]:
    """The texts of a reply that came as one object."""
    if not isinstance(body, dict):
        return
    if api in ("chat", "completions"):
        for choice, key in _choices(body):
            holder = choice.get("message") if api == "chat" else choice
            yield from _slot(key, holder, "content" if api == "chat" else "text", choice)
    elif api == "messages":
        for at, block in _objects(body.get("content")):
            if block.get("type") == "text":
                yield from _slot((0, at), block, "text", block)
    else:
        for at, item in _objects(body.get("output")):
            yield from _item(at, item)


def texts_of_event(api: Api, event: Any) -> Iterator[Slot]:
    """The texts in one event of a stream."""
    if not isinstance(event, dict):
        return
    if api in ("chat", "completions"):
        choices = list(_choices(event))
        for choice, key in choices:
            holder = choice.get("delta") if api == "chat" else choice
            name = "content" if api == "chat" else "text"
            is_alone = len(choices) == 1 and not choice.get("finish_reason") and not event.get("usage")
            is_alone = is_alone and (api == "completions" or _says_nothing_else(holder, name))
            yield from _slot(key, holder, name, choice, is_whole=False, is_alone=is_alone)
    elif api == "messages":
        at = _number(event.get("index"))
        if event.get("type") == "content_block_delta":
            delta = event.get("delta")
            if isinstance(delta, dict) and delta.get("type") == "text_delta":
                yield from _slot((0, at), delta, "text", delta, is_whole=False, is_alone=True)
    else:
        yield from _of_responses(event)


def _of_responses(event: dict[str, Any]) -> Iterator[Slot]:
    key = _key_of(event)
    match event.get("type"):
        case "response.output_text.delta":
            yield from _slot(key, event, "delta", event, is_whole=False, is_alone=True)
        case "response.output_text.done":
            yield from _slot(key, event, "text", event)
        case "response.content_part.done":
            part = event.get("part")
            if isinstance(part, dict) and part.get("type") == "output_text":
                yield from _slot(key, part, "text", part)
        case "response.output_item.done":
            item = event.get("item")
            if isinstance(item, dict):
                yield from _item(_number(event.get("output_index")), item)
        case "response.completed" | "response.incomplete" | "response.failed":
            yield from texts_of("responses", event.get("response"))


def ended(api: Api, event: Any) -> Iterator[Key | None]:
    """Which texts end with this event, or before it; None: all that have begun."""
    if not isinstance(event, dict):
        return
    if api in ("chat", "completions"):
        yield from (key for choice, key in _choices(event) if choice.get("finish_reason"))
        if event.get("error"):
            yield None
    elif api == "messages":
        kind = event.get("type")
        if kind == "content_block_stop":
            yield 0, _number(event.get("index"))
        elif kind in ("message_delta", "message_stop", "error"):
            yield None
    else:
        kind = event.get("type")
        if kind in ("response.output_text.done", "response.content_part.done"):
            yield _key_of(event)
        elif kind in ("response.completed", "response.incomplete", "response.failed", "error"):
            yield None


def _key_of(event: dict[str, Any]) -> Key:
    name = _name(event.get("item_id"), _number(event.get("output_index")))
    return name, _number(event.get("content_index"))


def _item(at: int, item: dict[str, Any]) -> Iterator[Slot]:
    if item.get("type") == "message":
        name = _name(item.get("id"), at)
        for number, part in _objects(item.get("content")):
            if part.get("type") == "output_text":
                yield from _slot((name, number), part, "text", part)


def _name(found: object, at: int) -> int | str:
    return found if isinstance(found, str) and found else at


def _slot(
    key: Key,
    holder: object,
    name: str,
    probabilities: dict[str, Any],
    *,
    is_whole: bool = True,
    is_alone: bool = False,
) -> Iterator[Slot]:
    if isinstance(holder, dict) and isinstance(holder.get(name), str):
        yield Slot(key, holder, name, probabilities, is_whole, is_alone)


def _says_nothing_else(delta: object, name: str) -> bool:
    return isinstance(delta, dict) and all(field == name or not value for field, value in delta.items())


def _choices(body: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Key]]:
    for at, choice in _objects(body.get("choices")):
        yield choice, (_number(choice.get("index"), at), 0)


def _objects(value: object) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, each with its place there."""
    for at, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield at, one


def _number(value: object, default: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
