"""Bytes that stood were changed."""

from dataclasses import dataclass

__all__ = ["PlacementMoved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementMoved:
    """turn: in which it happened. cause: one of `core/record.py`. entry: whose text; empty: the client's own."""

    turn: int
    cause: str
    entry: str = ""
