"""Objects of JSON as items of lists that a memo compares with earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeVar

from lorewright.core.memo import Memo

__all__ = ["read_each"]

Read = TypeVar("Read")
_PLAIN: Final = {("role", "content")}


class _Exact:
    """An object that equals another one only if both are written alike: for Python 1, 1.0 and true are equal, and so are
    objects whose fields stand in another order."""

    __slots__ = ("_text", "raw")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self._text = json.dumps(raw)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Exact) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


def read_each(memo: Memo, read: Callable[[Mapping[str, Any], int], Read], items: Sequence[Any]) -> Sequence[Read]:
    """`read(object, place)` for each of these objects, or what came of it when it stood there in an earlier request."""
    exact = items if _are_plain(items) else [item if _are_plain((item,)) else _Exact(item) for item in items]
    return memo.each(_read, exact, read)


def _are_plain(items: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any two of these that Python takes for equal are written alike: they are a role and a text, in this order.
    In a long chat all are, so they are asked together."""
    if set(map(tuple, items)) != _PLAIN:
        return False
    return set(map(type, chain.from_iterable(item.values() for item in items))) == {str}


def _read(place: int, item: Any, read: Callable[[Mapping[str, Any], int], Read]) -> Read:
    return read(item.raw if isinstance(item, _Exact) else item, place)
