"""Keys in one text, with commas between them: `harbour, port`, `/(a|b){1,2}/i, c`."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["join_keys", "split_keys"]

_KEY: Final = re.compile(r"\s*(/(?:[^\\/]|\\.)+/[dgimsuvy]*(?=\s*(?:,|$))|[^,]*)", re.DOTALL)


def split_keys(value: Any) -> Any:
    """The keys in a text, without blanks around them and without empty ones. Commas in `/…/flags` do not split.

    What is no text is given back as it is.
    """
    if not isinstance(value, str):
        return value
    keys: list[str] = []
    place = 0
    while place <= len(value):
        found = _KEY.match(value, place)
        assert found is not None, "an empty key always matches"
        keys.append(found[1].strip())
        comma = value.find(",", found.end())
        place = len(value) + 1 if comma < 0 else comma + 1
    return [key for key in keys if key]


def join_keys(value: Any) -> Any:
    """The other way round. A key with a comma in it becomes two when it is read again.

    What is no list of texts is given back as it is.
    """
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        return value
    return ", ".join(value)
