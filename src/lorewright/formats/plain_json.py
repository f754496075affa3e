"""Values as JSON that every reader takes: no lone surrogates, no infinities, no tuples."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

__all__ = ["as_json"]

_UNPRINTABLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Lone surrogates have no UTF-8; the others are control characters and direction marks, which some terminals obey."""


def as_json(value: object, *, ascii_only: bool = False) -> str:
    """The value as indented JSON text. Lone surrogates are written as escapes, so it is always valid UTF-8."""
    text = json.dumps(_plain(value), ensure_ascii=ascii_only, indent=2, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: object) -> object:
    """JSON has no numbers beyond a double: they become the texts that JavaScript shows for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, frozenset)):
        return [_plain(item) for item in value]
    return value
