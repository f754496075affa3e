"""Initial values: what the `[initvar]` entries of the books and a greeting put into the tree (spec mvu-vars §9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from lorewright.core.javascript import trim
from lorewright.core.model import ActiveBook, Report
from lorewright.errors import FormatError
from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.documents import read_document
from lorewright.mvu.edits import merged
from lorewright.mvu.patches import without_fence
from lorewright.mvu.record import Record
from lorewright.mvu.schema import generate, strip, with_switches
from lorewright.mvu.titles import INITIAL, has_mark
from lorewright.mvu.values import Json, saved

__all__ = ["EMPTY_RECORD", "InitialBook", "Loaded", "Macros", "initial_books", "load_initial", "with_greeting"]

Source: TypeAlias = Literal["global", "primary", "additional"]
Macros: TypeAlias = Callable[[str], str]
"""What replaces the macros of a text."""

EMPTY_RECORD: Final = Record({}, {"type": "object", "properties": {}, "extensible": False})
_OPEN, _CLOSE, _FENCE = "<initvar>", "</initvar>", "```"
_BLOCK_TAG: Final = re.compile(r"<(/?)initvar>", re.IGNORECASE)
_ORDER: Final[tuple[Source, ...]] = ("global", "primary", "additional")
_SOURCES: Final = {"global": "global", "character": "primary", "character_extra": "additional"}
"""The books that are read; those of the chat and of the persona are not."""


@dataclass(frozen=True, slots=True)
class InitialBook:
    """texts: title and content of its entries in the order of the book, None if it cannot be read."""

    name: str
    source: Source = "global"
    texts: tuple[tuple[str, str], ...] | None = ()


class Loaded(NamedTuple):
    """record: with the initial values of books that were not in yet. is_new: any was read."""

    record: Record
    is_new: bool
    reports: tuple[Report, ...]


def initial_books(books: Iterable[ActiveBook]) -> tuple[InitialBook, ...]:
    """The books of a turn as far as they hold initial values; entries that are switched off count, too."""
    found: list[InitialBook] = []
    for active in books:
        source = _SOURCES.get(active.source)
        texts = tuple(
            (entry.title, entry.content)
            for entry in active.book.entries
            if isinstance(entry.title, str) and isinstance(entry.content, str) and has_mark(entry.title, INITIAL)
        )
        if texts and source is not None:
            found.append(InitialBook(active.book.name, source, texts))  # type: ignore[arg-type]
    return tuple(found)


def load_initial(
    record: Record, books: Sequence[InitialBook], macros: Macros = str, behaviour: Behaviour = CAREFUL
) -> Loaded:
    """Add the initial values of the books that the record does not know yet.

    In a book later entries win, all the way down. Between books, and against what is there, the first one has each
    name of the first level for itself. An entry that cannot be read takes its book out, and a report says so.
    """
    reports: list[Report] = []
    after, is_new = _with_books(record, books, macros, behaviour, reports)
    if not is_new:
        return Loaded(after, False, tuple(reports))
    return Loaded(_with_rules(after), True, tuple(reports))


def _with_rules(record: Record) -> Record:
    """With rules for what the tree holds now, and the marks that they are made of taken out of it."""
    schema = with_switches(generate(record.tree, record.schema), record.tree)
    return replace(record, tree=saved(strip(record.tree)), schema=schema)


def _with_books(
    record: Record, books: Sequence[InitialBook], macros: Macros, behaviour: Behaviour, reports: list[Report]
) -> tuple[Record, bool]:
    tree, known, is_new = record.tree, list(record.books), False
    for book in sorted(books, key=lambda book: _ORDER.index(book.source)):
        if book.name in known:
            continue
        known.append(book.name)
        if book.texts is None:
            continue
        try:
            values = _values(book, macros, behaviour, reports)
        except FormatError as error:
            message = f"{error.message} Its book adds no variables until this is corrected."
            reports.append(Report(code="mvu_initial_unreadable", message=message, level="error", book=book.name))
            continue
        tree = {**values, **tree} if isinstance(tree, dict) else tree
        is_new = True
    return replace(record, tree=tree, books=tuple(known)), is_new


def _values(book: InitialBook, macros: Macros, behaviour: Behaviour, reports: list[Report]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for title, content in book.texts or ():
        if not has_mark(title, INITIAL):
            continue
        value, mended = read_document(macros(_unwrapped(content, behaviour)))
        if mended:
            reports.append(Report(code="mvu_initial_mended", message=mended, book=book.name, entry=title))
        if isinstance(value, dict):
            found = merged(found, value, "whole")
        elif value:
            message = "The initial values are no object of names and values, so they add nothing."
            reports.append(Report(code="mvu_initial_not_object", message=message, book=book.name, entry=title))
    return found


def _unwrapped(content: str, behaviour: Behaviour) -> str:
    """What stands between the lines of an `<initvar>` tag, and in that between those of a code fence."""
    if behaviour.reads_crlf:
        content = content.replace("\r\n", "\n")
    content = trim(content)
    return _between(_between(content, _OPEN, _CLOSE), _FENCE, f"\n{_FENCE}")


def _between(content: str, opening: str, closing: str) -> str:
    """The lines behind the one with the first opening and before the one with the last closing."""
    first = content.find(opening)
    begin = content.find("\n", first) + 1 if first >= 0 else 0
    last = content.rfind(closing)
    end = last if closing.startswith("\n") else content.rfind("\n", 0, max(last, 0))
    if not begin or last < begin or end < begin or "\r" in content[first:begin] or "\r" in content[end:last]:
        return content
    return content[begin:end]


def with_greeting(
    record: Record,
    text: str,
    books: Sequence[InitialBook],
    macros: Macros = str,
    behaviour: Behaviour = CAREFUL,
) -> Loaded:
    """The record for a greeting: its own initial values take the place of those of the books, but for other books than
    the character's first one, which are read below them."""
    own: dict[str, Json] | None = None
    reports: list[Report] = []
    for block in _blocks(text):
        try:
            value, _ = read_document(macros(block))
        except FormatError as error:
            message = f"{error.message} The greeting's initial values are left out."
            reports.append(Report(code="mvu_initial_unreadable", message=message, level="error"))
            continue
        if isinstance(value, dict):
            own = merged(own or {}, value, "whole")
    if own is None:
        return Loaded(record, False, tuple(reports))
    primary = next((book.name for book in books if book.source == "primary"), "unknown")
    started = replace(record, tree=own, books=(primary,))
    after, _ = _with_books(started, books, macros, behaviour, reports)
    after = _with_rules(after) if behaviour.strips else replace(after, tree=saved(after.tree))
    return Loaded(after, True, tuple(reports))


def _blocks(text: str) -> Iterator[str]:
    """The contents of the `<initvar>` blocks of a greeting, which may stand in one line."""
    begin: int | None = None
    for tag in _BLOCK_TAG.finditer(text):
        if not tag[1]:
            begin = tag.end() if begin is None else begin
        elif begin is not None:
            yield without_fence(text[begin : tag.start()])
            begin = None
