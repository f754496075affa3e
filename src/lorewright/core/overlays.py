"""A person's changes to what is read-only, kept beside it by stable id, so that a new version keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from lorewright.core.model import ABSENT, Book, Entry, Report

__all__ = ["Delete", "Overlay", "Upsert", "apply_overlays", "lay_over"]

T = TypeVar("T")


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
    changes = ((str(one.uid), one.entry if isinstance(one, Upsert) else None) for one in overlays)
    entries, missing = lay_over(book.entries, changes, lambda entry: str(entry.uid), _in_place_of)
    reports = tuple(
        Report(
            code="overlay_without_entry",
            level="info",
            message=f"Entry {uid} is to be left out, but the book does not have it (any more).",
            book=book.name,
            entry=uid,
        )
        for uid in missing
    )
    same = len(entries) == len(book.entries) and all(a is b for a, b in zip(entries, book.entries, strict=True))
    return (book if same else replace(book, entries=entries)), reports


def lay_over(
    items: Iterable[T],
    changes: Iterable[tuple[str, T | None]],
    name_of: Callable[[T], str],
    put: Callable[[T, T], T],
    *,
    in_line: bool = False,
) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """The items with changes by name, and the names of those that are to be left out and are not there.

    None leaves an item out; `put` makes of an item and its change what stands in its place. Of several changes of one
    name the last counts. Added items stand at the end, or `in_line`: behind the item of the nearest change before them that is there.
    """
    left = dict(changes)
    order = tuple(left)
    made: list[tuple[str, T]] = []
    for item in items:
        name = name_of(item)
        if name not in left:
            made.append((name, item))
        elif (changed := left.pop(name)) is not None:
            made.append((name, put(item, changed)))
    behind = 0
    for name in order:
        if (added := left.get(name)) is not None:
            behind = (behind or len(made)) + 1 if in_line else len(made) + 1
            made.insert(behind - 1, (name, added))
        elif in_line:
            behind = max((place for place, (other, _) in enumerate(made, 1) if other == name), default=behind)
    return tuple(item for _, item in made), tuple(name for name, changed in left.items() if changed is None)


def _in_place_of(entry: Entry, changed: Entry) -> Entry:
    gate = entry.gate if changed.gate is ABSENT else changed.gate
    folder = entry.folder if changed.folder is ABSENT else changed.folder
    return replace(changed, uid=entry.uid, gate=gate, folder=folder)
