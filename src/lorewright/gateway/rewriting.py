"""A reply that is changed on its way: what does it, and what it may change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from lorewright.gateway.headers import RawHeaders

__all__ = ["ChooseRewriting", "Rewriting", "is_plain_stream", "without_length"]


class Rewriting(Protocol):
    """Bytes of the upstream in, bytes for the client out. waits: nothing comes out before the end, the head included."""

    waits: bool
    is_slow: bool
    """Whether its work may take so long that no other stream may wait for it."""

    def feed(self, piece: bytes) -> bytes: ...

    def close(self) -> bytes:
        """What is left; raises a `Refusal` if the reply cannot be read and nothing of it has gone out."""
        ...

    def cut(self) -> bytes:
        """What was held back, when the upstream has broken off its reply."""
        ...

    def head(self, status: int, headers: RawHeaders) -> tuple[int, RawHeaders]:
        """Status and headers for the client; asked before the first byte goes out."""
        ...


ChooseRewriting: TypeAlias = Callable[[int, RawHeaders], Rewriting | None]
"""By status and headers of a reply; None: it passes as it is."""


def is_plain_stream(headers: RawHeaders) -> bool:
    """Whether a reply is a stream of events that can be read."""
    found = dict(headers)
    return found.get(b"content-type", b"").startswith(b"text/event-stream") and b"content-encoding" not in found


def without_length(headers: RawHeaders) -> RawHeaders:
    return [(name, value) for name, value in headers if name != b"content-length"]
