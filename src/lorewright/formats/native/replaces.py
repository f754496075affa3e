"""The field `replaces` of a book's file <-> the model (spec injection-engine §8.2, §8.6)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from lorewright.core import replaces
from lorewright.core.model import Odd
from lorewright.core.replaces import Replace

__all__ = ["read_replaces", "write_replaces"]


def read_replaces(value: object) -> Any:
    """A list of rules, each a mapping with `find`, and perhaps `replace`, `target` and `flags`."""
    if value is not None and not isinstance(value, list):
        return Odd(value)
    rules = replaces.read_replaces(value)
    if not isinstance(rules, tuple) or value is None:
        return rules
    return tuple(replace(rule, written=json.dumps(item)) for rule, item in zip(rules, value, strict=True))


def write_replaces(rules: tuple[Replace, ...]) -> list[object]:
    """Every rule as it was written, or in full."""
    return [_plain(rule) for rule in rules]


def _plain(rule: Replace) -> object:
    value = json.loads(rule.written) if rule.written else None
    return value if value is not None and read_replaces([value]) == (rule,) else replaces.write_replaces((rule,))[0]
