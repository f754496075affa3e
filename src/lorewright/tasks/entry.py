"""An entry as the task reader sees it (spec mvu-filter §3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from lorewright.core.javascript import number, number_text, trim
from lorewright.core.logic import LOGIC, Logic
from lorewright.core.model import Absent, Entry, Field, Odd

__all__ = [
    "AFTER",
    "AT_DEPTH",
    "BEFORE",
    "EXAMPLES_BOTTOM",
    "EXAMPLES_TOP",
    "NOTE_BOTTOM",
    "NOTE_TOP",
    "TaskEntry",
    "split_decorators",
    "task_entry",
]

BEFORE: Final = 0
AFTER: Final = 1
EXAMPLES_TOP: Final = 2
EXAMPLES_BOTTOM: Final = 3
NOTE_TOP: Final = 4
NOTE_BOTTOM: Final = 5
AT_DEPTH: Final = 6
"""Positions, by the numbers that the recorded program gives them."""

_POSITIONS: Final = (BEFORE, AFTER, NOTE_TOP, NOTE_BOTTOM, AT_DEPTH, EXAMPLES_TOP, EXAMPLES_BOTTOM, AT_DEPTH)
"""By the number of SillyTavern's files; an outlet is a message at a depth."""
_ROLES: Final = ("system", "user", "assistant")
_EXACT: Final = 2**53
_DECORATORS: Final = ("@@activate", "@@dont_activate")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TaskEntry:
    """One entry, all of its fields settled.

    `name` is what the custom filter compares; `comment` is a second title, which hosts keep beside it. `text` is the
    content without the decorators at its start, or the content if nothing else is in it. A probability of 100 or more
    is none.
    """

    book: str
    uid: float
    name: str
    comment: str = ""
    content: str = ""
    text: str = ""
    decorators: tuple[str, ...] = ()
    enabled: bool = True
    constant: bool = False
    selective: bool = False
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    logic: Logic = "and_any"
    probability: float = 100
    case_sensitive: bool = False
    whole_words: bool = False
    group: str = ""
    group_override: bool = False
    group_weight: float = 100
    group_scoring: bool = False
    position: int = AT_DEPTH
    depth: float = 0
    order: float = 100
    role: str = "system"

    @property
    def title(self) -> str:
        """What people see of it."""
        return self.comment or self.name

    @cached_property
    def uid_text(self) -> str:
        """The uid as it is written."""
        return str(self.uid) if isinstance(self.uid, int) and abs(self.uid) < _EXACT else number_text(self.uid)

    @cached_property
    def identity(self) -> str:
        """Two entries of one identity are one active entry."""
        return f"{self.book}:{self.uid_text}:{self.name}"

    @cached_property
    def tag(self) -> str:
        """How code that pulls it in is told apart."""
        return f"{self.book}::{self.uid_text if self.uid else self.title}"


def split_decorators(content: str) -> tuple[tuple[str, ...], str]:
    """The decorator lines at the very start, as they are written, and the text below them.

    A line that only begins like a decorator is taken off, but does nothing. The content is its own text where nothing
    stands below.
    """
    if not content.startswith(_DECORATORS):
        return (), content
    lines = content.split("\n")
    count = 0
    while count < len(lines) and lines[count].startswith(_DECORATORS):
        count += 1
    return tuple(lines[:count]), "\n".join(lines[count:]) or content


def task_entry(entry: Entry, book: str, place: int = 0) -> TaskEntry:
    """An entry of a book as the task reader sees it: fields that are absent, null or of a wrong type are defaults.

    Its title is both of its names. One whose id is no number gets one from its `place` in the book, and without a
    title its id is its name.
    """
    content = _value(entry.content, "")
    decorators, text = split_decorators(content)
    title = trim(_value(entry.title, "")) or ("" if isinstance(entry.uid, int) else trim(entry.uid))
    position = _number(entry.position, -1.0)
    role = _number(entry.role, 0.0)
    logic = _number(entry.logic, 0.0)
    return TaskEntry(
        book=trim(book),
        uid=entry.uid if isinstance(entry.uid, int) else -1 - place,
        name=title,
        comment=title,
        content=content,
        text=text,
        decorators=decorators,
        enabled=_value(entry.enabled, default=True),
        constant=_value(entry.constant, default=False),
        selective=_value(entry.selective, default=False),
        keys=_texts(entry.keys),
        secondary=_texts(entry.secondary),
        logic=LOGIC[int(logic)] if logic in range(len(LOGIC)) else "and_any",
        probability=_number(entry.probability, 100.0) if _value(entry.use_probability, default=True) else 100,
        case_sensitive=_value(entry.case_sensitive, default=False),
        whole_words=_value(entry.whole_words, default=False),
        group=trim(_value(entry.group, "")),
        group_override=_value(entry.group_override, default=False),
        group_weight=_number(entry.group_weight, 100.0),
        group_scoring=_value(entry.group_scoring, default=False),
        position=_POSITIONS[int(position)] if position in range(len(_POSITIONS)) else AT_DEPTH,
        depth=_number(entry.depth, 0.0),
        order=_number(entry.order, 100.0),
        role=_ROLES[int(role)] if role in range(len(_ROLES)) else "system",
    )


def _value(field: Field[T], default: T) -> T:
    return default if field is None or isinstance(field, (Absent, Odd)) else field


def _number(field: Field[float], default: float) -> float:
    found = number(_value(field, default))
    return found if math.isfinite(found) else default


def _texts(field: Field[tuple[str, ...]]) -> tuple[str, ...]:
    return () if field is None or isinstance(field, (Absent, Odd)) else field
