"""Cards that bring a program of their own to check the tree (spec mvu-vars §11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lorewright.mvu.values import Json

__all__ = ["OWN_CHECKS", "checks_itself"]

OWN_CHECKS: Final = "$own_checks"
"""A variable of the conversation: true says that the card checks its tree itself, so that we play without checks."""

_EXTENSIONS: Final = ("tavern_helper", "TavernHelper_scripts")
_TEXTS: Final = frozenset({"name", "content"})
_MARK: Final = re.compile(r"\bmvu[ _-]?zod\b|\bregisterMvuSchema\b|\bzod\b", re.IGNORECASE | re.ASCII)
_MOST: Final = 10_000
"""Values of an extension that are looked at."""


def checks_itself(extensions: Json) -> bool:
    """Whether a script among a card's extensions, by its name or its text, gives the tree a schema of the add-on."""
    if not isinstance(extensions, Mapping):
        return False
    waiting = [extensions.get(name) for name in _EXTENSIONS]
    for _ in range(_MOST):
        if not waiting:
            return False
        value = waiting.pop()
        if isinstance(value, Mapping):
            if any(_MARK.search(text) for text in _named_texts(value)):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False


def _named_texts(script: Mapping[str, Json]) -> Iterator[str]:
    return (text for name in _TEXTS if isinstance(text := script.get(name), str))
