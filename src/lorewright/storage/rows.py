"""What is stored in a ledger file, row by row."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EventRow", "NodeRow", "TextRow"]


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
