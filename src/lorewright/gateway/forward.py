"""To the upstreams and back: bytes in, bytes out as they come. Nothing is sent twice, and no redirect is followed."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import httpx2

from lorewright.gateway.configuration import Limits, Upstream
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.refusal import Refusal

__all__ = ["Reply", "Upstreams"]

_POOLS: Final = 16
"""Pools of connections, taken in turn: one pool looks through all of its connections for each request."""
_KEEP_SECONDS: Final = 2.0
"""How long an idle connection is kept. Servers close theirs after five; one that closes while we send is an error."""
_WRITE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers. Whoever has one closes it, read to its end or not.

    pieces: the body as it comes; raises a `Refusal` if it breaks off. response: that of an upstream, to be closed.
    """

    status: int
    headers: RawHeaders
    pieces: AsyncGenerator[bytes, None]
    response: httpx2.Response | None = None

    async def close(self) -> None:
        """End it; an upstream that is not done sees its connection closed."""
        with suppress(httpx2.TransportError):
            await self.pieces.aclose()
            if self.response is not None:
                await self.response.aclose()


class Upstreams:
    """The connections to all upstreams. Only the transport is used: it knows no cookies, redirects or retries."""

    def __init__(self) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEEP_SECONDS)
        context = ssl.create_default_context()
        self._transports = [
            httpx2.AsyncHTTPTransport(verify=context, limits=limits, trust_env=False) for _ in range(_POOLS)
        ]
        self._turn = cycle(self._transports)

    async def close(self) -> None:
        for transport in self._transports:
            await transport.aclose()

    async def send(
        self, method: str, url: str, headers: RawHeaders, body: bytes, upstream: Upstream, limits: Limits
    ) -> Reply:
        """Send a request and wait for the head of its reply.

        Raises:
            Refusal: there is no connection, no answer in time, or the answer is a redirect.
        """
        waits = {
            "connect": limits.connect_seconds,
            "read": limits.idle_seconds,
            "write": _WRITE_SECONDS,
            "pool": limits.connect_seconds,
        }
        request = httpx2.Request(method, url, headers=headers, content=body, extensions={"timeout": waits})
        try:
            response = await next(self._turn).handle_async_request(request)
        except httpx2.TransportError as error:
            raise _refusal(error, upstream, limits) from error
        if response.is_redirect:
            await response.aclose()
            raise Refusal(
                "upstream_redirect",
                f"The upstream `{upstream.name}` answers with a redirect, and none is followed. "
                "Write the address it leads to into `base_url`.",
            )
        pieces = _pieces(response, upstream, limits)
        return Reply(response.status_code, list(response.headers.raw), pieces, response)


async def _pieces(response: httpx2.Response, upstream: Upstream, limits: Limits) -> AsyncGenerator[bytes, None]:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    try:
        async for piece in response.stream:
            if piece:
                yield piece
    except httpx2.TransportError as error:
        raise _refusal(error, upstream, limits) from error


def _refusal(error: httpx2.TransportError, upstream: Upstream, limits: Limits) -> Refusal:
    if isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        message = f"The upstream `{upstream.name}` was not reached within {limits.connect_seconds:g} seconds."
        return Refusal("upstream_timeout", message)
    if isinstance(error, httpx2.TimeoutException):
        message = (
            f"The upstream `{upstream.name}` was silent for {limits.idle_seconds:g} seconds (`limits.idle_seconds`)."
        )
        return Refusal("upstream_timeout", message)
    if isinstance(error, httpx2.ConnectError):
        message = f"The upstream `{upstream.name}` cannot be reached. Is it running at its `base_url`?"
        return Refusal("upstream_unreachable", message)
    return Refusal("upstream_broke", f"The upstream `{upstream.name}` broke off its reply ({type(error).__name__}).")
