"""What a file is, what is in it, and what became of every entry: the account of one import (spec formats §2, §4, §8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.model import Book, Entry, Odd, Report
from lorewright.core.protocols import Regexes
from lorewright.formats.card import Card
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.mojibake import note_texts
from lorewright.formats.nearest import field_names, nearest, why_not
from lorewright.formats.opened import Opened, Source, open_file
from lorewright.formats.places import places_of
from lorewright.formats.read import read_book, read_card, read_personas, read_thing

__all__ = ["Inspection", "Ledger", "Note", "Rejected", "inspect_file"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Entries that were in the file, and what became of each. The books close."""

    found: int
    imported: int
    merged: int
    skipped: int

    def __post_init__(self) -> None:
        assert self.found == self.imported + self.merged + self.skipped, f"the ledger does not close: {self}"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know: a code of `docs/reference/reasons.md`, the place in the file, and a sentence.

    `place` is a JSON pointer, a member and a pointer (`card.json#/data/name`), or `line 12`; "" is the whole file.
    """

    code: str
    place: str
    reason: str
    level: str = "warning"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A format that the file is like, and why it is not that."""

    format: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """The account of a file. `confidence` is 1 where the file names its format, less where the shape tells it.

    `entries` counts what is not part of another entry. `value` is what was read: a book, a card, personas, or a thing (a
    preset, a script), whose parts the ledger then counts.
    """

    format: str
    confidence: float
    rejected: tuple[Rejected, ...]
    entries: int
    ledger: Ledger
    reports: tuple[Note, ...]
    value: Imported[Any] = field(repr=False)

    @property
    def book(self) -> Book | None:
        """The lorebook in the file, if there is one."""
        value = self.value.value
        return value.book if isinstance(value, Card) else value if isinstance(value, Book) else None


_BY_NAME: Final = 1.0
_BY_SHAPE: Final = 0.9
_BY_LITTLE: Final = 0.7
_GUESSED: Final = 0.2
"""Taken off where the text itself had to be guessed or repaired."""
_WEAK: Final = frozenset({"card_v1", "card_yaml", "markdown_lorebook", "entry_list", "bundle", "st_sysprompt"})
_GUESSES: Final = frozenset(
    {"encoding_guessed", "json_lenient", "json_unwrapped", "base64_unwrapped", "format_doubtful"}
)
_NAMED: Final = frozenset(
    "native_yaml native_json native_preset native_card native_persona card_v2 card_v3 card_newer charx charx_jpeg byaf risum lorebook_v3 novelai_lorebook "
    "novelai_story agnai_book agnai_character risu_lorebook risu_module".split()
)
_SILENT: Final = frozenset({"card_without_book"})
"""What the account says anyway."""


def inspect_file(source: Source, *, regexes: Regexes | None = None) -> Inspection:
    """Recognise a file and read it, with the account of everything in it. With `regexes` regex scripts are tried.

    Raises:
        FormatError: it cannot be opened, is of no known format, or of one from which no lore can be read.
    """
    file = open_file(source)
    read = _read(file, regexes)
    found = read.format
    book = read.value.book if isinstance(read.value, Card) else read.value
    reports = [report for report in read.reports if report.code not in _SILENT]
    if isinstance(book, Book):
        reports += _silent_entries(book, reports)
    places = places_of(file, read) if reports else None
    return Inspection(
        found,
        _confidence(found, reports),
        _rejected(file),
        read.found - read.merged,
        Ledger(read.found, read.kept, read.merged, read.refused),
        tuple(Note(one.code, places.find(one) if places else "", one.message, one.level) for one in reports),
        read,
    )


def _read(file: Opened, regexes: Regexes | None) -> Imported[Any]:
    """Personas or a card if it has them, else a book, else whatever can be listed."""
    kind = KINDS[file.found.format]
    if "persona" in kind.reads:
        return read_personas(file)
    if "card" in kind.reads or not {"book", "thing"} & {*kind.reads}:
        return read_card(file)
    return read_book(file) if "book" in kind.reads else read_thing(file, regexes=regexes)


def _confidence(found: str, reports: list[Report]) -> float:
    base = _BY_LITTLE if found in _WEAK else _BY_NAME if found in _NAMED else _BY_SHAPE
    if found.endswith(("_png", "_webp", "_jpeg")):
        base = _BY_NAME
    return round(base - _GUESSED * any(report.code in _GUESSES for report in reports), 2)


def _rejected(file: Opened) -> tuple[Rejected, ...]:
    """The formats whose typical names are most like those of the file, and why it is not of them."""
    found = file.found
    value = getattr(found.content, "value", found.content)
    names = field_names(value) if isinstance(value, (dict, list)) else ()
    if not names:
        return ()
    family = found.format.partition("_png")[0].partition("_webp")[0].partition("_jpeg")[0]
    near = (kind for kind in nearest(names, 5) if kind not in {found.format, family})
    return tuple(Rejected(kind, why_not(kind, value)) for kind in near)[:3]


def _silent_entries(book: Book, reports: list[Report]) -> Iterator[Report]:
    """Entries that nothing can activate, or that say nothing; they are kept."""
    known = {(report.code, report.entry) for report in reports}
    notes = Notes(book.name)
    for entry in book.entries:
        uid = str(entry.uid)
        if ("entry_never_activates", uid) not in known and _is_without_key(entry):
            message = f"Entry {uid} has no key and is not constant, so nothing can activate it. It is kept."
            notes.add("entry_never_activates", message, entry=uid, field="keys")
        note_texts(entry, notes)
        if ("entry_empty_content", uid) not in known and not entry.content:
            notes.add("entry_empty_content", f"Entry {uid} has no content. It is kept.", entry=uid, field="content")
    yield from notes.reports()


def _is_without_key(entry: Entry) -> bool:
    if entry.constant is True or isinstance(entry.keys, Odd) or (isinstance(entry.keys, tuple) and any(entry.keys)):
        return False
    return not (isinstance(entry.content, str) and entry.content.lstrip().startswith("@@"))
