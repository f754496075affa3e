"""Entries that fare alike when they are written and read again: one of each kind is tried, and stands for the others.

Two entries are of one kind if all their fields are the same, but for texts, keys, order and ids; of those only what a
format can trip over has to be the same. What is unusual is of a kind of its own.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import fields
from operator import attrgetter
from typing import Final

from lorewright.core.model import Entry

__all__ = ["VARYING", "group_alike", "varies"]

VARYING: Final = frozenset({"title", "content", "keys", "secondary", "order"})
"""Fields in which entries of one kind may differ."""

_NAMED: Final = ("group", "outlet")
_SAME: Final = attrgetter(
    *(one.name for one in fields(Entry) if one.name not in {*VARYING, *_NAMED, "uid", "extra", "layout"})
)
_ORDERS: Final = frozenset({0, 1, 100, 400})
"""Orders that some format writes for an entry that has none."""
_LARGEST: Final = 2**31
_UNUSUAL: Final = re.compile(r"""[,，、"'`\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]""")
_TOLD_APART: Final = re.compile(r"[^\w -]")
_REGEX: Final = re.compile(r"/.+/[a-z]*")
_HARD_TEXT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_NUMBERED: Final = re.compile(r"'(?:displayIndex|display_index|id|uid)': \d+\b")


def group_alike(entries: Iterable[Entry]) -> list[list[int]]:
    """The places of the entries, by kind."""
    kinds: dict[Hashable, list[int]] = {}
    for place, entry in enumerate(entries):
        kinds.setdefault(_kind(entry), []).append(place)
    return list(kinds.values())


def varies(extra: object) -> bool:
    """Whether an extra field may be different in entries of one kind."""
    return _NUMBERED.search(repr(extra)) is not None


def _kind(entry: Entry) -> Hashable:
    """Values that are equal may count as different here, but never the other way round."""
    order: object = entry.order
    uid: object = entry.uid
    is_usual = type(order) is int and 0 <= order < _LARGEST and order not in _ORDERS
    return (
        tuple(map(id, _SAME(entry))),
        entry.group if type(entry.group) is str else id(entry.group),
        entry.outlet if type(entry.outlet) is str else id(entry.outlet),
        "order" if is_usual else (order,) if type(order) is int else id(order),
        "uid" if type(uid) is int and 0 <= uid < _LARGEST else (type(uid), uid),
        _keys_kind(entry.keys),
        _keys_kind(entry.secondary),
        _text_kind(entry.title, is_line=True),
        _text_kind(entry.content),
        _NUMBERED.sub("#", repr(dict(entry.extra))) if entry.extra else "",
    )


def _keys_kind(keys: object) -> Hashable:
    if not isinstance(keys, tuple):
        return id(keys)
    if not keys:
        return ""
    joined = "".join(keys)
    if _UNUSUAL.search(joined) or "" in keys or tuple(map(str.strip, keys)) != keys:
        return id(keys)
    told_apart = _TOLD_APART.findall(joined)
    if not told_apart:
        return min(len(keys), 2)
    patterns = tuple([_REGEX.fullmatch(key) is not None for key in keys])
    return patterns, frozenset(told_apart)


def _text_kind(text: object, *, is_line: bool = False) -> Hashable:
    if not isinstance(text, str):
        return id(text)
    if not text:
        return ""
    is_decorated = "@@" in text and (text.startswith("@@") or "\n@@" in text)
    if text[0].isspace() or text[-1].isspace() or is_decorated or _HARD_TEXT.search(text):
        return id(text)
    return (frozenset(_TOLD_APART.findall(text)), text[0].isdigit()) if is_line else "text"
