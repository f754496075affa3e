"""SillyTavern's variables: what reading, adding, counting and keys do to values of any JSON type (spec macros §B).

`Variables` is a copy on write: the context's mappings are never changed, and every name that is read or written is
recorded. Both of SillyTavern's macro engines use it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from lorewright.core.javascript import is_integer_like, number, number_text, trim, value_as_text
from lorewright.templates.context import Json
from lorewright.templates.rendered import Record

__all__ = ["MAX_INDEX", "Scope", "VariableError", "Variables", "json_text", "shown"]

Scope: TypeAlias = Literal["local", "global"]

_NO_NAME = "A variable needs a name. Write one before the value."
_SURROGATES = re.compile("[\ud800-\udfff]")

_EXACT = 2**53

MAX_INDEX = 9_999
"""The highest list index that `setvarkey` fills up to (our limit: the program has none)."""


class VariableError(ValueError):
    """A macro cannot do this to a variable; the message is a sentence for people."""


class Variables:
    """Local and global variables of one rendering."""

    def __init__(self, local: Mapping[str, Json], shared: Mapping[str, Json], record: Record) -> None:
        self._scopes: dict[Scope, Mapping[str, Json]] = {"local": local, "global": shared}
        self._own: set[Scope] = set()
        self._record = record

    def values(self, scope: Scope) -> Mapping[str, Json]:
        """All variables of a scope as they are now."""
        return self._scopes[scope]

    def has(self, scope: Scope, name: str) -> bool:
        self._record.read(f"{scope}:{name}")
        return name in self._scopes[scope]

    def raw(self, scope: Scope, name: str) -> Json:
        """The stored value, None for a missing one."""
        self._record.read(f"{scope}:{name}")
        return self._scopes[scope].get(name)

    def get(self, scope: Scope, name: str, key: str | None = None) -> Json:
        """The value as SillyTavern gives it: a number where JavaScript takes it for one, "" for a missing one.

        With `key`, the item of a list or object that is written as JSON text; a text that is no JSON whole.
        """
        value = self.raw(scope, name)
        if value is None and (key is None or name not in self._scopes[scope]):
            return 0 if name in self._scopes[scope] else ""
        return _as_number(value if key is None else _item(value, key))

    def set(self, scope: Scope, name: str, value: Json) -> None:
        """Store a value.

        Raises:
            VariableError: the name is empty.
        """
        if not name:
            raise VariableError(_NO_NAME)
        self._change(scope)[name] = value
        self._record.write(f"{scope}:{name}")

    def set_key(self, scope: Scope, name: str, key: str, value: str) -> None:
        """Store an item of a list or object that is kept as JSON text; a variable that is no such text stays.

        Raises:
            VariableError: the name is empty, or the index is above `MAX_INDEX`.
        """
        if not name:
            raise VariableError(_NO_NAME)
        raw = self.raw(scope, name)
        held = None if raw is None else _parse(raw)
        index = number(key)
        if held is None:
            held = {} if math.isnan(index) else []
        if isinstance(held, dict):
            if key != "__proto__":
                held[key if math.isnan(index) else number_text(index)] = value
        elif isinstance(held, list):
            _put(held, key, index, value)
        else:
            return
        self.set(scope, name, json_text(held))

    def delete(self, scope: Scope, name: str) -> None:
        """Remove a variable, if it is there."""
        if name in self._scopes[scope]:
            del self._change(scope)[name]
        self._record.write(f"{scope}:{name}")

    def add(self, scope: Scope, name: str, value: str | float) -> Json:
        """Append to a list, add numbers, or join texts; the new value.

        Raises:
            VariableError: the name is empty.
        """
        current = self.get(scope, name) or 0
        held = _parse(current)
        if isinstance(held, list):
            held.append(value)
            self.set(scope, name, json_text(held))
            return held
        total = number(current) + number(value)
        if math.isnan(number(value)) or math.isnan(number(current)):
            joined = value_as_text(current or "") + value_as_text(value)
            self.set(scope, name, joined)
            return joined
        if math.isnan(total):
            return ""
        self.set(scope, name, _tidy(total))
        return _tidy(total)

    def _change(self, scope: Scope) -> dict[str, Json]:
        if scope not in self._own:
            self._own.add(scope)
            self._scopes[scope] = dict(self._scopes[scope])
        held = self._scopes[scope]
        assert isinstance(held, dict)
        return held


_BROKEN: Final[Any] = object()


def _parse(value: Json) -> Json:
    """`JSON.parse`, which takes every value by its text; a marker for a text that is no JSON."""
    try:
        return json.loads(value_as_text(value), parse_constant=_refuse, parse_int=_integer)
    except (ValueError, RecursionError):
        return _BROKEN


def _refuse(name: str) -> Json:
    raise ValueError(name)


def _integer(digits: str) -> float:
    return _tidy(number(digits))


def _tidy(value: float) -> float:
    """A whole number as an int, as JSON has only one kind of number; not where a double is no longer exact."""
    return int(value) if math.isfinite(value) and value == int(value) and abs(value) < _EXACT else value


def _as_number(value: Json) -> Json:
    """What JavaScript takes for a number as a number; blank texts and all else as they are, nothing as ""."""
    if value is None:
        return ""
    if isinstance(value, str) and not trim(value):
        return value
    found = number(value)
    return value if math.isnan(found) else found


def _item(value: Json, key: str) -> Json:
    held = _parse(value)
    if held is _BROKEN:
        return value
    if held is None:
        return 0
    index = number(key)
    found: Json = None
    if isinstance(held, dict):
        name = key if math.isnan(index) else number_text(index)
        found = held.get(name, _BROKEN)
    elif isinstance(held, (list, str)):
        found = _at(held, key, index)
    else:
        found = _BROKEN
    if found is _BROKEN:
        return None
    return json_text(found) if found is None or isinstance(found, (list, dict)) else found


def _at(held: list[Json] | str, key: str, index: float) -> Json:
    if math.isnan(index):
        return len(held) if key == "length" else _BROKEN
    place = int(index) if math.isfinite(index) and index == int(index) else -1
    return held[place] if 0 <= place < len(held) else _BROKEN


def _put(held: list[Json], key: str, index: float, value: str) -> None:
    """Put an item into a list; other properties of a list do not survive JSON."""
    is_length = math.isnan(index) and key == "length"
    place = number(value) if is_length else index
    if not (math.isfinite(place) and place == int(place) and place >= 0):
        return
    size = int(place) if is_length else max(len(held), int(place) + 1)
    if size > max(len(held), MAX_INDEX + 1):
        raise VariableError(f"A list may have at most {MAX_INDEX + 1} items, not {size}. Use a smaller index.")
    del held[size:]
    held.extend([None] * (size - len(held)))
    if not is_length:
        held[int(place)] = value


def json_text(value: Json) -> str:
    """`JSON.stringify`: no spaces, numbers as JavaScript writes them, integer-like keys first."""
    if isinstance(value, dict):
        keys = sorted(filter(is_integer_like, value), key=int) + [key for key in value if not is_integer_like(key)]
        return "{" + ",".join(f"{_quoted(key)}:{json_text(value[key])}" for key in keys) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return number_text(value) if math.isfinite(number(value)) else "null"


def _quoted(text: str) -> str:
    return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def shown(value: Json) -> str:
    """A macro's result as a text: nothing for null, JSON for lists and objects."""
    if value is None:
        return ""
    return json_text(value) if isinstance(value, (list, tuple, dict)) else value_as_text(value)
