"""The hash that ties an event to all before it."""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = ["GENESIS", "commit", "link"]

GENESIS: Final = hashlib.sha256(b"lorewright ledger 1").digest()
"""What stands before the first event."""


def link(before: bytes, stream: str, number: int, kind: str, body: bytes) -> bytes:
    """SHA-256 over the hash before and the event, each part behind its length, so that nothing runs together."""
    hashed = hashlib.sha256(before)
    for part in (
        stream.encode("utf-8", "surrogatepass"),
        str(number).encode(),
        kind.encode("utf-8", "surrogatepass"),
        body,
    ):
        hashed.update(b"%d:" % len(part))
        hashed.update(part)
    return hashed.digest()


def commit(salt: bytes, text: bytes) -> bytes:
    """What an event says of a text: SHA-256(salt + text). Without the salt nobody can guess a short text from it."""
    return hashlib.sha256(salt + text).digest()
