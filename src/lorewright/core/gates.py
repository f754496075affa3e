"""Gates: what a reader or a character may not know yet. Fail closed.

A gate stands on an entry, a folder of entries, a book or a character; all gates on the way must be open, and all
conditions of one gate. Whatever is missing, malformed or about another book closes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

__all__ = ["Condition", "Counted", "Flag", "Gate", "KnownBy", "Progress", "Reveal"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the reader is in a book. `chapter_index` counts from 0 and has been opened; `finished` says whether it
    has been read to its end. Earlier chapters count as finished."""

    book: str
    chapter_index: int
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Reveal:
    """Opens when the reader has opened `chapter` (from 1) of `book`; with `after`, when it is finished."""

    book: str
    chapter: int
    after: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """Opens when the conversation variable is true."""

    name: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Opens when the conversation variable is a number of at least `at_least`."""

    counter: str
    at_least: float


@dataclass(frozen=True, slots=True)
class KnownBy:
    """Opens when one of these characters speaks."""

    characters: tuple[str, ...]


Condition = Union[Reveal, Flag, Counted, KnownBy]


@dataclass(frozen=True, slots=True)
class Gate:
    """Conditions that must all hold. `written` is the gate as its file has it, in JSON; it only serves writing it back."""

    conditions: tuple[Condition, ...]
    written: str = field(default="", compare=False, repr=False)
