"""The fields of a rules file: what each is called, what it takes, what it is when it is left out (§8.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.fields import read_flag
from lorewright.core.hosts import HOST_0_1_7
from lorewright.core.javascript import number
from lorewright.core.layers import CHANNELS, DEFAULT_CHANNEL, DEFAULT_LAYER, read_channel, read_layer
from lorewright.core.model import Odd
from lorewright.core.replaces import TARGETS, read_replaces
from lorewright.formats.wording import describe

__all__ = ["CACHE_SAFE", "COMPUTED", "FIELDS", "LOGICS", "MODES", "RuleField", "Unfit"]

MODES: Final = ("constant", "selective")
LOGICS: Final[Mapping[str, int]] = {"any": 0, "notAll": 1, "notAny": 2, "all": 3}
"""Names of `keyLogic`, with the numbers of `core.logic.LOGIC`."""
CACHE_SAFE: Final = "cacheSafe"
"""The default of the file that is no field of an entry."""
COMPUTED: Final = frozenset({"effectiveChannel", "sortKey", "routedForCache", "compiledKeys", "compiledReplaces"})
"""What a program may show beside an entry's fields, and what never goes into the file (§8.7)."""


class Unfit(Exception):
    """A value that its field does not take. The text says what is wanted; `found`: which part of it is wrong, if that
    can be said."""

    def __init__(self, wanted: str, found: str = "") -> None:
        super().__init__(wanted)
        self.found = found

    def whose(self, name: str, value: object, where: str = "") -> str:
        """What stands in the field, as the beginning of a sentence."""
        return f"{self.found} of `{name}`{where}" if self.found else f"`{name}`{where} is {describe(value)}"


@dataclass(frozen=True, slots=True)
class RuleField:
    """A field of an entry.

    name: as the file has it. attribute: as `Rule` has it. read: raises `Unfit`. in_defaults: whether `defaults` may
    have it.
    """

    name: str
    attribute: str
    read: Callable[[Any], Any]
    default: Any
    in_defaults: bool = True


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise Unfit("a text")


def _flag(value: object) -> bool:
    found = read_flag(value)
    if found is None:
        raise Unfit("true or false")
    return found


def _texts(value: object) -> tuple[str, ...]:
    items = [value] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else value
    if not isinstance(items, list):
        raise Unfit("a list of texts")
    try:
        return tuple(map(_text, items))
    except Unfit:
        raise Unfit("a list of texts") from None


def _number(value: object) -> float:
    found = math.nan if isinstance(value, bool) or (isinstance(value, str) and not value.strip()) else number(value)
    if isinstance(value, list) or math.isnan(found):
        raise Unfit("a number")
    return found


def _one_of(*words: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise Unfit(" or ".join((", ".join(f"`{word}`" for word in words[:-1]), f"`{words[-1]}`")))
        return value

    return read


def _channel(value: object) -> str:
    found = read_channel(value)
    if found is None:
        raise Unfit(" or ".join(f"`{channel}`" for channel in CHANNELS))
    return found


def _layer(value: object) -> str | float:
    found = read_layer(value)
    if found is None:
        raise Unfit(f"a number, or one of {', '.join(HOST_0_1_7.layers)}")
    return found


def _replaces(value: object) -> Any:
    found = read_replaces(value)
    if isinstance(found, Odd):
        raise Unfit(
            "a list of {find, replace, target, flags}, all of them texts; `find` must not be empty, and `target` is "
            f"{', '.join(TARGETS[:-1])} or {TARGETS[-1]}",
            _wrong_replace(value),
        )
    return found


def _wrong_replace(value: object) -> str:
    """Which item it is, and which value in it."""
    items = value if isinstance(value, (list, tuple)) else [value]
    at, item = next((at, one) for at, one in enumerate(items, 1) if isinstance(read_replaces([one]), Odd))
    if not isinstance(item, Mapping):
        return f"{describe(item)} is item {at}"
    if "find" not in item:
        return f"`find` is missing in item {at}"
    usual: dict[str, Any] = {"find": "x"}
    parts = {name: "" if name == "find" and part is None else part for name, part in item.items()}
    name = next(name for name, part in parts.items() if isinstance(read_replaces([usual | {name: part}]), Odd))
    return f"`{name}` is {describe(item[name])} in item {at}"


FIELDS: Final[Mapping[str, RuleField]] = {
    field.name: field
    for field in (
        RuleField("id", "id", _text, "", in_defaults=False),
        RuleField("name", "name", _text, "", in_defaults=False),
        RuleField("enabled", "is_enabled", _flag, True),
        RuleField("mode", "mode", _one_of(*MODES), "constant"),
        RuleField("keys", "keys", _texts, (), in_defaults=False),
        RuleField("keySecondary", "secondary", _texts, (), in_defaults=False),
        RuleField("keyLogic", "logic", _one_of(*LOGICS), "any"),
        RuleField("caseSensitive", "case_sensitive", _flag, False),
        RuleField("wholeWords", "whole_words", _flag, False),
        RuleField("scanDepth", "scan_depth", _number, 2),
        RuleField("probability", "probability", _number, 100),
        RuleField("seedSalt", "seed_salt", _text, ""),
        RuleField("layer", "layer", _layer, DEFAULT_LAYER),
        RuleField("channel", "channel", _channel, DEFAULT_CHANNEL),
        RuleField("content", "content", _text, "", in_defaults=False),
        RuleField("replaces", "replaces", _replaces, (), in_defaults=False),
        RuleField("cacheUnsafe", "cache_unsafe", _flag, False),
    )
}
"""The fields of an entry in the order in which they are documented."""
