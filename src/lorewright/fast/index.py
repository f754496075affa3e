"""The compiled books of a lore, and the way from keys to ranks in it."""

from __future__ import annotations

from typing import Final, NamedTuple

from lorewright.core.keys import Key
from lorewright.core.lore import Lore
from lorewright.core.scan import MAX_SCAN_DEPTH
from lorewright.fast.compiled import CompiledBook, KeyKind
from lorewright.fast.window import Windows

__all__ = ["Index", "Users"]


_CLOSED: Final = -1
"""The rank of an entry that is in its book, but not in the lore of this turn."""


class Users(NamedTuple):
    """Ranks of the entries that have a key as primary key: the simple ones, and the others."""

    simple: tuple[int, ...]
    others: tuple[int, ...]


class Index:
    """Made once for a lore.

    always: ranks of entries that every sweep must look at. own_depth: the largest scan depth that an entry has of its
    own. kinds: by primary key, how it is searched. windows: the chats that were seen last.
    """

    def __init__(self, lore: Lore, books: list[CompiledBook]) -> None:
        self.books: Final = books
        self._ranks = [[lore.ranks.get(entry.id, _CLOSED) for entry in book.entries] for book in lore.books]
        always = (ranks[place] for ranks, book in zip(self._ranks, books, strict=True) for place in book.always)
        self.always: Final = [rank for rank in always if rank != _CLOSED]
        own = (entry.traits.scan_depth or 0 for entry in lore.entries)
        self.own_depth: Final = max((int(min(depth, MAX_SCAN_DEPTH)) for depth in own if depth >= 1), default=0)
        self.kinds: dict[Key, KeyKind] = {}
        for book in books:
            self.kinds.update(book.kinds)
        self.windows: Final = Windows(books)
        self._users: dict[Key, Users] = {}

    def users(self, key: Key) -> Users:
        """The entries that have this primary key."""
        found = self._users.get(key)
        if found is None:
            simple: list[int] = []
            others: list[int] = []
            for ranks, book in zip(self._ranks, self.books, strict=True):
                for place in book.users.get(key, ()):
                    if ranks[place] == _CLOSED:
                        continue
                    (simple if book.entries[place].simple else others).append(ranks[place])
            found = self._users[key] = Users(tuple(simple), tuple(others))
        return found
