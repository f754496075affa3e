"""The dialect `bme`: `{{path}}` in the texts of seed 000 (spec mvu-filter §7.1 and §9).

`substitute` is for entries and keys: anything that is not a path stays, a path to nothing is empty, objects are compact
JSON. `fill_block` is for blocks of a prompt: messages are written as a transcript, other objects as indented JSON.
Both are case-sensitive and go over a text once: values are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard

from lorewright.core.javascript import is_integer_like, number_text, value_as_text
from lorewright.templates.context import Json
from lorewright.templates.rendered import Record, Rendered
from lorewright.templates.variables import json_text

__all__ = ["CONTEXT_HEADER", "TARGET_HEADER", "fill_block", "is_template", "substitute"]

_PATH: Final = re.compile(r"\{\{\s*([A-Za-z0-9_.$]+)\s*\}\}")
_BLOCK_PATH: Final = re.compile(r"\{\{\s*([A-Za-z0-9_.]+)\s*\}\}")
_BLANK_LINE: Final = "\n\n"
_OUTPUT: Final = 1_000_000

CONTEXT_HEADER: Final = "--- 以下是上下文回顾（已提取过），仅供理解剧情 ---"
TARGET_HEADER: Final = "--- 以下是本次需要提取记忆的新对话内容 ---"
"""What stands before messages that were read before, and before those that the task is about, where there are both."""


def is_template(text: str) -> bool:
    """Whether rendering could change this text; false needs no context."""
    return "{{" in text


def substitute(text: str, values: Mapping[str, Json], *, output: int = _OUTPUT) -> Rendered:
    """An entry or a key with its paths filled in.

    Nothing is raised. A result of more than `output` characters is refused: the text stays, and a report says so.
    """
    return _filled(text, _PATH, values, _compact, output)


def fill_block(text: str, values: Mapping[str, Json], *, output: int = _OUTPUT) -> Rendered:
    """A block of a prompt with its paths filled in; see `substitute`."""
    return _filled(text, _BLOCK_PATH, values, _block_text, output)


def _filled(
    text: str, pattern: re.Pattern[str], values: Mapping[str, Json], show: Callable[[Json], str], output: int
) -> Rendered:
    record = Record()
    kept: dict[str, str] = {}
    pieces: list[str] = []
    at = 0
    for found in pattern.finditer(text) if is_template(text) else ():
        path = found[1]
        if path not in kept:
            record.read(f"value:{path.partition('.')[0]}")
            kept[path] = show(_follow(values, path))
        pieces += (text[at : found.start()], kept[path])
        at = found.end()
    pieces.append(text[at:])
    size = sum(map(len, pieces))
    if size > max(output, len(text)):
        record.report(
            "macro_output_limit",
            f"The rendered text has {size:,} characters; {output:,} are allowed. It stays as it was.",
            "error",
        )
        pieces = [text]
    return Rendered("".join(pieces), frozenset(record.kinds), frozenset(record.reads), reports=record.reports)


def _follow(values: Mapping[str, Json], path: str) -> Json:
    """The value at a path, None where there is none. Lists have places and a length, texts a length."""
    found: Json = values
    for name in path.split("."):
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, (list, tuple, str)) and name == "length":
            found = len(found)
        elif isinstance(found, (list, tuple, str)) and is_integer_like(name):
            found = found[int(name)] if int(name) < len(found) else None
        else:
            return None
    return found


def _compact(value: Json) -> str:
    if value is None:
        return ""
    return json_text(value) if isinstance(value, (Mapping, list, tuple)) else value_as_text(value)


def _block_text(value: Json) -> str:
    if _is_message(value):
        return _transcript([value])
    if isinstance(value, (list, tuple)) and value and all(map(_is_message, value)):
        return _transcript(list(value))
    return _indented(value, "") if isinstance(value, (Mapping, list, tuple)) else _compact(value)


def _is_message(value: Json) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping) and any(isinstance(value.get(key), str) for key in ("content", "mes"))


def _transcript(messages: list[Mapping[str, Any]]) -> str:
    """`#seq [role|speaker]: text`, a blank line between messages; headings where old and new ones are told apart."""
    marked = {message.get("isContextOnly") is True for message in messages}
    told_apart = marked == {True, False}
    pieces: list[str] = []
    before: bool | None = None
    for number, message in enumerate(messages, start=1):
        context_only = message.get("isContextOnly") is True
        if told_apart and context_only is not before:
            pieces.append(CONTEXT_HEADER if context_only else TARGET_HEADER)
        before = context_only
        pieces.append(_line(message, number))
    return _BLANK_LINE.join(pieces)


def _line(message: Mapping[str, Any], number: int) -> str:
    seq = message.get("seq")
    place = seq if isinstance(seq, (int, float)) and not isinstance(seq, bool) else number
    is_user = message.get("role") == "user" or message.get("is_user") is True
    speaker = "" if message.get("hideSpeakerLabel") else message.get("speaker") or message.get("name") or ""
    label = "user" if is_user else "assistant"
    if isinstance(speaker, str) and speaker:
        label += f"|{speaker}"
    text = message["content"] if isinstance(message.get("content"), str) else message["mes"]
    return f"#{number_text(place)} [{label}]: {text}"


def _indented(value: Json, margin: str) -> str:
    """`JSON.stringify(value, null, 2)`."""
    if not isinstance(value, (Mapping, list, tuple)) or not value:
        return json_text(value)
    inner = margin + "  "
    if isinstance(value, Mapping):
        plain = dict(value)
        keys = sorted(filter(is_integer_like, plain), key=int) + [key for key in plain if not is_integer_like(key)]
        items = [f"{json_text(key)}: {_indented(plain[key], inner)}" for key in keys]
        opening, closing = "{}"
    else:
        items = [_indented(item, inner) for item in value]
        opening, closing = "[]"
    body = ",\n".join(f"{inner}{item}" for item in items)
    return f"{opening}\n{body}\n{margin}{closing}"
