"""A model made up a fact, and it waits for a person."""

from dataclasses import dataclass

from lorewright.storage.image import Ref

__all__ = ["FactProposed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProposed:
    """fact: its number in the stream, from 1. turn: whose reply held it. entry: the entry made of it."""

    fact: int
    turn: int
    entry: Ref
