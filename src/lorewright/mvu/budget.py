"""How large the variables of a chat may become: 1 MB, 100 levels."""

from __future__ import annotations

from typing import Final

from lorewright.mvu.refusal import Refused
from lorewright.mvu.values import FORBIDDEN, MISSING, Json, measure

__all__ = ["LARGEST_TREE", "LONGEST_PATH", "Budget", "check_steps"]

LARGEST_TREE: Final = 1024 * 1024
"""About the bytes of the tree's JSON text."""
LONGEST_PATH: Final = 1_000
DEEPEST: Final = 100
_MOST_MEASURES: Final = 10


class Budget:
    """What is left of it while the commands of one reply are carried out."""

    def __init__(self, tree: Json) -> None:
        self._size = measure(tree).size
        self._measures = 0

    def admit(self, tree: Json, added: Json, steps: int, *, removed: Json = MISSING, besides: int = 0) -> None:
        """Take note of a tree that a value was added to, so many steps from its root.

        The size is counted on from command to command, and now and then measured, because merged values count twice.
        `besides`: bytes that came in with it.

        Raises:
            Refused: the tree is too large or too deep now.
        """
        found = measure(added)
        if found.depth + steps > DEEPEST:
            raise Refused("too_large", f"The variables may be nested {DEEPEST} levels deep.")
        size = self._size + found.size + besides - (0 if removed is MISSING else measure(removed).size)
        if size > LARGEST_TREE and self._measures < _MOST_MEASURES:
            self._measures += 1
            size = measure(tree).size
        if size > LARGEST_TREE:
            raise Refused("too_large", f"The variables would take more than {LARGEST_TREE:,} bytes.")
        self._size = size


def check_steps(path: str, steps: list[str]) -> None:
    """Refuse paths that nobody writes, and names that reach behind objects.

    Raises:
        Refused: this is such a path.
    """
    if len(path) > LONGEST_PATH or len(steps) > DEEPEST:
        raise Refused("too_large", f"A path may have {LONGEST_PATH:,} letters and {DEEPEST} steps.")
    if found := FORBIDDEN.intersection([path, *steps]):
        raise Refused("unsafe_path", f"The name `{min(found)}` reaches behind objects and may not stand in a path.")
