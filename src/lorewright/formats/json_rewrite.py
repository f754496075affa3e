"""A new value into the text of an old one: what did not change stays as it was written, letter for letter."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from json.decoder import JSONDecoder
from typing import Any, Final

from lorewright.core.model import ABSENT
from lorewright.errors import FormatError

__all__ = ["Style", "rewrite_json", "style_of"]

_WHITE: Final = " \t\n\r"
_CLOSING: Final = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Style:
    """How new parts are written: what stands between items and behind names, and whether letters are escaped."""

    comma: str = ","
    colon: str = ":"
    escaped: bool = False

    def dump(self, value: object) -> str:
        """The value in one line.

        Raises:
            FormatError: an infinite number, which JSON does not have.
        """
        try:
            text = json.dumps(value, ensure_ascii=self.escaped, allow_nan=False, separators=(self.comma, self.colon))
        except ValueError as error:
            message = "JSON has no infinity and no NaN, and a number to be written is one. Give another number."
            raise FormatError(message) from error
        return text if text.isascii() or _is_whole(text) else replace(self, escaped=True).dump(value)


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of an object or list: what stands before it (with the comma), its name with the colon, its value's text."""

    gap: str
    head: str
    text: str
    name: str = ""


def rewrite_json(text: str, value: object) -> str:
    """The text of a JSON value, changed so that it is the text of another one.

    White space, escapes, the form of numbers and the order of names stay; new names stand at the end of their object,
    and lists are followed item by item from their beginning. Of a name that stands twice the last value counts and is
    changed. A text that is no strict JSON is written anew.

    Raises:
        FormatError: an infinite number in what is new.
    """
    body = text.strip(_WHITE)
    style = style_of(body)
    try:
        is_strict = _DECODER.raw_decode(body)[1] == len(body)
    except json.JSONDecodeError:
        is_strict = False
    changed = _rewrite(body, value, style) if is_strict else style.dump(value)
    before, _, after = text.partition(body)
    return before + changed + after


def style_of(text: str) -> Style:
    """The style of an object's text, by its first members."""
    wide = '": ' in text[: text.find(":") + 2]
    return Style(", " if wide else ",", ": " if wide else ":", text.isascii() and "\\u" in text)


def _rewrite(text: str, value: object, style: Style) -> str:
    old = _DECODER.decode(text)
    if _is_same(old, value):
        return text
    if isinstance(old, dict) and isinstance(value, dict):
        return _rewrite_object(text, value, style)
    if isinstance(old, list) and isinstance(value, list):
        return _rewrite_list(text, value, style)
    return style.dump(value)


def _rewrite_object(text: str, value: dict[str, Any], style: Style) -> str:
    items, tail = _split(text)
    last = {item.name: place for place, item in enumerate(items)}
    kept = [
        replace(item, text=_rewrite(item.text, value[item.name], style)) if last[item.name] == place else item
        for place, item in enumerate(items)
        if item.name in value
    ]
    added = [
        _Item(style.comma, style.dump(name) + style.colon, style.dump(value[name]))
        for name in value
        if name not in last
    ]
    return _joined(text, items, [*kept, *added], tail)


def _rewrite_list(text: str, value: list[Any], style: Style) -> str:
    items, tail = _split(text)
    kept = [replace(item, text=_rewrite(item.text, new, style)) for item, new in zip(items, value, strict=False)]
    added = [_Item(style.comma, "", style.dump(new)) for new in value[len(items) :]]
    return _joined(text, items, [*kept, *added], tail)


def _joined(text: str, items: list[_Item], kept: list[_Item], tail: str) -> str:
    """The text of an object or list of these items; the first one stands where the first one stood."""
    first_gap = items[0].gap if items else ""
    body = "".join((item.gap if place else first_gap) + item.head + item.text for place, item in enumerate(kept))
    return text[0] + body + (tail if kept else text[-1])


def _split(text: str) -> tuple[list[_Item], str]:
    """The items of an object's or list's text, and what stands behind the last one."""
    items: list[_Item] = []
    end, closing = 1, _CLOSING[text[0]]
    while True:
        start = _skip(text, end)
        if text[start] == ",":
            start = _skip(text, start + 1)
        if text[start] == closing:
            return items, text[end:]
        name, value_start = "", start
        if closing == "}":
            name, behind = _DECODER.raw_decode(text, start)
            value_start = _skip(text, _skip(text, behind) + 1)
        _, value_end = _DECODER.raw_decode(text, value_start)
        items.append(_Item(text[end:start], text[start:value_start], text[value_start:value_end], name))
        end = value_end


def _skip(text: str, place: int) -> int:
    while text[place] in _WHITE:
        place += 1
    return place


def _read_int(digits: str) -> int | str:
    """As `strict_json` reads it: an integer of more digits than Python converts is kept as a text."""
    try:
        return int(digits)
    except ValueError:
        return digits


_DECODER: Final = JSONDecoder(parse_int=_read_int)


def _is_same(left: object, right: object) -> bool:
    """Whether two values are the same but for the order of names; 1, 1.0 and true are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(_is_same(left[name], right.get(name, ABSENT)) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_same, left, right))
    return left == right


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no encoding can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
