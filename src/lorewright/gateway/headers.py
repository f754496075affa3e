"""Which headers pass, by lists of what may; everything else stays on its side."""

from __future__ import annotations

from typing import Final

from lorewright.gateway.configuration import Configuration, Route, Upstream
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.safety import is_own_token

__all__ = ["RawHeaders", "find_header", "reply_headers", "upstream_headers"]

RawHeaders = list[tuple[bytes, bytes]]
"""Names in lower case, in their order; the same name may be there twice."""

_UP: Final = frozenset({b"content-type", b"accept", b"idempotency-key", b"anthropic-beta", b"anthropic-version"})
_UP_BEGINNINGS: Final = (b"openai-",)
_DOWN: Final = frozenset(
    {
        *(b"content-type", b"content-encoding", b"content-length", b"content-language", b"cache-control", b"vary"),
        *(b"retry-after", b"retry-after-ms", b"x-should-retry", b"request-id", b"x-request-id"),
    }
)
_DOWN_BEGINNINGS: Final = (b"openai-", b"anthropic-", b"x-ratelimit-")
_READABLE_ENCODINGS: Final = frozenset({b"gzip", b"deflate", b"identity"})
"""What the reader of a reply's copy can unpack."""
_AGENT: Final = b"lorewright"


def upstream_headers(
    sent: RawHeaders, route: Route, upstream: Upstream, configuration: Configuration, *, plain: bool = False
) -> RawHeaders:
    """What goes upstream with a request. plain: the reply must not be compressed.

    Raises:
        Refusal: the route takes the client's own key, and there is none.
    """
    kept = [(name, value) for name, value in sent if name in _UP or name.startswith(_UP_BEGINNINGS)]
    encodings = b"identity" if plain else _encodings(sent)
    kept += [(b"accept-encoding", encodings), (b"user-agent", _AGENT)]
    if route.auth == "passthrough":
        return kept + _own_keys(sent, configuration)
    if upstream.key is not None:
        kept.append(_key_header(upstream))
    return kept


def find_header(headers: RawHeaders, name: bytes) -> str | None:
    """The first header of this name (in lower case)."""
    return next((value.decode("latin-1") for one, value in headers if one == name), None)


def reply_headers(received: RawHeaders) -> RawHeaders:
    """What of an upstream's headers goes to the client."""
    lower = ((name.lower(), value) for name, value in received)
    return [(name, value) for name, value in lower if name in _DOWN or name.startswith(_DOWN_BEGINNINGS)]


def _encodings(sent: RawHeaders) -> bytes:
    """What the client can unpack, and so can we."""
    wanted = b",".join(value for name, value in sent if name == b"accept-encoding").lower().split(b",")
    kept = [one.strip() for one in wanted if one.partition(b";")[0].strip() in _READABLE_ENCODINGS]
    return b", ".join(kept) or b"identity"


def _own_keys(sent: RawHeaders, configuration: Configuration) -> RawHeaders:
    keys = [
        (name, value)
        for name, value in sent
        if name in {b"authorization", b"x-api-key"} and not is_own_token(value, configuration.tokens)
    ]
    if not keys:
        message = (
            "This model is answered with your own key. Send it as your API key; a token goes into `x-lorewright-token`."
        )
        raise Refusal("key_missing", message)
    return keys


def _key_header(upstream: Upstream) -> tuple[bytes, bytes]:
    key = upstream.key.value.encode() if upstream.key is not None else b""
    return (b"x-api-key", key) if upstream.kind == "anthropic" else (b"authorization", b"Bearer " + key)
