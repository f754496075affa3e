"""Paths as card authors and models write them: `a.b[0]["c d"]` -> the names of the steps (spec mvu-vars §3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lorewright.core.javascript import WHITE_SPACE, trim
from lorewright.mvu.values import MISSING, Json

__all__ = ["fix_path", "get", "has", "index_of", "look_up", "split_path", "steps_in", "trim_quotes"]

_OUTER: Final = "\\\"'` "
_LINE_BREAK: Final = re.compile("[\n\r\u2028\u2029]")
_BRACKETS: Final = re.compile(r"\[([^\]]*)\]")
_QUOTED_STEP: Final = re.compile(r"""(^|\.)(["'])([^"']*)\2(?=\.|\[|\Z)""")
_DIGITS: Final = re.compile(r"[0-9]+")
_INDEX: Final = re.compile(r"0|[1-9][0-9]*")
_IN_BRACKETS: Final = re.compile(
    r"""\[(?:(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<quote>["'])(?P<name>(?:(?!(?P=quote))[^\\]|\\.)*?)(?P=quote))\]"""
)
_ESCAPED: Final = re.compile(r"\\(\\)?")
_NAME: Final = re.compile(r"[^.\[\]]+")
_WORD: Final = re.compile(r"\w*", re.ASCII)
_SPLITS: Final = re.compile(r"""\.|\[(?:[^\[\]]*|(["'])(?:(?!\1)[^\\]|\\.)*?\1)\]""")


def trim_quotes(text: str) -> str:
    """Without quotes, backslashes and spaces on the outside; a text with a line break stays as it is."""
    return text if _LINE_BREAK.search(text) else text.strip(_OUTER)


def fix_path(path: str) -> str:
    """The spelling that paths are split in: names in brackets lose their quotes where they are neither digits nor hold
    white space, and a quoted step between dots is written plainly or in brackets."""
    return _QUOTED_STEP.sub(_plain_step, _BRACKETS.sub(_plain_brackets, path))


def _plain_brackets(found: re.Match[str]) -> str:
    inner = trim(found[1])
    quoted = len(inner) > 1 and inner[0] in "\"'" and inner[0] == inner[-1]
    name = inner[1:-1] if quoted else inner
    if (quoted and _DIGITS.fullmatch(name)) or _has_space(name):
        return _in_brackets(name)
    return f"[{name}]"


def _plain_step(found: re.Match[str]) -> str:
    before, name = found[1], found[3]
    if _has_space(name) or any(sign in name for sign in ".[]"):
        return _in_brackets(name)
    return before + name


def _in_brackets(name: str) -> str:
    escaped = name.replace('"', '\\"')
    return f'["{escaped}"]'


def _has_space(text: str) -> bool:
    return any(letter in WHITE_SPACE for letter in text)


def split_path(path: str) -> list[str]:
    """The steps of a path. Two dots in a row, a dot at an end and `[]` make a step with the empty name."""
    steps = [""] if path.startswith(".") else []
    at = 0
    while at < len(path):
        if found := _IN_BRACKETS.match(path, at):
            named = found["quote"] is not None
            steps.append(_ESCAPED.sub(r"\1", found["name"]) if named else found["number"])
            at = found.end()
        elif found := _NAME.match(path, at):
            steps.append(found[0])
            at = found.end()
        else:
            if _is_blank(path, at):
                steps.append("")
            at += 1
    return steps


def _is_blank(path: str, at: int) -> bool:
    """Whether a step without a name ends here: a dot or `[]`, and behind it another one or nothing."""
    behind = at + 1 if path[at] == "." else at + 2 if path.startswith("[]", at) else 0
    return bool(behind) and (behind == len(path) or path[behind] == "." or path.startswith("[]", behind))


def steps_in(path: str, holder: Json) -> list[str]:
    """The steps of a path into a value: the whole text is one step if the value has a member of that name (§3.5)."""
    if _WORD.fullmatch(path) or not _SPLITS.search(path) or (isinstance(holder, dict) and path in holder):
        return [path]
    return split_path(path)


def index_of(step: str, size: int) -> int | None:
    """The place that a step names in a list of this size."""
    if len(step) > len(str(size)) or not _INDEX.fullmatch(step):
        return None
    place = int(step)
    return place if place < size else None


def look_up(holder: Json, steps: Sequence[str]) -> Json:
    """The value behind the steps; `MISSING` where a step is no own member or no place of a list."""
    for step in steps:
        if isinstance(holder, dict):
            holder = holder.get(step, MISSING)
        elif isinstance(holder, list) and (place := index_of(step, len(holder))) is not None:
            holder = holder[place]
        else:
            return MISSING
        if holder is MISSING:
            return MISSING
    return holder


def get(holder: Json, path: str) -> Json:
    """The value at a path, or `MISSING`."""
    return look_up(holder, steps_in(path, holder))


def has(holder: Json, path: str) -> bool:
    """Whether there is a value at a path."""
    return get(holder, path) is not MISSING
