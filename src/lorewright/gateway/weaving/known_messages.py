"""What was read of requests that came before, as the same objects: what the engine made of them, such as the hash of a
message, is made once."""

from __future__ import annotations

from typing import Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Message
from lorewright.fast.memo import KeptMemo
from lorewright.providers.identity import to_message
from lorewright.providers.request import Request, RequestMessage

__all__ = ["KnownMessages"]

_MOST_LETTERS: Final = 3_000_000
"""Of all messages that are kept: some 4,000. Beyond them the memory begins anew."""
_LETTERS_OF_A_MESSAGE: Final = 600
"""What a message costs beside its text."""
_MOST_BYTES: Final = 1_000_000
"""A request that is larger is read anew each time; its messages are kept all the same."""


class KnownMessages:
    """Keeps messages from request to request. `messages` is for one thread at a time."""

    def __init__(self, most_letters: int = _MOST_LETTERS) -> None:
        self._most = most_letters
        self._requests = KeptMemo()
        self._begin()

    def memo(self, size: int) -> Memo:
        """For reading a request of so many bytes."""
        return self._requests if size <= _MOST_BYTES else ANEW

    def messages(self, asked: Request, *, user: str = "User", assistant: str = "Assistant") -> tuple[Message, ...]:
        """The messages of a request for the engine (`to_messages`), each as the object that stood for it before, if it
        is still kept."""
        found = tuple(self._made.each(self._message, asked.messages, user, assistant))
        if self._letters > self._most:
            self._begin()
        return found

    def _begin(self) -> None:
        self._made = KeptMemo()
        self._letters = 0
        self._kept: dict[Message, Message] = {}

    def _message(self, _: int, asked: RequestMessage, user: str, assistant: str) -> Message:
        message = to_message(asked, user, assistant)
        known = self._kept.setdefault(message, message)
        if known is message:
            self._letters += _LETTERS_OF_A_MESSAGE + len(message.text) + sum(map(len, message.attachments))
        return known
