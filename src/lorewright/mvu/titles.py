"""Marks in the titles of entries that say what they are for (spec mvu-filter §1)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["INITIAL", "PLOT", "UPDATE", "Mark", "has_mark"]

Mark: TypeAlias = Literal["[initvar]", "[mvu_plot]", "[mvu_update]"]

INITIAL: Final = "[initvar]"
PLOT: Final = "[mvu_plot]"
UPDATE: Final = "[mvu_update]"


def has_mark(title: object, mark: Mark) -> bool:
    """Whether a title holds a mark, in any case and anywhere."""
    return isinstance(title, str) and mark in title.lower()
