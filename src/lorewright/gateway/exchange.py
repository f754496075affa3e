"""One request to a model and its reply: read, choose, weave, send, pass on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from lorewright.gateway.answers import ClientGone, read_body
from lorewright.gateway.configuration import Configuration
from lorewright.gateway.endpoints import Endpoint
from lorewright.gateway.headers import RawHeaders, find_header, upstream_headers
from lorewright.gateway.mirror import mirror_reply
from lorewright.gateway.outgoing import Outgoing, prepare
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.relay import Ear, relay
from lorewright.gateway.replies.desk import Rewrites
from lorewright.gateway.response_ids import IdReader
from lorewright.gateway.routing import MIRROR_UPSTREAM
from lorewright.gateway.safety import Caller
from lorewright.gateway.service import Service
from lorewright.gateway.telling import Teller
from lorewright.gateway.weaver import Listener, NotWoven, ToWeave, Woven

__all__ = ["Exchange", "until_gone"]

_LOG: Final = logging.getLogger(__name__)
_MODE: Final = b"x-lorewright-mode"
_DRY_RUN: Final = b"x-lorewright-dry-run"
"""A request with this header is answered by the mirror: with what would have been sent."""


class Exchange:
    """The ASGI application of one endpoint."""

    def __init__(self, service: Service, endpoint: Endpoint) -> None:
        self._service = service
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: RawHeaders = scope["headers"]
        configuration = self._service.configuration
        body = await read_body(receive, headers, configuration.limits.body_bytes)
        await until_gone(self._exchange(headers, body, scope["state"]["caller"], configuration, send), receive)

    async def _exchange(
        self, headers: RawHeaders, body: bytes, caller: Caller, configuration: Configuration, send: Send
    ) -> None:
        service = self._service
        outgoing = await prepare(service, self._endpoint, body, caller, configuration)
        choice, endpoint = outgoing.choice, outgoing.endpoint
        is_dry = _is_dry_run(headers)
        rewrites = None if is_dry else await service.replies.open(choice.route, self._endpoint)
        is_plain = outgoing.must_read or rewrites is not None
        sent_headers = upstream_headers(headers, choice.route, choice.upstream, configuration, plain=is_plain)
        woven = await self._weave(headers, outgoing, caller, configuration, rewrites)
        readers = [IdReader(service.response_ids, caller, choice.route)] if endpoint.name == "responses" else []
        listener = woven.listener or (None if is_dry else self._teller(outgoing, woven))
        ear = Ear(*readers, *([listener] if listener is not None else []))
        try:
            if choice.upstream is MIRROR_UPSTREAM or is_dry:
                reply = mirror_reply(endpoint.name, woven.body)
            else:
                url = choice.upstream.url_of(endpoint)
                reply = await service.upstreams.send(
                    "POST", url, sent_headers, woven.body, choice.upstream, configuration.limits
                )
        except Refusal as refusal:
            ear.end("interrupted")
            _LOG.warning("%s", refusal.message)
            raise
        except asyncio.CancelledError:
            ear.end("client_gone")
            raise
        dry = [(_DRY_RUN, b"1")] if is_dry else []
        rewriting = rewrites.around(outgoing.rewriting) if rewrites is not None else outgoing.rewriting
        extra = [choice.header, *dry, *_receipt(woven)]
        await relay(reply, send, self._endpoint.shape, ear, extra, rewriting)

    async def _weave(
        self,
        headers: RawHeaders,
        outgoing: Outgoing,
        caller: Caller,
        configuration: Configuration,
        rewrites: Rewrites | None,
    ) -> Woven:
        """What to send: the woven body, or the body as it came with the stage that failed."""
        loom, body, choice = self._service.loom, outgoing.body, outgoing.choice
        is_off = _is_switched_off(headers) or not choice.route.weave
        if loom is None or is_off or not outgoing.endpoint.weaves:
            return Woven(body=body)
        request = ToWeave(
            endpoint=outgoing.endpoint.name,
            body=body,
            route=choice.route,
            upstream=choice.upstream,
            caller=caller,
            conversation=find_header(headers, b"x-lorewright-conversation"),
            dry_run=_is_dry_run(headers),
            dropped=outgoing.dropped,
            lost=outgoing.lost,
            account=rewrites.account if rewrites is not None else None,
            seconds=configuration.limits.weave_seconds,
        )
        outcome = await loom.weave(request)
        if isinstance(outcome, NotWoven):
            self._service.status.not_woven[outcome.stage] += 1
            return Woven(body=body, failed=outcome.stage)
        return outcome

    def _teller(self, outgoing: Outgoing, woven: Woven) -> Listener | None:
        """What makes a span of the reply to a request that was sent as it came."""
        spans = self._service.spans
        if spans is None:
            return None
        return Teller(spans, outgoing.endpoint, outgoing.choice.upstream, outgoing.choice.model, woven.failed)


def _is_dry_run(headers: RawHeaders) -> bool:
    return find_header(headers, _DRY_RUN) is not None


def _is_switched_off(headers: RawHeaders) -> bool:
    """Whether the client wants nothing woven.

    Raises:
        Refusal: it says something else of it: a slip, and what was to stay out would go in.
    """
    mode = find_header(headers, _MODE)
    if mode not in (None, "off"):
        raise Refusal("mode_unknown", f"`{_MODE.decode()}` says {mode!r:.40}. Say `off`, or leave it out.")
    return mode is not None


async def until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Do this work until it is done or the client is gone; what still runs then is cancelled."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_for_end(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _receipt(woven: Woven) -> RawHeaders:
    turn = [(b"x-lorewright-turn", woven.turn.encode())] if woven.turn is not None else []
    failed = [(b"x-lorewright-error", woven.failed.encode())] if woven.failed is not None else []
    return [*turn, *woven.headers, *failed]
