"""The keeper of MVU's variables, as one of the engine's tools: what carries commands out is loaded once a card needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lorewright.core.model import ActiveBook, Message
from lorewright.core.protocols import KeeperContext, Kept
from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.titles import INITIAL, has_mark

if TYPE_CHECKING:
    from lorewright.mvu.initial import InitialBook

__all__ = ["TREE", "MvuKeeper"]

TREE: Final = "stat_data"
"""The variable that holds the tree."""


@dataclass(slots=True)
class MvuKeeper:
    """A `Keeper` for cards with an MVU tree. A conversation without one is left alone, and so is a turn whose client
    gives the tree: who keeps it has carried the commands out."""

    behaviour: Behaviour = CAREFUL
    _books: tuple[ActiveBook, ...] = ()
    _initial: tuple[InitialBook, ...] = ()

    def keep(self, variables: Mapping[str, object], messages: Sequence[Message], context: KeeperContext) -> Kept:
        """See `Keeper`."""
        initial = self._initial_in(context.books)
        if TREE in context.given or not (initial or TREE in variables):
            return Kept()
        from lorewright.mvu.session import keep_record, record_in

        return keep_record(record_in(variables), messages, initial, context, self.behaviour)

    def _initial_in(self, books: tuple[ActiveBook, ...]) -> tuple[InitialBook, ...]:
        """The initial values in books, kept for as long as these are asked for."""
        if books is not self._books:
            self._books, self._initial = books, ()
            if any(has_mark(entry.title, INITIAL) for active in books for entry in active.book.entries):
                from lorewright.mvu.initial import initial_books

                self._initial = initial_books(books)
        return self._initial
