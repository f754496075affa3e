"""Bodies between an opening and a closing tag: which tags belong together, and what their white space becomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lorewright.core.javascript import trim
from lorewright.templates.sillytavern.syntax import Tag

__all__ = ["dedent", "else_tag", "pair"]

_INDENT = re.compile(r"[ \t]*")


def pair(tags: Sequence[Tag], takes_body: Callable[[Tag], bool]) -> Mapping[int, int]:
    """The place of the closer of each opener that has one.

    Tags match by the name as it is written, in any case. Of openers inside, those count that can take a body. An
    opener that cannot still gets the next closer that nobody else takes.
    """
    closers = {tag.key for tag in tags if tag.closing and not tag.scope}
    if not closers:
        return {}
    found: dict[int, int] = {}
    waiting: dict[str, list[int]] = {key: [] for key in closers}
    unfit: dict[str, list[tuple[int, int]]] = {key: [] for key in closers}
    for place, tag in enumerate(tags):
        if tag.scope or tag.key not in closers:
            continue
        openers, others = waiting[tag.key], unfit[tag.key]
        if not tag.closing:
            if takes_body(tag):
                openers.append(place)
            else:
                others.append((place, len(openers)))
        elif openers:
            found[openers.pop()] = place
            while others and others[-1][1] > len(openers):
                others.pop()
        else:
            found.update((opener, place) for opener, _ in others)
            others.clear()
    return found


def else_tag(tags: Sequence[Tag], *, lower_case: bool) -> Tag | None:
    """The `{{else}}` that divides the body of an `if`.

    Inner `if`s with a body of their own are passed over, other bodies are not. With `lower_case` both names count in
    lower case only (spec macros §A.4).
    """
    depth = 0
    for tag in tags:
        if tag.scope or tag.buried:
            continue
        name = tag.name if lower_case else tag.key
        if name == "if":
            if tag.closing:
                depth -= 1
            elif len(tag.arguments) < 2:
                depth += 1
        elif name == "else" and not tag.closing and depth == 0:
            return tag
    return None


def dedent(body: str) -> str:
    """A body without the indentation of its first line that is not blank, and without white space at its ends."""
    lines = body.split("\n")
    first = next((line for line in lines if trim(line)), "")
    indent = _INDENT.match(first)
    width = indent.end() if indent else 0
    if width:
        lines = [_without(line, width) for line in lines]
    return trim("\n".join(lines))


def _without(line: str, width: int) -> str:
    indent = _INDENT.match(line)
    return line[min(width, indent.end() if indent else 0) :]
