"""Which gate keeps an entry closed, and what of it is not met: for somebody who may know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lorewright.core.gates import (
    Barrier,
    Condition,
    Counted,
    Flag,
    Gate,
    Knowledge,
    KnownBy,
    Owner,
    Reveal,
    barriers_before,
    holds,
    is_open,
    names_lost_folder,
    nearest_name,
)
from lorewright.core.javascript import number, number_text
from lorewright.core.model import Book, Character, Entry

__all__ = ["Shut", "find_shut"]


@dataclass(frozen=True, slots=True)
class Shut:
    """A closed gate: whose it is, the name of the folder, book or character, and what is not met, a sentence each."""

    owner: Owner
    name: str
    because: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """All of it as a sentence, without a full stop."""
        whose = "its own gate" if self.owner == "entry" else f"the gate of the {self.owner} `{self.name}`"
        return f"{whose} is closed: {', and '.join(self.because)}"


def find_shut(entry: Entry, book: Book, known: Knowledge, character: Character | None = None) -> tuple[Shut, ...]:
    """The gates on the way to an entry that are closed. `character` is the one whose book it is, if it is one's."""
    barriers = list(barriers_before(entry, book))
    if character is not None:
        barriers.append(Barrier("character", character.name, character.gate))
    return tuple(
        Shut(barrier.owner, barrier.name, tuple(_because(barrier, entry, book, known)))
        for barrier in barriers
        if not is_open(barrier.gate, known)
    )


def _because(barrier: Barrier, entry: Entry, book: Book, known: Knowledge) -> Iterator[str]:
    if barrier.owner == "folder" and names_lost_folder(entry, book):
        yield "the book does not list it, and has folders with gates"
    elif not isinstance(barrier.gate, Gate):
        yield "it cannot be read" if barrier.name or barrier.owner == "entry" else "which folder it is cannot be read"
    elif not barrier.gate.conditions:
        yield "it has no condition"
    else:
        yield from (_unmet(item, known) for item in barrier.gate.conditions if not holds(item, known))


def _unmet(condition: Condition, known: Knowledge) -> str:
    match condition:
        case Reveal(book, chapter, after):
            return (
                f"chapter {chapter} of `{book}` is not {'finished' if after else 'opened'} ({_progress(book, known)})"
            )
        case Flag(name):
            return f"the variable `{name}` is not true"
        case Counted(counter, least):
            return f"the variable `{counter}` is no number of at least {number_text(number(least))}"
        case KnownBy(characters):
            who = "nobody is" if known.speaker is None else f"`{known.speaker}` is"
            return f"none of these is speaking: {', '.join(characters)}; {who}"


def _progress(book: str, known: Knowledge) -> str:
    said = [item.chapter_index for item in known.progress if item.book == book]
    opened = [f"{at + 1}" for at in said if type(at) is int]
    if opened:
        return f"the reader has opened {' and '.join(opened)}"
    if near := nearest_name(book, [item.book for item in known.progress if item.book != book]):
        return f"it is said of `{near}` how far the reader is, which is not the same name"
    return "nobody says how far the reader is"
