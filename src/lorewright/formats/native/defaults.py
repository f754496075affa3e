"""What a book says of all its entries <-> the model."""

from __future__ import annotations

import json
from typing import Any, Final

from lorewright.core.layers import Defaults
from lorewright.core.model import Odd

__all__ = ["DEFAULT_NAMES", "read_defaults", "write_defaults"]

DEFAULT_NAMES: Final = ("cache_safe", "cacheSafe")
"""The one default there is, in our spelling and in that of rules files."""


def read_defaults(value: object) -> Any:
    """A mapping with `cache_safe`, true or false. Names that are not known are kept."""
    if value is None:
        return None
    if not isinstance(value, dict):
        return Odd(value)
    given = [value[name] for name in DEFAULT_NAMES if value.get(name) is not None]
    if not all(isinstance(one, bool) for one in given) or len(set(given)) > 1:
        return Odd(value)
    return Defaults(all(given), json.dumps(value))


def write_defaults(defaults: Defaults) -> object:
    """The defaults as they were written, or those that are not the usual ones."""
    if defaults.written:
        value = json.loads(defaults.written)
        if read_defaults(value) == defaults:
            return value
    return {} if defaults.cache_safe else {"cache_safe": False}
