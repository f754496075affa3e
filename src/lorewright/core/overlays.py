"""A person's changes to a book that is read-only, kept beside it by stable id, so that a new version keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lorewright.core.model import ABSENT, Book, Entry, Report

__all__ = ["Delete", "Overlay", "Upsert", "apply_overlays"]


@dataclass(frozen=True, slots=True)
class Upsert:
    """This entry stands in the place of the one with its uid, or is added."""

    entry: Entry

    @property
    def uid(self) -> int | str:
        return self.entry.uid


@dataclass(frozen=True, slots=True)
class Delete:
    """The entry with this uid is left out."""

    uid: int | str


Overlay = Upsert | Delete


def apply_overlays(book: Book, overlays: Iterable[Overlay]) -> tuple[Book, tuple[Report, ...]]:
    """The book with the changes, and what there is to say about them. Of several about one entry the last counts.

    Changed entries keep their places, added ones stand at the end. One that says nothing of a gate or a folder keeps those
    of the entry in whose place it stands: a change of the words opens nothing. A deletion of what is not there (any more) changes
    nothing and is reported, so that it can be taken back.
    """
    last = {str(overlay.uid): overlay for overlay in overlays}
    reports: list[Report] = []
    entries: list[Entry] = []
    for entry in book.entries:
        match last.pop(str(entry.uid), None):
            case Upsert(changed):
                entries.append(_in_place_of(entry, changed))
            case None:
                entries.append(entry)
    for uid, overlay in last.items():
        if isinstance(overlay, Upsert):
            entries.append(overlay.entry)
        else:
            message = f"Entry {uid} is to be left out, but the book does not have it (any more)."
            reports.append(
                Report(code="overlay_without_entry", level="info", message=message, book=book.name, entry=str(uid))
            )
    same = len(entries) == len(book.entries) and all(a is b for a, b in zip(entries, book.entries, strict=True))
    return (book if same else replace(book, entries=tuple(entries))), tuple(reports)


def _in_place_of(entry: Entry, changed: Entry) -> Entry:
    gate = entry.gate if changed.gate is ABSENT else changed.gate
    folder = entry.folder if changed.folder is ABSENT else changed.folder
    return replace(changed, uid=entry.uid, gate=gate, folder=folder)
