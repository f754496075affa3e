"""The usage of a streamed chat when the client did not ask for it: the gateway asks, and takes the answer out.

The answer is one chunk of its own, with no choices; every other byte of the stream stays as it came.
"""

from __future__ import annotations

import json

from lorewright.gateway.body import Member
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.rewriting import is_plain_stream, without_length
from lorewright.providers.sse import Decoder, Event
from lorewright.providers.usage import is_usage_chunk

__all__ = ["UsageChunk", "ask_for_usage", "without_usage"]

_FLAG = "include_usage"


def ask_for_usage(body: bytes, members: list[Member]) -> dict[str, object] | None:
    """The `stream_options` that ask for the usage; None if it is no stream, the client asks itself, or they are odd.

    Raises:
        FormatError: `stream` or `stream_options` is no JSON.
    """
    last = {member.name: member for member in members if member.name in {"stream", "stream_options"}}
    if "stream" not in last or last["stream"].value(body) is not True:
        return None
    options = last["stream_options"].value(body) if "stream_options" in last else {}
    if options is None:
        options = {}
    if not isinstance(options, dict) or options.get(_FLAG, False) is not False:
        return None
    return {**options, _FLAG: True}


def without_usage(status: int, headers: RawHeaders) -> UsageChunk | None:
    """What takes the chunk out of a reply with this head; None if it is no stream."""
    del status
    return UsageChunk() if is_plain_stream(headers) else None


class UsageChunk:
    """Bytes of a stream in, the same bytes without that chunk out."""

    waits = False
    is_slow = False

    def __init__(self) -> None:
        self._decoder = Decoder()

    def feed(self, piece: bytes) -> bytes:
        return b"".join(event.raw for event in self._decoder.feed(piece) if not _is_usage(event))

    def close(self) -> bytes:
        """What the stream had begun when it ended."""
        return b"".join(event.raw for event in self._decoder.close() if not _is_usage(event))

    def cut(self) -> bytes:
        """The beginning of an event is not sent: an error comes in its place."""
        return b""

    def head(self, status: int, headers: RawHeaders) -> tuple[int, RawHeaders]:
        return status, without_length(headers)


def _is_usage(event: Event) -> bool:
    if event.data is None or not event.is_whole or '"usage"' not in event.data or '"choices"' not in event.data:
        return False
    try:
        chunk = json.loads(event.data)
    except (ValueError, RecursionError):
        return False
    return is_usage_chunk(chunk)
