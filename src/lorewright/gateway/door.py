"""The way in: every request passes here first, and every refusal leaves here in the shape that its client reads."""

from __future__ import annotations

import logging
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lorewright.gateway.answers import ClientGone, send_refusal
from lorewright.gateway.endpoints import shape_of
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.safety import admit, check_place, cors_headers
from lorewright.gateway.service import Service

__all__ = ["Door"]

_LOG: Final = logging.getLogger(__name__)
_PREFLIGHT_SECONDS: Final = b"600"


class Door:
    """Lets requests through to `app` with `scope["state"]["caller"]`, or answers them itself."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":  # whoever wants a websocket is not answered
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: RawHeaders = scope["headers"]
        configuration = self._service.configuration
        extra = cors_headers(headers, configuration.listen)
        is_started = False

        async def send_on(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        self._service.status.requests += 1
        try:
            if scope["method"] == "OPTIONS":
                check_place(headers, configuration.listen)
                await _preflight(headers, send_on)
                return
            scope.setdefault("state", {})["caller"] = admit(headers, configuration)
            scope["app"] = self  # so that the router raises what it refuses, and it leaves here
            await self._app(scope, receive, send_on)
        except ClientGone:
            return
        except Exception as error:
            if is_started:
                raise
            refusal = _as_refusal(error, scope)
            self._service.status.refusals[refusal.code] += 1
            await send_refusal(send_on, refusal, shape_of(scope["path"], headers))


def _as_refusal(error: Exception, scope: Scope) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):  # the router knows the path, and not with this method
        allow = (error.headers or {}).get("Allow", "")
        message = f"`{scope['path']:.100}` does not take {scope['method']}; it takes {allow}."
        return Refusal("method_not_allowed", message, allow=allow)
    _LOG.error("a request failed", exc_info=error)
    return Refusal("gateway_failed", "The gateway failed. Its log says why; please report it.")


async def _preflight(headers: RawHeaders, send: Send) -> None:
    asked = [value for name, value in headers if name == b"access-control-request-headers"]
    allowed = [
        (b"access-control-allow-methods", b"GET, POST, DELETE"),
        (b"access-control-max-age", _PREFLIGHT_SECONDS),
        *((b"access-control-allow-headers", value) for value in asked),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": allowed})
    await send({"type": "http.response.body", "body": b""})
