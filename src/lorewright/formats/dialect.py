"""How a format of books keeps its entries: a table of places, and what is remembered of a file (spec formats §3, §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.model import ABSENT, Entry
from lorewright.formats.fields import NAMESPACE
from lorewright.formats.imported import Notes
from lorewright.formats.shelf import Place
from lorewright.formats.world_info_entry import COLUMNS

__all__ = [
    "ENTRIES",
    "EXTENSIONS_NAME",
    "FACTORY",
    "FILTER",
    "NAMESPACE",
    "Dialect",
    "Effects",
    "Home",
    "Homes",
    "Originals",
    "as_it_is",
    "follow",
    "homes",
    "own_homes",
]

ENTRIES: Final = "entries"
FILTER: Final = "characterFilter"
EXTENSIONS_NAME: Final = "extensions"

FACTORY: Final[Mapping[str, object]] = {
    "keysecondary": [],
    "constant": False,
    "selective": True,
    "selectiveLogic": 0,
    "order": 100,
    "position": 0,
    "disable": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
}
"""What an entry is whose format says nothing about it (spec formats §1). SillyTavern needs these to be set."""


def as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Home:
    """A place in a foreign entry (a name, or names inside each other), and the way there and back."""

    path: tuple[str, ...]
    into: Callable[[Any], Any] = as_it_is
    back: Callable[[Any], Any] = as_it_is

    def get(self, raw: Mapping[str, Any]) -> Any:
        value: Any = raw
        for name in self.path:
            if not isinstance(value, dict) or name not in value:
                return ABSENT
            value = value[name]
        return value

    def put(self, raw: dict[str, Any], value: object) -> None:
        """Set the value; objects on the way are copied or made."""
        inner = raw
        for name in self.path[:-1]:
            found = inner.get(name)
            inner[name] = dict(found) if isinstance(found, dict) else {}
            inner = inner[name]
        inner[self.path[-1]] = value

    def drop(self, raw: dict[str, Any]) -> None:
        if self.get(raw) is not ABSENT:
            self.put(raw, None)
            inner: Any = raw
            for name in self.path[:-1]:
                inner = inner[name]
            del inner[self.path[-1]]


Homes = Mapping[str, tuple[Home, ...]]
"""By the name in a SillyTavern entry: where it stands in this format, the most important place first."""


def homes(
    *paths: str, into: Callable[[Any], Any] = as_it_is, back: Callable[[Any], Any] = as_it_is
) -> tuple[Home, ...]:
    """Places by their names: `homes("order", "extensions.weight")`."""
    return tuple(Home(tuple(path.split(".")), into, back) for path in paths)


def own_homes(taken: Homes) -> Homes:
    """Places under our own name in `extensions`, for all that a format has no place for."""
    names = (*COLUMNS, FILTER)
    return {name: homes(f"extensions.{NAMESPACE}.{name}") for name in names if name not in taken}


@dataclass(frozen=True, slots=True)
class Dialect:
    """A format of books: its id in `KINDS`, the name of an entry's id, the places, and what is when nothing is said.

    `choose` gives other places for some entries; a field there without any is implied by the others. `blank` is an entry
    to begin a new one with, `begin` what else to begin it with; `ordered` is the order
    of the entries of a list; `is_book_field` tells which fields beside the entries are the book's.
    """

    format: str
    id_name: str
    homes: Homes
    defaults: Mapping[str, object] = field(default_factory=lambda: FACTORY)
    blank: Mapping[str, object] = field(default_factory=dict)
    choose: Callable[[Mapping[str, Any]], Homes] | None = None
    begin: Callable[[Entry], Mapping[str, object]] | None = None
    ordered: Callable[[list[Any]], Iterable[tuple[Place, Any]]] = enumerate
    is_book_field: Callable[[str], bool] = lambda _: True

    @property
    def extends(self) -> bool:
        """Whether entries have `extensions` for what other programs keep there."""
        return any(place.path[0] == EXTENSIONS_NAME for places in self.homes.values() for place in places)

    def homes_of(self, raw: Mapping[str, Any]) -> Homes:
        return self.choose(raw) if self.choose else self.homes


@dataclass(frozen=True, slots=True)
class Originals:
    """The parsed file of a book, and which entry stands where in it.

    `path` leads to the entries. `extra` are the fields of the book as they were read.
    """

    format: str
    whole: Any
    path: tuple[str, ...]
    uids: Mapping[Place, int | str]
    entries: Mapping[int | str, Entry]
    extra: Mapping[str, object]


Effects = Callable[[Mapping[str, Any], dict[str, Any], int | str, Notes], None]
"""What a format does besides: it gets the foreign entry, the SillyTavern entry made of it (to be changed), the uid, and
where to report."""


def follow(value: Any, path: tuple[str, ...]) -> Any:
    """What stands at the end of a path, or `ABSENT`."""
    return Home(path).get(value)
