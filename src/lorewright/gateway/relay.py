"""A reply on its way to the client: the upstream's bytes as they come, and a copy for whoever listens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from typing import Final

from starlette.types import Send

from lorewright.gateway.forward import Reply
from lorewright.gateway.headers import RawHeaders, reply_headers
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.rewriting import ChooseRewriting, Rewriting, is_plain_stream
from lorewright.gateway.weaver import Ending, Listener
from lorewright.providers.api import Api
from lorewright.providers.error import error_event

__all__ = ["Ear", "relay"]

_LOG: Final = logging.getLogger(__name__)
_EVENT_ENDS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")
_LONGEST_END: Final = 4


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
    reply: Reply, send: Send, shape: Api, ear: Ear, extra: RawHeaders, choose: ChooseRewriting | None = None
) -> None:
    """Send a reply on to the client, and close it. choose: what changes it on its way.

    A stream that breaks off between two events ends with an error event. One that breaks off elsewhere is cut, as
    the upstream cut it: what came cannot be taken back.

    Raises:
        Refusal: it broke off before anything of it went out.
    """
    headers = reply_headers(reply.headers)
    rewriting = choose(reply.status, headers) if choose is not None else None
    is_started = False

    async def send_piece(piece: bytes, *, is_last: bool = False) -> None:
        nonlocal is_started
        if not is_started:
            is_started = True
            status, head = rewriting.head(reply.status, headers) if rewriting is not None else (reply.status, headers)
            await send({"type": "http.response.start", "status": status, "headers": head + extra})
        if piece or is_last:
            await send({"type": "http.response.body", "body": piece, "more_body": not is_last})

    ear.start(reply.status, headers)
    tail = _EVENT_ENDS[0]
    try:
        if rewriting is None or not rewriting.waits:
            await send_piece(b"")
        async with aclosing(reply.pieces) as pieces:
            async for piece in pieces:
                ear.hear(piece)
                if kept := await _changed(rewriting, piece):
                    tail = (tail + kept[-_LONGEST_END:])[-_LONGEST_END:]
                    await send_piece(kept)
        await send_piece(await _changed(rewriting), is_last=True)
        ear.end("complete")  # behind the last piece, which does not wait for what listeners do then
    except asyncio.CancelledError:
        ear.end("client_gone")
        raise
    except Refusal as refusal:
        ear.end("interrupted")
        _LOG.warning("%s", refusal.message)
        if not is_started:
            raise
        if rewriting is not None and (held := rewriting.cut()):
            tail = held[-_LONGEST_END:]
            await send_piece(held)
        if is_plain_stream(headers) and tail.endswith(_EVENT_ENDS):
            await send_piece(error_event(shape, refusal.status, refusal.message, code=refusal.code), is_last=True)
        # Without a last message the server cuts the connection.
    except Exception:
        ear.end("interrupted")
        raise
    finally:
        await reply.close()


async def _changed(rewriting: Rewriting | None, piece: bytes | None = None) -> bytes:
    """What the client gets for a piece; for none: of the rest."""
    if rewriting is None:
        return piece or b""
    work = rewriting.close if piece is None else partial(rewriting.feed, piece)
    return await asyncio.to_thread(work) if rewriting.is_slow else work()
