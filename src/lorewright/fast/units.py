"""A text in code units, as JavaScript sees it, and in code points."""

from __future__ import annotations

from array import array

__all__ = ["code_points", "code_units"]


def code_units(text: str) -> str:
    """The text as JavaScript sees it: each UTF-16 code unit a character."""
    return "".join(map(chr, array("H", text.encode("utf-16", "surrogatepass"))[1:]))


def code_points(text: str) -> str:
    """The text with each pair of surrogates made one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
