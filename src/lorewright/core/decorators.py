"""Decorator lines at the top of an entry's content (spec world-info §4.4)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Decorated", "read_decorators"]

_KNOWN = ("@@activate", "@@dont_activate")


class Decorated(NamedTuple):
    """Content without its decorator lines, what the lines ask for, and those that are known, without the third `@`."""

    content: str
    activate: bool = False
    suppress: bool = False
    lines: tuple[str, ...] = ()


def read_decorators(content: str) -> Decorated:
    """Read the lines that start with `@@` from the top.

    A line `@@@x` counts as `@@x`, but only if the decorator line before it was unknown. If every line is a
    decorator, nothing is removed and the lines stay in the text (case decorators-005).
    """
    if not content.startswith("@@"):
        return Decorated(content)
    lines = content.split("\n")
    known: list[str] = []
    fallback = False
    for place, line in enumerate(lines):
        if not line.startswith("@@"):
            body = "\n".join(lines[place:])
            break
        if line.startswith("@@@"):
            if not fallback:
                continue
            line = line[1:]  # noqa: PLW2901 - the fallback is read as a decorator of its own
        fallback = not line.startswith(_KNOWN)
        if not fallback:
            known.append(line)
    else:
        body = content
    return Decorated(body, "@@activate" in known, "@@dont_activate" in known, tuple(known))
