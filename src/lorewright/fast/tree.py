"""A regular expression of JavaScript as a tree (`fast/syntax.py` makes it)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Alternatives",
    "Assertion",
    "Backreference",
    "Char",
    "CharSet",
    "Dot",
    "Escape",
    "Group",
    "Look",
    "Modifier",
    "Node",
    "PatternError",
    "Property",
    "Repeat",
    "Sequence",
    "TooComplexError",
    "Tree",
]


class PatternError(ValueError):
    """Raised when JavaScript would throw a SyntaxError."""


class TooComplexError(PatternError):
    """Raised for a pattern that is valid or may be, but is not read: the `v` flag, groups nested too deep, a group's
    name with an escape."""


@dataclass(frozen=True, slots=True)
class Char:
    code: int


@dataclass(frozen=True, slots=True)
class Dot:
    pass


@dataclass(frozen=True, slots=True)
class Escape:
    """One of `d D s S w W`."""

    letter: str


@dataclass(frozen=True, slots=True)
class Property:
    r"""`\p{name}`, or `\P{name}` if negated."""

    name: str
    negated: bool


@dataclass(frozen=True, slots=True)
class CharSet:
    """A class in brackets, or a class escape by itself."""

    ranges: tuple[tuple[int, int], ...]
    classes: tuple[Escape | Property, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    r"""One of `^ $ b B`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Look:
    body: Node
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `number` is None for one that captures nothing."""

    body: Node
    number: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Modifier:
    """A group that turns flags on and off."""

    body: Node
    on: str
    off: str


@dataclass(frozen=True, slots=True)
class Backreference:
    """To the groups with these numbers: several if several alternatives have a group of one name."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Node
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    options: tuple[Node, ...]


Node: TypeAlias = (
    Char | Dot | CharSet | Assertion | Look | Group | Modifier | Backreference | Repeat | Sequence | Alternatives
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole pattern."""

    root: Node
    unicode: bool
    groups: int
    names: tuple[tuple[str, int], ...]
    """Of every named group its name and number."""
