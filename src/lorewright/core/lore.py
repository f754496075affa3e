"""All books of a turn as one list in priority order (spec world-info §2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

from lorewright.core import javascript
from lorewright.core.gates import Gate, Knowledge, gates_before, is_open
from lorewright.core.layers import DEFAULT_LAYER, order_of, sort_key
from lorewright.core.model import ABSENT, ActiveBook, Book, Character, Entry, Field, Report, Source
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared, PreparedBook
from lorewright.core.shut import Shut, find_shut

__all__ = ["Loaded", "Lore", "gather"]

_MOST_VIEWS: Final = 8
"""Sets of closed entries for which the lore is kept; a reader opens one chapter after the other."""
_OF_CHARACTERS: Final = ("character", "character_extra")


class Loaded(NamedTuple):
    """A prepared book and why it takes part."""

    book: PreparedBook
    source: Source


@dataclass(eq=False)
class Lore:
    """The entries of all active books, highest priority first. A place in `entries` is an entry's *rank*.

    levels: the distinct recursion delay levels, ascending. broken: the content of some entry is no text. sources: why
    each of the books takes part. closed: entries of the books that are not in `entries`, since a gate is before them, by
    id.
    """

    policy: Policy
    books: tuple[PreparedBook, ...]
    entries: tuple[Prepared, ...]
    ranks: dict[str, int]
    levels: tuple[float | str, ...]
    broken: tuple[Prepared, ...]
    reports: tuple[Report, ...]
    sources: tuple[Source, ...] = ()
    closed: Mapping[str, Prepared] = field(default_factory=dict)
    _views: dict[frozenset[str], Lore] = field(default_factory=dict, repr=False)

    @property
    def emptied_by(self) -> Prepared | None:
        """The entry on whose account all entries are ignored, if there is one (case weird-inputs-010)."""
        return self.broken[0] if self.broken and self.policy.switches.bad_content_empties_lore else None

    @cached_property
    def uses_authority(self) -> bool:
        """Whether tiers rank, label and overrule: the policy wants it, and some entry states a weight or a mark."""
        return self.policy.authority and any(entry.traits.standing.is_stated for entry in self.entries)

    @cached_property
    def disabled(self) -> frozenset[str]:
        """The entries that are switched off."""
        return frozenset(entry.id for entry in self.entries if entry.traits.disabled)

    @cached_property
    def uses_channels(self) -> bool:
        """Whether any entry stands by its channel."""
        return any(entry.traits.slot for entry in self.entries)

    @cached_property
    def rerouted(self) -> tuple[Prepared, ...]:
        """The entries that take another channel than they ask for, in the order of the files."""
        found = (e for e in self.entries if e.traits.slot and e.traits.slot.route.is_rerouted and not e.traits.disabled)
        return tuple(sorted(found, key=lambda entry: self._file_ranks[entry.id]))

    def layer_key(self, entry: Prepared) -> tuple[float, int, str]:
        """What decides the order of sections and of replacements: the layer, the place in the files, the id."""
        order = entry.traits.slot.order if entry.traits.slot else order_of(DEFAULT_LAYER)
        return sort_key(order, self._file_ranks[entry.id], entry.id)

    def file_rank(self, entry: Prepared) -> int:
        """The place of an entry in its book, those of the books before it counted, too."""
        return self._file_ranks[entry.id]

    @cached_property
    def _file_ranks(self) -> Mapping[str, int]:
        """Closed entries are counted: what else a book holds decides nothing about two of its entries."""
        entries = (entry for book in self.books for entry in book.entries)
        return {entry.id: rank for rank, entry in enumerate(entries)}

    @cached_property
    def programs(self) -> tuple[Prepared, ...]:
        """The entries whose code says something about them."""
        return tuple(entry for entry in self.entries if entry.program) if self.policy.code_books else ()

    @cached_property
    def open_books(self) -> tuple[Book, ...]:
        """The books without the closed entries, and without whatever else their files hold. Entries that are plain text
        for this policy say so."""
        return tuple(Book(book.book.name, self._open_entries(book)) for book in self.books)

    def _open_entries(self, book: PreparedBook) -> tuple[Entry, ...]:
        if not self.closed and not any(entry.verbatim for entry in book.entries):
            return book.book.entries
        return tuple(_as_read(entry) for entry in book.entries if entry.id not in self.closed)

    @cached_property
    def open_active(self) -> tuple[ActiveBook, ...]:
        """The same books, each with why it takes part."""
        return tuple(map(ActiveBook, self.open_books, self.sources))

    def open_to(self, known: Knowledge, character: Character | None = None) -> Lore:
        """The lore as if the entries behind closed gates were not loaded; itself if none is closed.

        `character` is the one that replies: its gate closes its own books.
        """
        closed = {entry.id for entry, gates in self._gated if not all(is_open(gate, known) for gate in gates)}
        if character is not None and not is_open(character.gate, known):
            own = (book for book, source in zip(self.books, self.sources, strict=True) if source in _OF_CHARACTERS)
            closed.update(entry.id for book in own for entry in book.entries)
        if not closed:
            return self
        identity = frozenset(closed)
        view = self._views.get(identity)
        if view is None:
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            view = self._views[identity] = self._without(identity)
        return view

    @cached_property
    def _gated(self) -> list[tuple[Prepared, tuple[Field[Gate], ...]]]:
        """The entries that have a gate on the way."""
        found = ((entry, gates_before(entry.entry, book.book)) for book in self.books for entry in book.entries)
        return [(entry, gates) for entry, gates in found if any(gate is not ABSENT for gate in gates)]

    def find_shut(self, entry: str, known: Knowledge, character: Character | None = None) -> tuple[Shut, ...]:
        """Which gates keep a closed entry away, for somebody who may know it. Arguments as for `open_to`."""
        prepared = self.closed[entry]
        found = zip(self.books, self.sources, strict=True)
        book, source = next((book, source) for book, source in found if book.book.name == prepared.book)
        return find_shut(prepared.entry, book.book, known, character if source in _OF_CHARACTERS else None)

    def _without(self, closed: frozenset[str]) -> Lore:
        loaded = [Loaded(book, source) for book, source in zip(self.books, self.sources, strict=True)]
        reports = [report for report in self.reports if report.entry not in closed]
        return _arrange(loaded, self.policy, reports, closed)

    def find(self, entry: str) -> Prepared | None:
        """The entry with this id (`book.uid`)."""
        rank = self.ranks.get(entry)
        return None if rank is None else self.entries[rank]


def gather(loaded: Iterable[Loaded], policy: Policy) -> Lore:
    """Merge the books: chat, persona, then character and global by the insertion strategy; inside each by order.
    Rows keep their order: character, chat, persona, then the others.

    A book that is loaded twice counts once: as global book before chat, persona and character book, as chat book
    before persona book. The one that is left out is reported.
    """
    used, reports = _without_twins(list(loaded))
    lore = _arrange(used, policy, ())
    lore.reports = (*reports, *(report for item in used for report in item.book.reports), *_broken(lore.broken))
    return lore


def _arrange(
    used: Sequence[Loaded], policy: Policy, reports: Iterable[Report], closed: frozenset[str] = frozenset()
) -> Lore:
    sources: dict[Source, list[Prepared]] = {source: [] for source in _YIELDS_TO}
    for item in used:
        sources[item.source] += (
            [entry for entry in item.book.entries if entry.id not in closed] if closed else item.book.entries
        )
    character = sources["character"] + sources["character_extra"]
    strategy = policy.settings.strategy
    if policy.rows is not None:
        rest = character + sources["chat"] + sources["persona"] + sources["global"]
    elif strategy == "evenly":
        rest = _by_order(sources["global"] + character)
    elif strategy == "character_first":
        rest = _by_order(character) + _by_order(sources["global"])
    else:
        rest = _by_order(sources["global"]) + _by_order(character)
    first = [] if policy.rows is not None else _by_order(sources["chat"]) + _by_order(sources["persona"])
    entries = tuple(first + rest)
    broken = tuple(entry for entry in entries if entry.broken)
    return Lore(
        policy=policy,
        books=tuple(item.book for item in used),
        entries=entries,
        ranks={entry.id: rank for rank, entry in enumerate(entries)},
        levels=tuple(
            sorted({entry.traits.delay_level for entry in entries if entry.traits.delay_level}, key=javascript.number)
        ),
        broken=broken,
        reports=tuple(reports),
        sources=tuple(item.source for item in used),
        closed={entry.id: entry for item in used for entry in item.book.entries if entry.id in closed}
        if closed
        else {},
    )


def _by_order(entries: Sequence[Prepared]) -> list[Prepared]:
    return javascript.sort_descending(entries, lambda entry: entry.order)


_YIELDS_TO: dict[Source, tuple[Source, ...]] = {
    "global": (),
    "chat": ("global",),
    "persona": ("global", "chat"),
    "character": ("global", "chat", "persona"),
    "character_extra": ("global", "chat", "persona", "character"),
}


def _without_twins(loaded: list[Loaded]) -> tuple[list[Loaded], list[Report]]:
    names: dict[Source, set[str]] = {source: set() for source in _YIELDS_TO}
    for item in loaded:
        names[item.source].add(item.book.book.name)
    kept: list[Loaded] = []
    reports: list[Report] = []
    seen: set[tuple[str, str]] = set()
    for item in loaded:
        name = item.book.book.name
        taken = [source for source in _YIELDS_TO[item.source] if name in names[source]]
        if not taken and (item.source, name) not in seen:
            seen.add((item.source, name))
            kept.append(item)
            continue
        reports.append(
            Report(
                code="book_twice",
                message=f"Book `{name}` is already loaded as {(taken or [item.source])[0]} book; the one loaded as "
                f"{item.source} book is left out. Rename one of them if they are two books.",
                book=name,
            )
        )
    return kept, reports


def _broken(entries: Iterable[Prepared]) -> Iterable[Report]:
    for entry in entries:
        yield Report(
            code="content_not_text",
            level="error",
            message="The content is no text, so this entry cannot be used.",
            book=entry.book,
            entry=entry.id,
            field="content",
        )


def _as_read(prepared: Prepared) -> Entry:
    entry = prepared.entry
    return replace(entry, verbatim=True) if prepared.verbatim and entry.verbatim is not True else entry
