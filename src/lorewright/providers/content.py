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

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_MARKS = ("cache_control", "prompt_cache_breakpoint")


def put_texts(content: Any, slot: Kept, make: Callable[[str], dict[str, Any]], *, first: int = 0, end: int = 0) -> Any:
    """A content with what the slot changes; the content that was given is left alone.

    In a list, only the parts from `first` up to `end` are meant. Ours are parts of their own (`make` makes one), before
    the first and behind the last text, so that no part of the client changes; where there is none, they stand at the
    front, but behind the model's thoughts. What stands behind is behind the client's cache marks too. A changed text takes the place of the first one; the others go.
    """
    if not isinstance(content, list):
        own = content if isinstance(content, str) else ""
        return slot.before + (own if slot.text is None else slot.text) + slot.after
    mine = content[first:end]
    texts = [at for at, part in enumerate(mine) if part.get("type") in TEXT_FIELDS]
    if slot.text is not None and texts:
        mine, texts = _with_text(mine, texts, slot.text)
    elif slot.text:
        return put_texts(
            content, Kept(slot.index, slot.before + slot.text, None, slot.after), make, first=first, end=end
        )
    start = (
        texts[0]
        if texts
        else next((at for at, part in enumerate(mine) if part.get("type") not in _THOUGHTS), len(mine))
    )
    marked = [at for at, part in enumerate(mine) if is_marked(part)]
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


def _made(make: Callable[[str], dict[str, Any]], text: str) -> Iterable[dict[str, Any]]:
    return (make(text),) if text else ()


def _with_text(parts: list[Any], texts: list[int], text: str) -> tuple[list[Any], list[int]]:
    """The parts with one text in place of all, and where it is. It takes over the last cache mark among them, since
    what the client wanted kept ends there."""
    marks = {name: parts[at][name] for at in texts for name in _MARKS if name in parts[at]}
    place = texts[0]
    changed = {**parts[place], TEXT_FIELDS[parts[place]["type"]]: text, **marks}
    left = [changed if at == place else part for at, part in enumerate(parts) if at == place or at not in texts]
    return left, [place]
