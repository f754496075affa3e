"""Reading `{{…}}` in a text of a rule: which braces belong together, and what stands in them.

Braces are paired from the inside: in `{{{a}}}` the inner two are the reference. Braces without a partner are text. A
comment ends at the first `}}`, or with the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

__all__ = ["Tag", "parse"]

_MARK: Final = re.compile(r"\{\{(?!\{)(\s*//)?|\}\}")


@dataclass(slots=True)
class Tag:
    """What stands between a pair of braces: texts and tags inside it. `height` counts the levels in it from 1."""

    start: int
    parts: list[Part] = field(default_factory=list)
    height: int = 1


Part: TypeAlias = "str | Tag"


def parse(text: str) -> list[Part]:
    """A text as texts and tags, comments left out."""
    stack: list[Tag] = [Tag(-1)]
    at = 0
    while found := _MARK.search(text, at):
        stack[-1].parts.append(text[at : found.start()])
        at = found.end()
        if found[1]:
            end = text.find("}}", at)
            at = len(text) if end < 0 else end + 2
        elif found[0] != "}}":
            stack.append(Tag(found.start()))
        elif len(stack) > 1:
            tag = stack.pop()
            stack[-1].parts.append(tag)
            stack[-1].height = max(stack[-1].height, tag.height + 1)
        else:
            stack[-1].parts.append("}}")
    stack[-1].parts.append(text[at:])
    return _flat(stack)


def _flat(stack: list[Tag]) -> list[Part]:
    """The parts of the text with tags that were never closed as text."""
    parts = stack[0].parts
    for tag in stack[1:]:
        parts.append("{{")
        parts += tag.parts
    return parts
