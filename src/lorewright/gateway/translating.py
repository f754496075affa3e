"""A client of one API served by an upstream that speaks another: the request there, the reply back.

What becomes of each field is a table in `providers/translation`; here it is tied to bytes and heads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.errors import RequestError
from lorewright.gateway.configuration import Upstream
from lorewright.gateway.endpoints import ENDPOINTS, Endpoint
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.rewriting import Rewriting, is_plain_stream, without_length
from lorewright.providers.body import read_body, write_body
from lorewright.providers.translation.translate import (
    Spoken,
    StreamTranslation,
    can_translate,
    translate_error,
    translate_reply,
    translate_request,
)

__all__ = ["Translation", "dropped_header", "find_spoken", "translate"]

_SPOKEN: Final[tuple[Spoken, ...]] = ("chat", "messages")
_OK: Final = 200
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_NAMED: Final = 40
_MOST_LOST: Final = 200
"""Paths of a reply that are recorded; an upstream may make up any number of fields."""
_JSON: Final = (b"content-type", b"application/json")
_EVENTS: Final = (b"content-type", b"text/event-stream; charset=utf-8")


def find_spoken(endpoint: Endpoint, upstream: Upstream) -> Spoken | None:
    """The API of the upstream that requests of this endpoint are translated to, if there is one."""
    if endpoint.name != endpoint.shape:  # counting tokens and embedding are no conversations
        return None
    return next((one for one in _SPOKEN if one in upstream.apis and can_translate(endpoint.shape, one)), None)


@dataclass(slots=True)
class Translation:
    """One request in the upstream's words, and the way back. request: the client's. dropped: paths of what of the request
    could not be said."""

    client: Endpoint
    spoken: Spoken
    request: Mapping[str, Any]
    body: bytes
    dropped: tuple[str, ...]
    created_seconds: int
    """When, since 1970; some APIs tell it in their replies."""
    _reply: _Stream | _Whole | None = None

    @property
    def endpoint(self) -> Endpoint:
        """The upstream's."""
        return ENDPOINTS[self.spoken]

    def rewriting(self, status: int, headers: RawHeaders) -> Rewriting:
        """The way back for a reply with this head."""
        is_stream = status == _OK and is_plain_stream(headers)
        self._reply = _Stream(self) if is_stream else _Whole(self, status)
        return self._reply

    def lost(self) -> tuple[str, ...]:
        """Paths of what of the reply could not be said, as far as it has come."""
        return self._reply.lost[:_MOST_LOST] if self._reply is not None else ()


def translate(body: bytes, model: str, client: Endpoint, spoken: Spoken, upstream: Upstream, now: float) -> Translation:
    """Translate a request. now: seconds since 1970.

    Raises:
        Refusal: it holds what the upstream's API cannot say and what must not be left out, or it cannot be read.
    """
    try:
        request = read_body(body)
        made = translate_request({**request, "model": model}, client.shape, spoken, upstream.dialect)
    except RequestError as error:
        param = error.facts.get("param")
        raise Refusal("not_translatable", error.message, param if isinstance(param, str) else None) from error
    return Translation(client, spoken, request, write_body(made.body), made.dropped, int(now))


def dropped_header(dropped: tuple[str, ...]) -> RawHeaders:
    """What a translation left out, for the client: paths with commas between them, the first forty."""
    if not dropped:
        return []
    named = [path.encode("ascii", "replace") for path in dropped[:_MOST_NAMED] if path.isprintable()]
    more = [b"and %d more" % (len(dropped) - _MOST_NAMED)] if len(dropped) > _MOST_NAMED else []
    return [(b"x-lorewright-dropped", b", ".join((*named, *more)))]


class _Stream:
    """A stream, event by event."""

    waits = False
    is_slow = False

    def __init__(self, translation: Translation) -> None:
        self._dropped = translation.dropped
        self._stream = StreamTranslation(
            translation.spoken,
            translation.client.shape,
            created=translation.created_seconds,
            request=translation.request,
        )

    @property
    def lost(self) -> tuple[str, ...]:
        return self._stream.dropped

    def feed(self, piece: bytes) -> bytes:
        return self._stream.feed(piece)

    def close(self) -> bytes:
        return self._stream.close()

    def cut(self) -> bytes:
        return b""

    def head(self, status: int, headers: RawHeaders) -> tuple[int, RawHeaders]:
        return status, [_EVENTS, *_without_content(headers), *dropped_header(self._dropped)]


class _Whole:
    """A reply in one piece, or an error."""

    waits = True
    is_slow = False

    def __init__(self, translation: Translation, status: int) -> None:
        self._translation = translation
        self._status = status
        self.lost: tuple[str, ...] = ()
        self._body = bytearray()

    def feed(self, piece: bytes) -> bytes:
        self._body += piece
        if len(self._body) > _MOST_BYTES:
            raise Refusal("upstream_broke", f"The upstream's reply is larger than {_MOST_BYTES:,} bytes.")
        return b""

    def close(self) -> bytes:
        asked = self._translation
        if self._status != _OK:
            return write_body(translate_error(_said(bytes(self._body)), asked.client.shape, self._status))
        try:
            made = translate_reply(
                read_body(bytes(self._body)),
                asked.spoken,
                asked.client.shape,
                created=asked.created_seconds,
                request=asked.request,
            )
        except RequestError as error:
            message = f"The upstream's reply is none of its API, so it cannot be translated: {error.message}"
            raise Refusal("upstream_broke", message) from error
        self.lost = made.dropped
        return write_body(made.body)

    def cut(self) -> bytes:
        return b""

    def head(self, status: int, headers: RawHeaders) -> tuple[int, RawHeaders]:
        dropped = (*self._translation.dropped, *self.lost)
        return status, [_JSON, *_without_content(headers), *dropped_header(dropped)]


def _said(body: bytes) -> object:
    """What an error says: JSON, or the text it is."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")[:2000].strip()


def _without_content(headers: RawHeaders) -> RawHeaders:
    """The headers that say nothing about the body."""
    return [one for one in without_length(headers) if one[0] not in {b"content-type", b"content-encoding"}]
