"""Facts that models proposed, and what a person made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.core.facts import REPLACES, Fact, Refusal, as_entry, promote, read_facts
from lorewright.core.model import ActiveBook, Book, Entry
from lorewright.core.overlays import Delete, apply_overlays
from lorewright.errors import LedgerError
from lorewright.ledger.events import FactPromoted, FactProposed
from lorewright.ledger.ledger import Ledger

__all__ = ["KeptFact", "decide_fact", "facts_book", "list_facts", "take_facts", "with_facts"]

_BOOK: Final = "facts"
_ACCEPTED: Final = frozenset({"session", "canon"})


@dataclass(frozen=True, slots=True)
class KeptFact:
    """fact: its number. turn: whose reply held it. entry: with the tier it has now, None if its text was erased.
    authority: `proposal` while it waits, `session` or `canon` once a person accepted it, empty: it was turned down."""

    fact: int
    turn: int
    entry: Entry | None
    authority: str

    @property
    def replaces(self) -> str:
        """The id of the entry whose place it takes once it is accepted, or empty."""
        named = self.entry.extra.get(REPLACES, "") if self.entry else ""
        return named if isinstance(named, str) else ""


def take_facts(ledger: Ledger, turn: int, reply: str, opened: int | None = None, book: str = "") -> tuple[Refusal, ...]:
    """Record the facts that a raw reply proposes, and give those that were refused.

    `opened` is the chapter of `book` that the reader has opened last, from 1. Nothing is activated by this.
    """
    found = read_facts(reply, opened)
    for fact in found.facts:
        _propose(ledger, turn, fact, book)
    return found.refusals


def _propose(ledger: Ledger, turn: int, fact: Fact, book: str) -> None:
    with ledger.writing():
        number = ledger.store.count(ledger.stream, FactProposed.__name__) + 1
        entry = as_entry(fact, f"fact-{number}", book)
        ledger.append(FactProposed(fact=number, turn=turn, entry=ledger.texts.put(entry)))


def list_facts(ledger: Ledger) -> tuple[KeptFact, ...]:
    """All facts, in the order in which they were proposed, each as the last decision left it."""
    decided = {one.fact: one.authority for one in ledger.of_kind(FactPromoted)}
    return tuple(
        KeptFact(one.fact, one.turn, _entry(ledger, one, authority), authority)
        for one in ledger.of_kind(FactProposed)
        for authority in [decided.get(one.fact, "proposal")]
    )


def decide_fact(ledger: Ledger, fact: int, authority: str) -> None:
    """Record a person's decision: `session` or `canon` accepts the fact, empty turns it down.

    Raises:
        LedgerError: there is no such fact.
        InputError: the tier is another one.
    """
    known = {one.fact: one for one in list_facts(ledger)}
    if fact not in known:
        raise LedgerError(f"There is no fact {fact}; the ledger has {len(known)}.", fact=fact)
    entry = known[fact].entry
    if authority:
        tier: Any = authority
        promote(entry or Entry(uid=""), tier)
    with ledger.writing():
        ledger.append(FactPromoted(fact=fact, authority=authority, at=ledger.clock()))


def facts_book(ledger: Ledger, name: str = _BOOK) -> Book:
    """The facts as a book for the next turns: accepted ones with their tier, waiting ones as proposals, which only a
    policy with `use_proposals` activates."""
    entries = tuple(one.entry for one in list_facts(ledger) if one.authority and one.entry is not None)
    return Book(name, entries, origin="ledger")


def with_facts(ledger: Ledger, books: Sequence[ActiveBook], *, use_proposals: bool = False) -> tuple[ActiveBook, ...]:
    """The books of a next turn with the facts of the ledger beside them: those that a person accepted, and with
    `use_proposals` those that wait. What an accepted fact replaces is left out of its book."""
    kept = [one for one in list_facts(ledger) if one.entry is not None and one.authority]
    accepted = [one for one in kept if one.authority in _ACCEPTED]
    entries = tuple(one.entry for one in (kept if use_proposals else accepted) if one.entry is not None)
    if not entries:
        return tuple(books)
    gone = {one.replaces for one in accepted if one.replaces}
    named = {active.book.name for active in books}
    free = next(name for name in (_BOOK, *(f"{_BOOK} {n}" for n in range(2, len(named) + 3))) if name not in named)
    return (
        *(replace(active, book=_without(active.book, gone)) for active in books),
        ActiveBook(Book(free, entries, origin="ledger"), "chat"),
    )


def _without(book: Book, gone: set[str]) -> Book:
    taken = [Delete(entry.uid) for entry in book.entries if f"{book.name}.{entry.uid}" in gone]
    return apply_overlays(book, taken)[0] if taken else book


def _entry(ledger: Ledger, fact: FactProposed, authority: str) -> Entry | None:
    if ledger.store.is_erased(fact.entry.commitment):
        return None
    entry: Entry = replace(ledger.texts.get(fact.entry), verbatim=True)  # older ledgers do not say it
    tier: Any = authority
    return promote(entry, tier) if authority in _ACCEPTED else entry
