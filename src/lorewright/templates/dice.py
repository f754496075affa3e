"""Dice formulas: `2d6+1`, `d20`, `6`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import number_text

__all__ = ["DiceError", "roll"]

_FORMULA: Final = re.compile(r"([1-9]\d*)?d([1-9]\d*)([+-]\d+)?", re.ASCII | re.IGNORECASE)
_ONE_DIE: Final = re.compile(r"[1-9]\d*", re.ASCII)
_MOST_DIGITS: Final = 15


class DiceError(ValueError):
    """A formula asks for more than is allowed; the message is a sentence for people."""


def roll(formula: str, random: Callable[[], float], most: int) -> str | None:
    """The sum of a roll, one number of `random` for each die; None for what is no formula. A number alone is one die.

    Raises:
        DiceError: more than `most` dice, or numbers of more than 15 digits.
    """
    found = _FORMULA.fullmatch(f"1d{formula}" if _ONE_DIE.fullmatch(formula) else formula)
    if found is None:
        return None
    count, sides, more = found[1] or "1", found[2], found[3] or "0"
    if len(count) > _MOST_DIGITS or int(count) > most:
        raise DiceError(f"At most {most} dice can be rolled at once, not {count[:40]}.")
    if max(len(sides), len(more)) > _MOST_DIGITS:
        raise DiceError(f"The numbers of a roll may have {_MOST_DIGITS} digits.")
    total = sum(1 + math.floor(random() * int(sides)) for _ in range(int(count)))
    return number_text(total + int(more))
