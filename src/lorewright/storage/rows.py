"""What is stored in a ledger file, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lorewright.errors import LedgerError
from lorewright.storage.packing import unpack

__all__ = ["EventRow", "NodeRow", "TextRow", "read_event"]


class EventRow(NamedTuple):
    """An event as it is stored. `hash` covers it and the one before."""

    number: int
    kind: str
    body: bytes
    hash: bytes


class TextRow(NamedTuple):
    """A text as it is stored; all but the commitment are None after erasing."""

    commitment: str
    hash: bytes | None
    salt: bytes | None
    packing: int | None
    data: bytes | None


class NodeRow(NamedTuple):
    """Where a node is: at a place of the tuple that is the text `holder`."""

    key: str
    parent: str
    digest: str
    number: int
    holder: str
    place: int


def read_event(row: Sequence[Any]) -> EventRow:
    """An event from number, kind, packing, body and hash as they are stored."""
    number, kind, packing, body, hashed = row
    try:
        data = unpack(packing, _as_bytes(body), "") or b""
    except LedgerError as error:  # whoever checks the hash finds it
        data = _as_bytes(error)
    return EventRow(number, str(kind), data, _as_bytes(hashed))


def _as_bytes(value: object) -> bytes:
    """A value that somebody changed may have another type; it is then no bytes that were ever written."""
    return value if isinstance(value, bytes) else f"no bytes: {value!r}".encode("utf-8", "surrogatepass")
