"""Gates: what a reader or a character may not know yet. Fail closed.

A gate stands on an entry, a folder of entries, a book or a character; all gates on the way must be open, and all
conditions of one gate. Whatever is missing, malformed or about another book closes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

from lorewright.core.model import ABSENT, EMPTY, Odd

if TYPE_CHECKING:
    from lorewright.core.model import Book, Entry, Field, State, Turn

__all__ = [
    "Condition",
    "Counted",
    "Flag",
    "Gate",
    "Knowledge",
    "KnownBy",
    "Progress",
    "Reveal",
    "gates_before",
    "is_open",
    "speaker_of",
]


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


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What gates are measured against: how far the reader is, who is speaking, the conversation's variables."""

    progress: tuple[Progress, ...] = ()
    speaker: str | None = None
    variables: Mapping[str, object] = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, turn: Turn, state: State) -> Knowledge:
        """What a turn says. Its variables count before those of the state."""
        return cls(turn.progress, speaker_of(turn), {**state.variables, **turn.variables})


def speaker_of(turn: Turn) -> str | None:
    """Who is speaking: as the turn says, else its character."""
    if turn.speaker is not None:
        return turn.speaker
    return turn.character.name if turn.character else None


def is_open(gate: Field[Gate], known: Knowledge) -> bool:
    """Whether a gate lets through. None, or an absent one, always does; one that is malformed never."""
    if gate is ABSENT or gate is None:
        return True
    if not isinstance(gate, Gate):
        return False
    return bool(gate.conditions) and all(_holds(condition, known) for condition in gate.conditions)


def gates_before(entry: Entry, book: Book) -> tuple[Field[Gate], ...]:
    """The gates on the way to an entry: the book's, its folder's, its own.

    A folder that cannot be told closes, if any folder of the book could have a gate.
    """
    found: tuple[Field[Gate], ...] = (book.gate, entry.gate)
    folders = book.folders
    if folders is ABSENT or folders is None or entry.folder is ABSENT or entry.folder is None or entry.folder == "":
        return found
    if isinstance(folders, Odd) or isinstance(entry.folder, Odd):
        return (*found, Odd("folder"))
    return (*found, *(folder.gate for folder in folders if folder.name == entry.folder))


def _holds(condition: Condition, known: Knowledge) -> bool:
    match condition:
        case Reveal():
            said = [progress for progress in known.progress if progress.book == condition.book]
            return bool(said) and all(_has_read(progress, condition) for progress in said)
        case Flag():
            return known.variables.get(condition.name) is True
        case Counted():
            value = known.variables.get(condition.counter)
            return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= condition.at_least
        case KnownBy():
            return known.speaker is not None and known.speaker in condition.characters


def _has_read(progress: Progress, reveal: Reveal) -> bool:
    at, chapter = progress.chapter_index, reveal.chapter
    if type(at) is not int or type(chapter) is not int or chapter < 1:
        return False
    opened = at + 1
    return opened > chapter or (opened == chapter and (progress.finished is True or not reveal.after))
