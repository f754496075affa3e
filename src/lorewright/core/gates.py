"""Gates: what a reader or a character may not know yet. Fail closed.

A gate stands on an entry, a folder of entries, a book or a character; all gates on the way must be open, and all
conditions of one gate. Whatever is missing, malformed or about another book closes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Union

from lorewright.core.model import ABSENT, EMPTY, Odd

if TYPE_CHECKING:
    from lorewright.core.model import Book, Entry, Field, Folder, State, Turn

__all__ = [
    "Barrier",
    "Condition",
    "Counted",
    "Flag",
    "Gate",
    "Knowledge",
    "KnownBy",
    "Owner",
    "Progress",
    "Reveal",
    "barriers_before",
    "gates_before",
    "holds",
    "is_open",
    "names_lost_folder",
    "nearest_name",
    "speaker_of",
]

_LONGEST_NAME: Final = 200


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
    return bool(gate.conditions) and all(holds(condition, known) for condition in gate.conditions)


Owner = Literal["entry", "folder", "book", "character"]


class Barrier(NamedTuple):
    """A gate on the way to an entry, and whose it is. name: of the folder, the book or the character."""

    owner: Owner
    name: str
    gate: Field[Gate]


def barriers_before(entry: Entry, book: Book) -> tuple[Barrier, ...]:
    """The gates on the way to an entry: the book's, its own, its folder's. Some may be absent.

    A folder that cannot be told closes, if a gate could be before it: one that the book does not list, where any of
    its folders has a gate, and a name or a list that is malformed.
    """
    found = (Barrier("book", book.name, book.gate), Barrier("entry", "", entry.gate))
    folders, name = book.folders, entry.folder
    if folders is ABSENT or folders is None or name is ABSENT or name is None or name == "":
        return found
    if isinstance(folders, Odd) or isinstance(name, Odd):
        return (*found, Barrier("folder", "", Odd(name)))
    if names_lost_folder(entry, book):
        return (*found, Barrier("folder", name, Odd(name))) if any(map(_has_gate, folders)) else found
    return (*found, *(Barrier("folder", name, folder.gate) for folder in folders if folder.name == name))


def names_lost_folder(entry: Entry, book: Book) -> bool:
    """Whether an entry lies in a folder that the book, which lists its folders, does not list."""
    folders, name = book.folders, entry.folder
    listed = isinstance(folders, tuple) and bool(folders) and isinstance(name, str) and bool(name)
    return listed and all(folder.name != name for folder in folders)  # type: ignore[union-attr]


def gates_before(entry: Entry, book: Book) -> tuple[Field[Gate], ...]:
    """The gates of `barriers_before` alone."""
    return tuple(barrier.gate for barrier in barriers_before(entry, book))


def _has_gate(folder: Folder) -> bool:
    return folder.gate is not ABSENT and folder.gate is not None


def holds(condition: Condition, known: Knowledge) -> bool:
    """Whether a condition is met."""
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


def nearest_name(name: str, others: Iterable[str]) -> str:
    """The one of these names that could be meant by this one, upper and lower case alike; empty if none is near."""
    from difflib import get_close_matches

    folded = {other.casefold()[:_LONGEST_NAME]: other for other in others}
    close = get_close_matches(name.casefold()[:_LONGEST_NAME], folded, 1)
    return folded[close[0]] if close else ""


def _has_read(progress: Progress, reveal: Reveal) -> bool:
    at, chapter = progress.chapter_index, reveal.chapter
    if type(at) is not int or type(chapter) is not int or chapter < 1:
        return False
    opened = at + 1
    return opened > chapter or (opened == chapter and (progress.finished is True or not reveal.after))
