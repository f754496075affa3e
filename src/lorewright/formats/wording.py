"""What a person is told a value is."""

from __future__ import annotations

from lorewright.core.javascript import number_text

__all__ = ["describe", "some_entries"]

_TYPES = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


def describe(value: object) -> str:
    """A value for a sentence: `the text "4"`, `a list`, `null`. Long texts are cut, lone surrogates escaped."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {number_text(value)}"
    if isinstance(value, str):
        shown = value if len(value) <= 40 else value[:39] + "…"
        return f"the text {ascii(shown) if _has_surrogates(shown) else repr(shown)}"
    return _TYPES.get(type(value), f"a {type(value).__name__}")


def some_entries(some: int, whole: int, one: str, many: str) -> str:
    """How many of the entries do something: `1 of 4 entries has`, `The only entry has`."""
    if whole == 1:
        return f"The only entry {one}"
    return f"{some} of {whole} entries {one if some == 1 else many}"


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
