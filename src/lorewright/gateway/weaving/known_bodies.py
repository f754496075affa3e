"""Requests read as JSON: what stood in an earlier one, byte for byte, is not read again.

A chat sends all of its messages each time, and the new ones behind them. So a request mostly begins with the bytes of an
earlier one up to the end of its list, and only what follows is to be read.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["KnownBodies"]

_DECODER: Final = json.JSONDecoder()
_LISTS: Final = ("messages", "input")
_LEAST_BYTES: Final = 16_000
"""A smaller request is read as fast."""
_MOST_BYTES: Final = 1_000_000
_MOST_KEPT_BYTES: Final = 3_000_000
"""Of all requests that are kept, and of what was read of them; the oldest goes first."""
_BYTES_OF_AN_ITEM: Final = 400
"""What an item that was read costs beside its texts."""
_SPACE: Final = " \t\r\n"
_SPACES: Final = re.compile(f"[{_SPACE}]*+")
_REST: Final = secrets.token_hex(8)
"""A name for the list of what is new; no client can know it."""
_BEFORE_REST: Final = b'{"%b":[0' % _REST.encode()
"""In front of what is new, which begins with a comma if there is anything."""


class _Head(NamedTuple):
    """A request up to behind the last item of its list, and what was read there, the list included."""

    written: bytes
    name: str
    fields: Mapping[str, Any]

    @property
    def size_bytes(self) -> int:
        return len(self.written) + _BYTES_OF_AN_ITEM * len(self.fields[self.name])


class KnownBodies:
    """Keeps requests from one to the next. Safe to share between threads: what is kept is replaced, never changed."""

    def __init__(self) -> None:
        self._heads: tuple[_Head, ...] = ()

    def read(self, body: bytes) -> Any:
        """The same as `json.loads`. The items of the list are the objects that they were in an earlier request.

        Raises:
            ValueError, RecursionError: it cannot be read.
        """
        if not _LEAST_BYTES <= len(body) <= _MOST_BYTES:
            return json.loads(body)
        known = next((head for head in self._heads if body.startswith(head.written)), None)
        found = _go_on(known, body) if known is not None else None
        if found is None:
            known, found = None, _read(body)
        if found is None:
            return json.loads(body)
        value, head = found
        if head is not None and (known is None or len(head.written) > len(known.written)):
            self._keep(head, known)
        return value

    def _keep(self, head: _Head, known: _Head | None) -> None:
        """Keep what was read last; a chat that went on is kept once."""
        heads, size = [head], head.size_bytes
        for one in self._heads:
            size += one.size_bytes
            if one is not known and size <= _MOST_KEPT_BYTES:
                heads.append(one)
        self._heads = tuple(heads)


def _read(body: bytes, lists: Sequence[str] = _LISTS) -> tuple[dict[str, Any], _Head | None] | None:
    """A request, and its head if it has a list; None: it is written in a way that is left to the library."""
    try:
        text = body.decode()
        fields: dict[str, Any] = {}
        head = None
        at = _skip(text, 0)
        if text[at] != "{":
            return None
        sign = ","
        while sign == ",":
            name, at = _DECODER.raw_decode(text, _skip(text, at + 1))
            at = _skip(text, at)
            if not isinstance(name, str) or name in fields or text[at] != ":":
                return None
            fields[name], end = _DECODER.raw_decode(text, _skip(text, at + 1))
            value = fields[name]
            if head is None and name in lists and isinstance(value, list) and value:
                head = _Head(text[: end - 1].rstrip(_SPACE).encode(), name, {**fields, name: tuple(value)})
            at = _skip(text, end)
            sign = text[at]
        if sign != "}" or _skip(text, at + 1) != len(text):
            return None
    except (ValueError, IndexError):
        return None
    return fields, head


def _go_on(head: _Head, body: bytes) -> tuple[dict[str, Any], _Head | None] | None:
    """A request that begins with this head; None: what follows is not only new items, and other fields."""
    behind = body[len(head.written) :]
    if behind.lstrip(_SPACE.encode())[:1] not in (b",", b"]"):
        return None
    others, rest = _read(_BEFORE_REST + behind, (_REST,)) or ({}, None)
    if rest is None:
        return None
    items = [*head.fields[head.name], *others.pop(_REST)[1:]]
    if not head.fields.keys().isdisjoint(others):
        return None
    written = head.written + rest.written[len(_BEFORE_REST) :]
    kept = _Head(written, head.name, {**head.fields, head.name: tuple(items)})
    return {**head.fields, head.name: items, **others}, kept


def _skip(text: str, at: int) -> int:
    """Where the next letter is that is no white space."""
    found = _SPACES.match(text, at)
    assert found is not None  # it may be empty
    return found.end()
