"""A reply on its way to the client: the upstream's bytes as they come, and a copy for whoever listens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from starlette.types import Send

from lorewright.gateway.forward import Reply
from lorewright.gateway.gathering import gathered
from lorewright.gateway.headers import RawHeaders, reply_headers
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.usage_chunk import UsageChunk
from lorewright.gateway.weaver import Ending, Listener
from lorewright.providers.api import Api
from lorewright.providers.error import error_event

__all__ = ["Ear", "relay"]

_LOG: Final = logging.getLogger(__name__)
_EVENT_ENDS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")
_LONGEST_END: Final = 4
_LENGTH: Final = b"content-length"


class Ear:
    """Listeners that may fail: one that did hears no more, and the reply goes on."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    def start(self, status: int, headers: RawHeaders) -> None:
        self._tell(lambda listener: listener.start(status, headers))

    def hear(self, piece: bytes) -> None:
        if self._listeners:
            self._tell(lambda listener: listener.hear(piece))

    def end(self, ending: Ending) -> None:
        """Only the first end counts."""
        self._tell(lambda listener: listener.end(ending))
        self._listeners = ()

    def _tell(self, tell: Callable[[Listener], None]) -> None:
        for listener in self._listeners:
            try:
                tell(listener)
            except Exception as error:  # noqa: BLE001  whatever a listener raises
                _LOG.warning("a reader of a reply failed (%s); the reply goes on", type(error).__name__)
                self._listeners = tuple(one for one in self._listeners if one is not listener)


async def relay(
    reply: Reply, send: Send, shape: Api, ear: Ear, extra: RawHeaders, usage: UsageChunk | None = None
) -> None:
    """Send a reply on to the client, and close it.

    A stream that breaks off between two events ends with an error event. One that breaks off elsewhere is cut, as
    the upstream cut it: what came cannot be taken back. usage: takes out the chunk that the client did not ask for.
    """
    headers = reply_headers(reply.headers)
    names = dict(headers)
    is_plain_stream = (
        names.get(b"content-type", b"").startswith(b"text/event-stream") and b"content-encoding" not in names
    )
    if usage is not None and not is_plain_stream:
        usage = None
    if usage is not None:
        headers = [(name, value) for name, value in headers if name != _LENGTH]
    ear.start(reply.status, headers)
    tail = _EVENT_ENDS[0]
    try:
        await send({"type": "http.response.start", "status": reply.status, "headers": headers + extra})
        async with aclosing(gathered(reply.pieces)) as pieces:
            async for piece in pieces:
                ear.hear(piece)
                kept = usage.feed(piece) if usage is not None else piece
                if kept:
                    tail = (tail + kept[-_LONGEST_END:])[-_LONGEST_END:]
                    await send({"type": "http.response.body", "body": kept, "more_body": True})
        rest = usage.close() if usage is not None else b""
        ear.end("complete")
        await send({"type": "http.response.body", "body": rest})
    except asyncio.CancelledError:
        ear.end("client_gone")
        raise
    except Refusal as refusal:
        ear.end("interrupted")
        _LOG.warning("%s", refusal.message)
        if is_plain_stream and tail.endswith(_EVENT_ENDS):
            event = error_event(shape, refusal.status, refusal.message, code=refusal.code)
            await send({"type": "http.response.body", "body": event})
        # Without a last message the server cuts the connection.
    except Exception:
        ear.end("interrupted")
        raise
    finally:
        await reply.close()
