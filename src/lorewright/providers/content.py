"""Texts in the content of a message: ours before and behind the client's, or another one in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lorewright.providers.slots import Kept
from lorewright.providers.standing import is_marked

__all__ = ["TEXT_FIELDS", "put_texts"]

TEXT_FIELDS: Mapping[str, str] = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "refusal": "refusal",
}
"""The field that holds the text of a part, by the part's type."""

_THOUGHTS = ("thinking", "redacted_thinking")
_MARKS = ("cache_control", "prompt_cache_breakpoint")


def put_texts(content: Any, slot: Kept, make: Callable[[str], dict[str, Any]], *, first: int = 0, end: int = 0) -> Any:
    """A content with what the slot changes; the content that was given is left alone.

    In a list, only the parts from `first` up to `end` are meant. Ours are parts of their own (`make` makes one), before
    the first and behind the last text, so that no part of the client changes; where there is none, they stand at the
    front, but behind the model's thoughts. What stands behind is behind the client's cache marks too. A changed text
    takes the place of the first one; the others go, and so does it if nothing is left of it.
    """
    if not isinstance(content, list):
        own = content if isinstance(content, str) else ""
        return slot.before + (own if slot.text is None else slot.text) + slot.after
    mine = content[first:end] if slot.text is None else _with_text(content[first:end], slot, make)
    texts = [at for at, part in enumerate(mine) if _is_text(part)]
    marked = [at for at, part in enumerate(mine) if is_marked(part)]
    start = texts[0] if texts else _behind_thoughts(mine)
    stop = max([start, *(at + 1 for at in texts[-1:] + marked[-1:])])
    return [
        *content[:first],
        *mine[:start],
        *_made(make, slot.before),
        *mine[start:stop],
        *_made(make, slot.after),
        *mine[stop:],
        *content[end:],
    ]


def _is_text(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and kind in TEXT_FIELDS and isinstance(part.get(TEXT_FIELDS[kind]), str)


def _behind_thoughts(parts: list[Any]) -> int:
    return next((at for at, part in enumerate(parts) if part.get("type") not in _THOUGHTS), len(parts))


def _made(make: Callable[[str], dict[str, Any]], text: str) -> Iterable[dict[str, Any]]:
    return (make(text),) if text else ()


def _with_text(parts: list[Any], slot: Kept, make: Callable[[str], dict[str, Any]]) -> list[Any]:
    """The parts with the slot's text in place of all texts. It takes over the last cache mark among them, since what
    the client wanted kept ends there. An empty text goes, where the message says something without it."""
    text = slot.text or ""
    texts = [part for part in parts if _is_text(part)]
    rest = [part for part in parts if not _is_text(part)]
    if not texts or (not text and (rest or slot.before or slot.after)):
        place = _behind_thoughts(rest)
        return [*rest[:place], *_made(make, text), *rest[place:]]
    marks = {name: part[name] for part in texts for name in _MARKS if name in part}
    changed = {**texts[0], TEXT_FIELDS[texts[0]["type"]]: text, **marks}
    return [changed if part is texts[0] else part for part in parts if part is texts[0] or not _is_text(part)]
