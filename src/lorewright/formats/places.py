"""Where in a file a report belongs: a JSON pointer (RFC 6901) or a line (spec formats §8).

A report names book, entry and field as the model calls them. What stands there in the file is looked up here, in the
parsed file, once all is read: in containers behind the name of the member, as `card.json#/data/name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.model import ABSENT, Book, Report
from lorewright.formats.bundle import Bundle
from lorewright.formats.card import Card, find_data
from lorewright.formats.dialect import ENTRIES, Originals
from lorewright.formats.imported import Imported, Notes
from lorewright.formats.markdown.frame import FRAME, Frame
from lorewright.formats.opened import Opened
from lorewright.formats.pointer import Path, follow, pointer
from lorewright.formats.risu_lorebook import frame_of
from lorewright.formats.shelf import Shelf, by_key, by_name
from lorewright.formats.spellings import SPELLINGS
from lorewright.formats.world_info import Frame as WorldInfoFrame

__all__ = ["Places", "places_of"]

_MODULE: Final = "module.risum"
_OF_ALL_ENTRIES: Final = frozenset({"uid_missing", "enabled_missing", "book_large", "unknown_field"})


@dataclass(frozen=True, slots=True)
class _Site:
    """One parsed JSON value: where its entries stand, which of them has which uid, and where the other fields are."""

    root: Any
    entries: Path = ()
    places: Mapping[str, Path] | None = None
    """By uid: what comes behind `entries`."""
    fields: Path = ()
    member: str = ""

    def find(self, report: Report) -> str:
        return self._in_member(report.place or pointer(self._path(report)))

    def _path(self, report: Report) -> Path:
        if not report.entry and report.code in _OF_ALL_ENTRIES:
            return self.entries
        if not report.entry:
            bases = (self.entries[:-1], self.fields) if report.book else (self.fields, self.entries[:-1])
            found = (_field(self.root, base, report.field) for base in bases) if report.field else ()
            return next((path for path in found if path is not None), bases[0])
        places = self.places or {}
        if report.code == "entry_not_object":
            step = places.get(report.entry, (int(report.entry) if report.entry.isdecimal() else report.entry,))
            if isinstance(follow(self.root, self.entries), dict):
                step = (report.entry,)
        else:
            step = places.get(report.entry, ())
        entry = (*self.entries, *step)
        return (_field(self.root, entry, report.field) if report.field and step else None) or entry

    def _in_member(self, place: str) -> str:
        if not self.member:
            return place
        return f"{self.member}#{place}" if place[:1] in {"", "/"} else place


def _field(root: Any, base: Path, field: str) -> Path | None:
    """Where a field of the model stands in an object of the file: under any of the names that formats give it."""
    names = (tuple(field.split(".")), (field,), *SPELLINGS.get(field, ()))
    paths = ((*base, *name) for name in names)
    return next((path for path in paths if follow(root, path) is not ABSENT), None)


@dataclass(frozen=True, slots=True)
class Places:
    """Finds the places of the reports about one file."""

    main: _Site
    module: _Site | None = None
    lines: Mapping[str, int] | None = None
    """Of a text that is no JSON: the line in which each entry begins."""

    def find(self, report: Report) -> str:
        """A JSON pointer, `member#pointer` or `line 12`; "" for the file as a whole."""
        if self.lines is not None:
            line = self.lines.get(report.entry)
            return report.place or (f"line {line}, entry {report.entry}" if line else "")
        if report.code.startswith("zip_"):
            return report.field
        is_module = self.module is not None and report.book and report.code != "entry_overridden"
        return (self.module if is_module and self.module else self.main).find(report)


def places_of(file: Opened, read: Imported[Any]) -> Places:
    """What is needed to find places in a file that was read."""
    found, value = file.found, read.value
    content = found.content
    if isinstance(value, Card):
        main = _card_site(content, found.member)
        if found.module is None or value.book is None:
            return Places(main)
        return Places(main, _book_site(value.book, found.module.value, _MODULE))
    if isinstance(value, Book):
        frame = value.extra.get(FRAME)
        if isinstance(frame, Frame):
            return Places(_Site(None), lines=dict(_lines(frame)))
        if found.format == "agent_rules":
            return Places(_Site(None), lines={"0": 1})
        return Places(_book_site(value, found.module.value if found.module else content, found.member))
    return Places(_Site(content, member=found.member))


def _card_site(content: Any, member: str) -> _Site:
    data = find_data(content)
    entries = (*data, "character_book", ENTRIES)
    return _Site(content, entries, _claimed(follow(content, entries), "id"), data, member)


def _book_site(book: Book, content: Any, member: str) -> _Site:
    """The site of a book by what its reader remembers of the file."""
    kept = book.extra.get(ENTRIES)
    risu = frame_of(book)
    if isinstance(kept, Originals):
        uids = {str(uid): (place,) for place, uid in kept.uids.items()}
        return _Site(kept.whole, kept.path, uids, kept.path[:-1], member)
    if isinstance(kept, WorldInfoFrame):
        return _Site(content, (ENTRIES,), {str(uid): (place,) for place, uid in kept.uids.items()}, (), member)
    if isinstance(kept, Bundle):
        return _Site(content, (), dict(_bundle_places(kept, content)), (), member)
    if risu is not None:
        value = getattr(content, "value", content)
        base: Path = () if risu.wrapper is None else ("module",)
        rows = {str(row.entry.uid): (place,) for place, row in risu.rows.items()}
        return _Site(value, (*base, risu.rows_name), rows, base, member)
    return _Site(content, (ENTRIES,), _claimed(follow(content, (ENTRIES,)), "uid", is_listed=True), (), member)


def _claimed(entries: Any, id_name: str, *, is_listed: bool = False) -> dict[str, Path]:
    """The places of entries whose reader forgot them: uids are given out once more, in the same order."""
    if not isinstance(entries, (list, dict)):
        return {}
    named = by_key(entries) if isinstance(entries, dict) else by_name(entries, id_name)
    ordered = enumerate(entries) if is_listed and isinstance(entries, list) else named
    shelf = Shelf(Notes())
    return {str(shelf.claim(raw, id_name, place)): (place,) for place, raw in ordered if isinstance(raw, dict)}


def _bundle_places(bundle: Bundle, content: Any) -> Iterator[tuple[str, Path]]:
    for place, book in bundle.books():
        site = _book_site(book, content[place], "")
        for uid, step in (site.places or {}).items():
            yield f"{place}.{uid}", (place, *site.entries, *step)


def _lines(frame: Frame) -> Iterator[tuple[str, int]]:
    line = 1
    for piece in frame.pieces:
        if piece.uid is not None:
            yield str(piece.uid), line
        line += piece.text.count("\n")
