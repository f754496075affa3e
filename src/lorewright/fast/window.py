"""What is known of the messages of one chat, kept from turn to turn.

Messages are counted by *serials*: a later message has a higher one, so that what was found in a message stays true
when messages are added after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from lorewright.core.keys import Key
from lorewright.fast.compiled import CompiledBook

__all__ = ["Window", "Windows"]

MAX_WINDOWS: Final = 64
"""Chats that are remembered for a lore; the one remembered longest is forgotten first."""
MAX_NEW: Final = 8
"""So many messages may have been added to a chat for it to be recognised."""


class Window:
    """The newest messages of a chat, as far as they were read.

    texts: newest first. top: the serial of the first of them. plain: by key the newest serial that has it. regexes: by
    regex key the serials in which one of its literals stands, newest first.
    """

    __slots__ = ("plain", "regexes", "texts", "top")

    def __init__(self, texts: list[str], top: int, plain: dict[Key, int], regexes: dict[Key, tuple[int, ...]]) -> None:
        self.texts = texts
        self.top = top
        self.plain = plain
        self.regexes = regexes

    def follow(self, messages: Sequence[str], added: int, books: list[CompiledBook]) -> Window:
        """The window of the same chat with `added` more messages; this one is left as it is."""
        window = Window([*messages[:added], *self.texts], self.top + added, self.plain.copy(), self.regexes.copy())
        for place in reversed(range(added)):
            serial = window.top - place
            for book in books:
                keys, regexes = book.hits(messages[place])
                for key in keys:
                    window.plain[key] = serial
                for key in regexes:
                    window.regexes[key] = (serial, *window.regexes.get(key, ()))
        return window

    def read_to(self, messages: Sequence[str], end: int, books: list[CompiledBook]) -> None:
        """Read older messages until `end` are known."""
        begin, top, plain, regexes_seen = len(self.texts), self.top, self.plain, self.regexes
        for book in books:
            known, hits_of = book.pieces, book.hits
            for place in range(begin, end):
                text = messages[place]
                keys, regexes = known.get(text) or hits_of(text)
                for key in keys:
                    if key not in plain or plain[key] < top - place:
                        plain[key] = top - place
                for key in regexes:
                    regexes_seen[key] = (*regexes_seen.get(key, ()), top - place)
        self.texts += messages[begin:end]


class Windows:
    """The chats that were seen last."""

    def __init__(self, books: list[CompiledBook]) -> None:
        self._books = books
        self._known: deque[Window] = deque(maxlen=MAX_WINDOWS)

    def open(self, messages: Sequence[str], depth: int) -> Window:
        """The window of a chat (newest message first), read to this depth. A known chat that has grown by a few
        messages only has those read."""
        end = min(depth, len(messages))
        window = self._recall(messages) or Window([], 0, {}, {})
        if len(window.texts) < end:
            window.read_to(messages, end, self._books)
        self._known.append(window)
        return window

    def _recall(self, messages: Sequence[str]) -> Window | None:
        for known in reversed(self._known):
            for added in range(min(MAX_NEW, len(messages) - 1) + 1):
                if messages and known.texts and messages[added] == known.texts[0]:
                    both = min(len(known.texts), len(messages) - added)
                    if messages[added : added + both] == known.texts[:both]:
                        return known.follow(messages, added, self._books)
        return None
