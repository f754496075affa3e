"""A text in code units, as JavaScript sees it, and in code points."""

from __future__ import annotations

import sys
from array import array
from typing import Final

__all__ = ["code_points", "code_units", "unit_array", "unit_text"]

_CODEC: Final = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"


def unit_array(text: str) -> array[int]:
    """The UTF-16 code units of a text; half a pair is a unit, too."""
    return array("H", text.encode(_CODEC, "surrogatepass"))


def unit_text(units: array[int]) -> str:
    """The text of UTF-16 code units, each pair of surrogates made one character."""
    return units.tobytes().decode(_CODEC, "surrogatepass")


def code_units(text: str) -> str:
    """The text as JavaScript sees it: each UTF-16 code unit a character."""
    return "".join(map(chr, unit_array(text)))


def code_points(text: str) -> str:
    """The text with each pair of surrogates made one character."""
    return text if text.isascii() else unit_text(unit_array(text))
