"""An edited book into the card that holds it, in whatever file the card stands (spec formats §3.2-3.6, §4).

Only what was changed in the book changes in the file: the entries in every place where the card keeps them (the card
itself, the older card of a picture, RisuAI's module), and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.model import Book, Entry, Report
from lorewright.errors import FormatError
from lorewright.formats.card import Card, find_data
from lorewright.formats.character_book import read_character_book
from lorewright.formats.character_book_write import write_book_over
from lorewright.formats.charx import write_module
from lorewright.formats.compare import BookDifference, compare_books
from lorewright.formats.dialect import Home
from lorewright.formats.entry_objects import SPELLINGS
from lorewright.formats.fields import is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS
from lorewright.formats.lost_gates import find_lost_gates, with_gates_first
from lorewright.formats.merge import changed_fields, match_entries, merge_books
from lorewright.formats.native.write import as_native
from lorewright.formats.read import read_book, read_card
from lorewright.formats.risu_lorebook import frame_of
from lorewright.formats.risu_module import write_risum
from lorewright.formats.stash import take_stash
from lorewright.formats.unwritten import report_unwritten
from lorewright.formats.write import convert, format_of
from lorewright.formats.write_card import WRITTEN_BACK, refuse_writing, write_card

__all__ = ["WrittenBook", "write_book"]

_BOOK: Final = "character_book"
_OVERLAID: Final = frozenset({"extensions", "automationId", "vectorized"}) | SPELLINGS
"""Fields of `Entry.extra` in which a card shows fields of the model, too."""


@dataclass(frozen=True, slots=True)
class WrittenBook:
    """The bytes of the card's file, its format, what changed in its book, and what of the new book is not in it."""

    data: bytes
    format: str
    changes: BookDifference
    losses: tuple[Report, ...] = ()


def write_book(original: bytes, book: Book) -> WrittenBook:
    """The card in the file `original` with this book in it; a card without a book gets one.

    Entries belong together by their uid, else by title, keys and content. A book that was read from the card, from
    Lorewright's own format or from a file that Lorewright wrote is taken whole: what it lacks is removed. In a book of
    another format a field that the format would not show says nothing, and stays in the card as it is. A book without
    changes gives the same bytes.

    Raises:
        FormatError: the file is no card, or of a format that is only read (`format`); the new book cannot be written.
    """
    read = read_card(original)
    if read.format not in WRITTEN_BACK:
        refuse_writing(read.format)
    card = read.value
    target = take_stash(card.book) if card.book is not None else Book(card.name, ())
    base, is_whole = _base(target, book)
    after = as_native(take_stash(book))[0]
    merged = merge_books(target, base, after, is_whole=is_whole)
    changes = compare_books(target, merged.book)
    losses = [*_order_loss(merged.book, merged.is_reordered)]
    made, again = original, target
    if merged.book is not target:
        notes = Notes(merged.book.name)
        made = _write_module(original, merged.book) if frame_of(target) is not None else original
        made = write_card(made, _with_book(card, target, merged.book), notes)
        again = _read_again(made, merged.book)
        losses += [*notes.reports(), *_losses(merged.book, again, read.format)]
    lost = find_lost_gates(merged.book, again)
    told = {loss.field for loss in losses}
    losses += report_unwritten(base, after, as_native(again)[0], is_whole=is_whole, told=told)
    return WrittenBook(made, read.format, changes, with_gates_first(lost, tuple(losses)))


def _base(target: Book, book: Book) -> tuple[Book, bool]:
    """The book of the card as the format of the new book would show it, and whether that is all of it."""
    plain = as_native(target)[0]
    source = format_of(book)
    if not source or source == format_of(target) or take_stash(book) is not book:
        return plain, book.origin.partition(":")[0] not in _PARTIAL
    try:
        shown = as_native(read_book(convert(plain, source).data, target.name).value)[0]
    except FormatError:
        return plain, False
    return (shown, False) if len(shown.entries) == len(plain.entries) else (plain, False)


_PARTIAL: Final = frozenset({"static_knowledge"})
"""Formats that leave no trace of their file in the book and do not hold all fields."""


def _write_module(original: bytes, book: Book) -> bytes:
    return write_module(original, write_risum(book))


def _with_book(card: Card, target: Book, merged: Book) -> dict[str, Any]:
    """The JSON of the card with the changes from `target` to `merged` in its book."""
    whole = dict(card.data)
    home = Home((*find_data(whole), _BOOK))
    raw = home.get(whole)
    before, after = target, merged
    if frame_of(target) is not None:
        if not isinstance(raw, dict):
            return whole
        before = take_stash(read_character_book(raw, name=target.name).value)
        base = as_native(target)[0]
        matched = match_entries(before.entries, base.entries, is_whole=False)
        after = merge_books(before, base, as_native(merged)[0], twins=matched).book
        after = replace(after, extra=before.extra)
    home.put(whole, write_book_over(raw, before, after))
    return whole


def _order_loss(book: Book, is_reordered: bool) -> Iterator[Report]:
    if is_reordered:
        message = (
            "The entries stand in another order in the new book; in the card they keep theirs. Set `order` instead."
        )
        yield Report(code="order_kept", message=message, level="info", book=book.name, field="order")


def _read_again(made: bytes, wanted: Book) -> Book:
    """The book of the card that was written; its entries have the uids that are wanted, where ids are places."""
    read = read_card(made).value.book
    again = take_stash(read) if read is not None else Book(wanted.name, ())
    by_uid = {str(entry.uid): entry for entry in again.entries}
    pairs = [(entry, by_uid.get(str(entry.uid))) for entry in wanted.entries]
    if len(again.entries) != len(wanted.entries) or not any(_differs(*pair) for pair in pairs):
        return again
    moved = zip(wanted.entries, again.entries, strict=True)
    return replace(again, entries=tuple(replace(there, uid=entry.uid) for entry, there in moved))


def _losses(wanted: Book, again: Book, kind: str) -> Iterator[Report]:
    """What is not as it should be when the file is read again, field by field."""
    by_uid = {str(entry.uid): entry for entry in again.entries}
    counts: Counter[str] = Counter()
    for entry in wanted.entries:
        there = by_uid.get(str(entry.uid))
        counts.update(["entries"] if there is None else _differences(entry, there))
    for name, number in counts.items():
        what = "1 entry" if number == 1 else f"{number} entries"
        message = f"`{name}` of {what} has no place in {KINDS[kind].title}, or is shown in another way there."
        yield Report(code="loss_on_export", message=message, book=wanted.name, field=name)


def _differs(entry: Entry, there: Entry | None) -> bool:
    return there is None or entry.content != there.content


def _differences(entry: Entry, there: Entry) -> list[str]:
    extra = {name for name in {**entry.extra, **there.extra} if name not in _OVERLAID}
    lost = [
        name for name in sorted(extra) if name in entry.extra and not is_exact(entry.extra[name], there.extra.get(name))
    ]
    return [*changed_fields(entry, there), *lost]
