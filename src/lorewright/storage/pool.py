"""Values in which the same large parts stand again and again, with each part written once.

A part is a list or an object of JSON; where it stands, there is `{"~v": 3}`, the number of a part in a list. A part may
refer to those before it. An object that has this form by itself is written as `{"~v": [VALUE]}`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["Parts", "Pool"]

_MARK: Final = "~v"
_SHORTEST: Final = 200
"""Letters of a part; what is shorter is written where it stands."""
_HIGHEST: Final = 8
"""Levels of what is written where it stands, so that a file is not nested deeper than its readers allow."""
_MOST_VALUES: Final = 2_000_000
"""Values that a part may hold once all references in it are followed."""


class Pool:
    """Takes values apart. Those that share lists and objects in memory are gone through once; nobody may change them.

    changed: any of the values is written in another form than its own.
    """

    def __init__(self) -> None:
        self.parts: list[object] = []
        self.changed = False
        self._places: dict[str, int] = {}
        self._seen: dict[int, tuple[object, object]] = {}

    def put(self, value: Any) -> object:
        """The value with references in place of its large parts, and of itself if it is large."""
        if not isinstance(value, (dict, list)):
            return value
        known = self._seen.get(id(value))
        if known is None:
            known = self._seen[id(value)] = (value, self._put(value))
        return known[1]

    def _put(self, value: dict[str, Any] | list[Any]) -> object:
        if isinstance(value, list):
            made: object = [self.put(item) for item in value]
        elif value.keys() == {_MARK}:
            made = {_MARK: [self.put(value[_MARK])]}
            self.changed = True
        else:
            made = {name: self.put(item) for name, item in value.items()}
        text = json.dumps(made)
        if len(text) < _SHORTEST and _height(made) < _HIGHEST:
            return made
        place = self._places.setdefault(text, len(self.parts))
        if place == len(self.parts):
            self.parts.append(made)
            self.changed = True
        return {_MARK: place}


def _height(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_height, inner), default=0)


class Parts:
    """The parts of a pool, for putting values together again. What is the same part is one object in all values.

    Raises:
        ValueError: a reference leads nowhere, or to more values than anybody wrote.
    """

    def __init__(self, parts: Sequence[object]) -> None:
        self._values: list[object] = []
        self._sizes: list[int] = []
        for part in parts:
            value, size = self._read(part)
            self._values.append(value)
            self._sizes.append(size)

    def whole(self, value: object) -> Any:
        """A value as it was put in.

        Raises:
            ValueError: as above.
        """
        return self._read(value)[0]

    def _read(self, value: object) -> tuple[object, int]:
        """A value with its references followed, and how many values it holds then."""
        if isinstance(value, list):
            items = [self._read(item) for item in value]
            return [item for item, _ in items], 1 + sum(size for _, size in items)
        if not isinstance(value, dict):
            return value, 1
        if value.keys() == {_MARK}:
            return self._follow(value[_MARK])
        members = {name: self._read(item) for name, item in value.items()}
        return {name: item for name, (item, _) in members.items()}, 1 + sum(size for _, size in members.values())

    def _follow(self, mark: object) -> tuple[object, int]:
        if isinstance(mark, list) and len(mark) == 1:
            inner, size = self._read(mark[0])
            return {_MARK: inner}, size + 1
        if isinstance(mark, bool) or not isinstance(mark, int) or not 0 <= mark < len(self._values):
            raise ValueError(f"`{_MARK}` names no part before it")
        if self._sizes[mark] > _MOST_VALUES:
            raise ValueError(f"a part holds more than {_MOST_VALUES:,} values")
        return self._values[mark], self._sizes[mark]
