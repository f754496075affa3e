"""Edits of an edited book that its card does not show when it is read again: none is passed over in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, Literal

from lorewright.core.model import ABSENT, Book, Entry, Report
from lorewright.formats.dialect import ENTRIES, EXTENSIONS_NAME
from lorewright.formats.fields import is_exact
from lorewright.formats.merge import match_entries

__all__ = ["report_unwritten"]

_NAME: Final = "name"
_NO_NAME: Final = "book"
"""What a book without a name and without a file is called when it is read."""


def report_unwritten(base: Book, after: Book, again: Book, *, is_whole: bool, told: Iterable[str]) -> Iterator[Report]:
    """A report for each name in `extra` whose change from `base` to `after` is not in the book that was read `again`.

    Entries of `base` and `again` are the same where their uids are. Unless `after` is whole, what it lacks says nothing.
    Names that were `told` already are left out.
    """
    shown = {str(entry.uid): entry for entry in again.entries}
    counts: Counter[str] = Counter()
    for place, other in match_entries(base.entries, after.entries, is_whole=is_whole).items():
        old: Entry = base.entries[place]
        if (there := shown.get(str(old.uid))) is not None:
            counts.update(_unwritten(old.extra, after.entries[other].extra, there.extra, is_whole=is_whole))
    for name, number in counts.items():
        if name.partition(".")[0] not in told:
            whose = "1 entry" if number == 1 else f"{number} entries"
            yield _report(
                f"`{name}` in `extra` of {whose} was changed, and the card does not show that: it repeats a field of the "
                "entry, or has no place there. Change the field itself.",
                after,
                name,
            )
    for name in _unwritten(base.extra, after.extra, again.extra, is_whole=is_whole):
        if name != ENTRIES and name not in told:
            yield _report(f"`{name}` of the book was changed, and the card has no place for that.", after, name)
    yield from _unwritten_name(base, after, again, is_whole=is_whole)


def _unwritten_name(base: Book, after: Book, again: Book, *, is_whole: bool) -> Iterator[Report]:
    """A book that has no name of its own is called after its card or its file: those are no edits."""
    file = PurePath(after.origin.partition(": ")[2]).stem
    if is_whole and after.name not in {base.name, again.name, file or _NO_NAME}:
        message = (
            f"The book in the card has no name of its own, and does not take the name {after.name[:40]!a}. "
            "Give it one in the card (`name` of `character_book`) if the format has a place for that."
        )
        yield _report(message, after, _NAME, level="info")


def _unwritten(
    old: Mapping[str, Any], new: Mapping[str, Any], there: Mapping[str, Any], *, is_whole: bool
) -> Iterator[str]:
    for name in {**old, **new}:
        was, value, shown = (side.get(name, ABSENT) for side in (old, new, there))
        if is_exact(was, value) or is_exact(value, shown) or (value is ABSENT and not is_whole):
            continue
        if name == EXTENSIONS_NAME and all(isinstance(one, dict) for one in (was, value, shown)):
            yield from (f"{name}.{inner}" for inner in _unwritten(was, value, shown, is_whole=is_whole))
        elif name != EXTENSIONS_NAME or shown or value not in (ABSENT, None, {}):
            yield name


def _report(message: str, book: Book, name: str, level: Literal["info", "warning"] = "warning") -> Report:
    return Report(code="edit_not_written", message=message, level=level, book=book.name, field=name)
