"""What in a text with code is not closed, found without running anything. The engine's own words for it are about the
program that is made of the text, which nobody has seen."""

from __future__ import annotations

import re
from typing import Final

from lorewright.templates.ejs.tags import split_tags

__all__ = ["Imbalance", "find_imbalance", "find_open_tag", "without_escaped_parts"]

Imbalance = tuple[str, int]
"""A sentence without its line, and the line from 1."""

_ESCAPED_PART: Final = re.compile(r"<#escape-ejs>.*?<#/escape-ejs>", re.DOTALL)
_MARK: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\n|[][(){}]""", re.DOTALL
)
"""Comments, strings, line ends and braces. A regular expression is not told from a division."""
_CLOSES: Final = {"}": "{", ")": "(", "]": "["}


def without_escaped_parts(text: str) -> str:
    """The text without the parts in which nothing is code, with the same lines."""
    return _ESCAPED_PART.sub(lambda found: "\n" * found[0].count("\n"), text)


def find_open_tag(text: str) -> Imbalance | None:
    """The first tag that is not closed."""
    line = 1
    for piece in split_tags(without_escaped_parts(text)):
        if piece.opening and not piece.closing:
            return f"the tag `{piece.opening}` is never closed", line
        line += piece.whole.count("\n")
    return None


def find_imbalance(text: str) -> Imbalance | None:
    """The tag, or else the brace of its code, that is not closed or that closes nothing. Meant for a text that does not
    compile: in one that does, a regular expression may hold a brace alone."""
    if (tag := find_open_tag(text)) is not None:
        return tag
    open_braces: list[Imbalance] = []
    line = 1
    for piece in split_tags(without_escaped_parts(text)):
        at = line
        for mark in _MARK.findall(piece.text) if piece.kind in {"code", "output"} else ():
            if mark in _CLOSES:
                if not open_braces or open_braces[-1][0] != _CLOSES[mark]:
                    return f"`{mark}` closes nothing", at
                open_braces.pop()
            elif len(mark) == 1 and mark != "\n":
                open_braces.append((mark, at))
            at += mark.count("\n")
        line += piece.whole.count("\n")
    if not open_braces:
        return None
    brace, at = open_braces[-1]
    return f"`{brace}` is never closed", at
