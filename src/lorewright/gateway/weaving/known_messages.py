"""Messages that came before, as the same objects: what the engine made of them, such as their hash, is made once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lorewright.core.model import Message

__all__ = ["KnownMessages"]

_MOST_LETTERS: Final = 8_000_000
"""Of all messages that are kept: some 20 MB. Beyond them the memory begins anew."""
_LETTERS_OF_A_MESSAGE: Final = 200
"""What an object costs beside its text."""


class KnownMessages:
    """Keeps messages from request to request. One thread at a time."""

    def __init__(self, most_letters: int = _MOST_LETTERS) -> None:
        self._most = most_letters
        self._letters = 0
        self._kept: dict[Message, Message] = {}

    def same(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """The messages, each as the object that stood for it before, if it is still kept."""
        return tuple(map(self._same, messages))

    def _same(self, message: Message) -> Message:
        known = self._kept.get(message)
        if known is not None:
            return known
        size = _LETTERS_OF_A_MESSAGE + len(message.text) + sum(map(len, message.attachments))
        if size > self._most:
            return message
        if self._letters + size > self._most:
            self._kept.clear()
            self._letters = 0
        self._letters += size
        self._kept[message] = message
        return message
