"""The four ways in which secondary keys decide (spec world-info §4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

__all__ = ["LOGIC", "Logic", "Verdict", "judge"]

Logic = Literal["and_any", "not_all", "not_any", "and_all"]
LOGIC: Final[tuple[Logic, ...]] = ("and_any", "not_all", "not_any", "and_all")
"""By the number that SillyTavern's files use."""

K = TypeVar("K")


class Verdict(NamedTuple):
    """Whether the secondary keys let the entry pass; `place` is the index of the key that decided, if one did."""

    passes: bool
    place: int | None = None


def judge(logic: Logic | None, keys: Sequence[K], matches: Callable[[K], bool]) -> Verdict:
    """Test secondary keys in order.

    `and_any` and `not_all` stop at the first key that lets the entry pass; the others test every key, as SillyTavern
    does (it shows in the random numbers that macros in keys use). A logic of None, an unknown number, never passes.
    """
    veto: int | None = None
    for place, key in enumerate(keys):
        found = matches(key)
        if (logic == "and_any" and found) or (logic == "not_all" and not found):
            return Verdict(passes=True, place=place)
        if veto is None and ((logic == "not_any" and found) or (logic == "and_all" and not found)):
            veto = place
    return Verdict(passes=logic in ("not_any", "and_all") and veto is None, place=veto)
