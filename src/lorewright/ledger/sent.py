"""Requests as they are sent: their messages with what belongs to them, and their bytes, of which a turn tells a hash."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from itertools import repeat
from operator import attrgetter
from typing import Final

from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Turn
from lorewright.core.woven import WovenMessage

__all__ = ["Sent", "sent_hash", "with_attachments"]

_ATTACHMENTS: Final = attrgetter("attachments")
Sent = tuple[WovenMessage, tuple[str, ...]]
"""A message, and the attachments of the client's message that it is."""


def with_attachments(messages: Sequence[WovenMessage], turn: Turn) -> list[Sent]:
    """The messages of a request, each with its attachments."""
    if not any(map(_ATTACHMENTS, turn.messages)):
        return list(zip(messages, repeat(())))
    return [
        (message, () if message.index is None else turn.messages[message.index].attachments) for message in messages
    ]


def sent_hash(seal: bytes, messages: Sequence[Sent], memo: Memo = ANEW) -> str:
    """What an event says of a request. The seal keeps a short request from being guessed once it is erased.

    It covers role, name, content and attachments of each message, each behind its length.
    """
    return hmac.new(seal, b"".join(memo.each(_as_bytes, messages)), hashlib.sha256).hexdigest()


def _as_bytes(_: int, sent: Sent) -> bytes:
    message, attachments = sent
    found: list[bytes] = []
    for part in (message.role, message.name, message.content, str(len(attachments)), *attachments):
        encoded = part.encode("utf-8", "surrogatepass")
        found += (b"%d:" % len(encoded), encoded)
    return b"".join(found)
