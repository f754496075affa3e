"""A table of a configuration file, read key by key; what is wrong is noted, and reading goes on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

__all__ = ["Problem", "Table"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one key, as a sentence that names the value, what is allowed, and what to do."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}"


class Table:
    """One table. Every reader takes its key away; `finish` notes those that nobody asked for."""

    def __init__(self, value: object, key: str, problems: list[Problem]) -> None:
        self.key = key
        self.problems = problems
        self._asked: set[str] = set()
        self._value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        if not isinstance(value, Mapping):
            self.note("", f"this is {_shown(value)}; a table is wanted (`[{key}]`).")

    def note(self, name: str, message: str) -> None:
        """Note a problem of a key, or of the table itself for an empty name."""
        self.problems.append(Problem(self._full(name), message))

    def _full(self, name: str) -> str:
        return ".".join(part for part in (self.key, name) if part)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._value)

    def has(self, name: str) -> bool:
        return name in self._value

    def raw(self, name: str) -> Any:
        """The value as it stands, None if there is none."""
        self._asked.add(name)
        return self._value.get(name)

    def text(self, name: str, default: _T, *, longest: int = 4096) -> str | _T:
        value = self.raw(name)
        if value is None:
            return default
        if isinstance(value, str) and 0 < len(value) <= longest and value.isprintable():
            return value
        self.note(name, f"this is {_shown(value)}; a text of 1 to {longest} printable characters is wanted.")
        return default

    def choice(self, name: str, allowed: Collection[str], default: Any) -> Any:
        """One of a few words. The caller knows that `allowed` are those of the type of `default`."""
        value = self.raw(name)
        if value is None or (isinstance(value, str) and value in allowed):
            return default if value is None else value
        self.note(name, f"this is {_shown(value)}; allowed: {', '.join(sorted(allowed))}.")
        return default

    def flag(self, name: str, default: bool) -> bool:
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.note(name, f"this is {_shown(value)}; allowed: true, false.")
        return default

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        value = self.raw(name)
        if value is None:
            return default
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.note(name, f"this is {_shown(value)}; a whole number from {least:,} to {most:,} is wanted.")
        return default

    def seconds(self, name: str, default: float, least: float, most: float) -> float:
        value = self.raw(name)
        if value is None:
            return default
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            return float(value)
        self.note(name, f"this is {_shown(value)}; a number of seconds from {least:g} to {most:g} is wanted.")
        return default

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty if there is none."""
        value = self.raw(name)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        self.note(name, f"this is {_shown(value)}; a list of texts is wanted.")
        return ()

    def rows(self, name: str) -> list[Any]:
        """A list of anything, empty if there is none."""
        value = self.raw(name)
        if value is None or isinstance(value, list):
            return value or []
        self.note(name, f"this is {_shown(value)}; a list is wanted.")
        return []

    def table(self, name: str) -> Table:
        """A table inside; one that is not there is an empty one."""
        value = self.raw(name)
        return Table({} if value is None else value, self._full(name), self.problems)

    def tables(self, name: str) -> dict[str, Table]:
        """The named tables inside a table."""
        outer = self.table(name)
        return {name: outer.table(name) for name in outer.names}

    def finish(self) -> None:
        """Note the keys that nobody asked for."""
        for name in self._value:
            if name not in self._asked:
                near = get_close_matches(name, self._asked, n=1)
                hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(sorted(self._asked))}."
                self.note(name, f"this key is unknown; {hint}")


def _shown(value: object) -> str:
    """A value as it is written in the file, cut if it is long."""
    words = "true" if value is True else "false" if value is False else repr(value)
    return f"`{words}`" if len(words) <= 60 else f"`{words[:57]}...`"
