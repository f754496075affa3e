"""What a field of a file can hold besides a value of its type: nothing at all, or a value of another type."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar, Union

from lorewright.core.written import written

__all__ = ["ABSENT", "Absent", "Field", "Odd"]


class Absent(Enum):
    """The type of `ABSENT`: the file does not have this field. Not the same as null, false, 0 or an empty text."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False

    __hash__ = object.__hash__
    """That of `Enum` is written in Python, and this one is taken of most fields of all entries."""


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True, eq=False)
class Odd:
    """A value of a type its field should not have, kept as it stood in the file. Two are equal if they are written alike:
    `Odd(1)` is not `Odd(True)`."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and written(self.value) == written(other.value)

    def __hash__(self) -> int:
        return hash(written(self.value))

    def __repr__(self) -> str:
        return f"Odd(value={written(self.value)})"


T = TypeVar("T")
Field = Union[T, None, Absent, Odd]
"""A field of a file: a value of the right type, null, absent, or of a wrong type."""
