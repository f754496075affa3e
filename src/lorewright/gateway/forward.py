"""To the upstreams and back: bytes in, bytes out as they come. Nothing is sent twice, and no redirect is followed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from lorewright.gateway.configuration import Limits, Upstream
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.refusal import Refusal

__all__ = ["Reply", "Upstreams"]

_KEEP_SECONDS: Final = 2.0
"""How long an idle connection is kept. Servers close theirs after five; one that closes while we send is an error."""
_WRITE_SECONDS: Final = 60.0
_HEAD_BYTES: Final = 65_536
"""The longest line of a reply's head."""
_OWN_HEADERS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""What the library would add; only what `upstream_headers` chose is sent."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_STATUSES: Final = frozenset(range(200, 600)) - {304}
"""What may end a request. One of 304 answers a question that is never sent on."""
_FAULTS: Final = (aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers. Whoever has one closes it, read to its end or not.

    pieces: the body as it comes; raises a `Refusal` if it breaks off. response: that of an upstream, to be closed.
    """

    status: int
    headers: RawHeaders
    pieces: AsyncGenerator[bytes, None]
    response: aiohttp.ClientResponse | None = None

    async def close(self) -> None:
        """End it; an upstream that is not done sees its connection closed."""
        await self.pieces.aclose()
        if self.response is not None:
            self.response.close()


class Upstreams:
    """The connections to all upstreams. They know no cookies, redirects, retries or environment."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(
        self, method: str, url: str, headers: RawHeaders, body: bytes, upstream: Upstream, limits: Limits
    ) -> Reply:
        """Send a request and wait for the head of its reply.

        Raises:
            Refusal: there is no connection, no answer in time, or the answer is a redirect.
        """
        if self._session is None:
            self._session = _open_session()
        waits = aiohttp.ClientTimeout(sock_connect=limits.connect_seconds, sock_read=limits.idle_seconds)
        named = [(name.decode(), _as_text(value)) for name, value in headers]
        try:
            async with asyncio.timeout(limits.connect_seconds + _WRITE_SECONDS + limits.idle_seconds):
                response = await self._session.request(
                    method,
                    URL(url, encoded=True),
                    headers=named,
                    data=body or None,
                    timeout=waits,
                    allow_redirects=False,
                )
        except _FAULTS as error:
            raise _refusal(error, upstream, limits) from error
        if response.status in _REDIRECTS:
            response.close()
            raise Refusal(
                "upstream_redirect",
                f"The upstream `{upstream.name}` answers with a redirect, and none is followed. "
                "Write the address it leads to into `base_url`.",
            )
        if response.status not in _STATUSES:
            response.close()
            raise Refusal(
                "upstream_broke",
                f"The upstream `{upstream.name}` answers with {response.status}, no status of a reply.",
            )
        return Reply(response.status, list(response.raw_headers), _pieces(response, upstream, limits), response)


def _as_text(value: bytes) -> str:
    """A header's value for the library, which writes it in UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _open_session() -> aiohttp.ClientSession:
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=_OWN_HEADERS,
        auto_decompress=False,
        max_line_size=_HEAD_BYTES,
        max_field_size=_HEAD_BYTES,
    )
    session._retry_connection = False  # noqa: SLF001  there is no public way to say that nothing is sent twice
    return session


async def _pieces(response: aiohttp.ClientResponse, upstream: Upstream, limits: Limits) -> AsyncGenerator[bytes, None]:
    """The body. What is there at once is one piece: each costs the client's side a write."""
    try:
        async for piece in response.content.iter_any():
            yield piece
    except _FAULTS as error:
        # The library forgets what came before the fault and was not read yet; to the client it belongs.
        if rest := response.content._read_nowait(-1):  # noqa: SLF001
            yield rest
        raise _refusal(error, upstream, limits) from error


def _refusal(error: Exception, upstream: Upstream, limits: Limits) -> Refusal:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        message = f"The upstream `{upstream.name}` was not reached within {limits.connect_seconds:g} seconds."
        return Refusal("upstream_timeout", message)
    if isinstance(error, TimeoutError):
        message = (
            f"The upstream `{upstream.name}` was silent for {limits.idle_seconds:g} seconds (`limits.idle_seconds`)."
        )
        return Refusal("upstream_timeout", message)
    if isinstance(error, aiohttp.ClientSSLError):
        message = (
            f"No secure connection to the upstream `{upstream.name}`: its certificate is not trusted here, or it speaks no "
            "TLS. Trust the certificate on this computer, or write `http://` into `base_url` where it is meant."
        )
        return Refusal("upstream_unreachable", message)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.InvalidURL):
        message = f"The upstream `{upstream.name}` cannot be reached. Is it running at its `base_url`?"
        return Refusal("upstream_unreachable", message)
    return Refusal("upstream_broke", f"The upstream `{upstream.name}` broke off its reply ({type(error).__name__}).")
