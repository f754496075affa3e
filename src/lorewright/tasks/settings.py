"""How a task reads world books, by the names of seed 000."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.javascript import number, trim, truthy, value_as_text

__all__ = ["FILTER_SETTINGS", "TaskSettings", "lay_over", "read_task_settings"]

FILTER_SETTINGS: Final = ("worldInfoFilterMode", "worldInfoFilterCustomKeywords", "worldInfoMaxResolvePasses")
"""The names that a profile and a route may set for themselves."""

_MAX_PASSES: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """filter_mode: `custom` filters by `keywords` alone; every other text means the default filter, and is told again in
    reports. keywords: lower-cased, in the order in which they are tried. max_passes: how often all entries are rendered
    while templates switch others on.
    """

    filter_mode: str = "default"
    keywords: tuple[str, ...] = ()
    max_passes: float = _MAX_PASSES

    @property
    def is_custom(self) -> bool:
        """Whether the user's keywords decide."""
        return self.filter_mode == "custom"


def read_task_settings(*layers: Mapping[str, Any]) -> TaskSettings:
    """The settings of one task; of several layers (all tasks, a profile, a route) the last that names a setting counts.

    Only `custom`, with white space around it or none, switches the filter. Keywords are split at ASCII commas; without
    the custom mode there are none. Values of wrong types mean what they mean in JavaScript, as in the recorded program.
    """
    said = lay_over(*layers)
    mode = trim(_text(said.get("worldInfoFilterMode")) or "default") or "default"
    words = _text(said.get("worldInfoFilterCustomKeywords")) if mode == "custom" else ""
    passes = number(said.get("worldInfoMaxResolvePasses"))
    return TaskSettings(
        filter_mode=mode,
        keywords=tuple(filter(None, (trim(word).lower() for word in words.split(",")))),
        max_passes=passes if math.isfinite(passes) and passes > 0 else _MAX_PASSES,
    )


def lay_over(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """What the layers say about filtering; the last that names a setting counts."""
    return {name: layer[name] for layer in layers for name in FILTER_SETTINGS if name in layer}


def _text(value: object) -> str:
    return value_as_text(value) if truthy(value) else ""
