"""What a category of a NovelAI lorebook does to its entries (spec formats §3.8).

An entry takes a default of its category where it still has the value that NovelAI gives to a new entry, and only if the
category says `useCategoryDefaults`. A category that is off switches its entries off. The entries themselves stay as
they are in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT
from lorewright.formats.dialect import homes
from lorewright.formats.fields import is_exact

__all__ = ["FACTORY_VALUES", "inherited"]

FACTORY_VALUES: Final[Mapping[str, tuple[object, ...]]] = {
    "enabled": (True,),
    "forceActivation": (False,),
    "keyRelative": (False,),
    "nonStoryActivatable": (False,),
    "searchRange": (1000,),
    "keys": ([],),
    "contextConfig.prefix": ("",),
    "contextConfig.suffix": ("\n",),
    "contextConfig.tokenBudget": (2048, 1),
    "contextConfig.reservedTokens": (0,),
    "contextConfig.budgetPriority": (400,),
    "contextConfig.trimDirection": ("trimBottom",),
    "contextConfig.insertionType": ("newline",),
    "contextConfig.maximumTrimType": ("sentence",),
    "contextConfig.insertionPosition": (-1,),
}
"""By place in an entry: what a new entry has there. A budget of tokens is a number or, later, a share of the context.

Titles, texts, ids and biases are an entry's own and are never taken from a category.
"""


def inherited(category: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """By place: the values that an entry has from its category and not by itself."""
    defaults = category.get("categoryDefaults")
    if not truthy(category.get("useCategoryDefaults")) or not isinstance(defaults, dict):
        return {}
    found: dict[str, Any] = {}
    for place, factory in FACTORY_VALUES.items():
        (home,) = homes(place)
        own, given = home.get(entry), home.get(defaults)
        is_untouched = own is ABSENT or any(is_exact(own, one) or _same_number(own, one) for one in factory)
        if is_untouched and given is not ABSENT and _is_like(given, factory[0]) and given not in factory:
            found[place] = given
    return found


def _same_number(left: object, right: object) -> bool:
    return _is_number(left) and _is_number(right) and left == right


def _is_like(value: object, factory: object) -> bool:
    """Whether a value is of the type of the factory's."""
    return type(value) is type(factory) or (_is_number(value) and _is_number(factory))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
