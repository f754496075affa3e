"""Answers of the gateway's own, and the body of a request, over ASGI."""

from __future__ import annotations

import json
from typing import Any, Final

from starlette.types import Receive, Send

from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.refusal import Refusal
from lorewright.providers.api import Api
from lorewright.providers.error import error_body

__all__ = ["ClientGone", "json_bytes", "read_body", "send_json", "send_refusal"]

_JSON: Final = b"application/json"


class ClientGone(Exception):
    """The client has closed its connection; nobody reads an answer."""


async def read_body(receive: Receive, headers: RawHeaders, limit_bytes: int) -> bytes:
    """The whole body of a request.

    Raises:
        Refusal: it is too large, or compressed.
        ClientGone: it never came to its end.
    """
    for name, value in headers:
        if name == b"content-length" and value.isdigit() and (len(value) > 18 or int(value) > limit_bytes):
            raise _too_large(limit_bytes)
        if name == b"content-encoding" and value.strip().lower() not in {b"", b"identity"}:
            message = "The body is compressed (`content-encoding`). Send it as it is; only replies may be compressed."
            raise Refusal("body_compressed", message)
    pieces: list[bytes] = []
    size = 0
    while True:
        message_of_server = await receive()
        if message_of_server["type"] == "http.disconnect":
            raise ClientGone
        piece: bytes = message_of_server.get("body", b"")
        size += len(piece)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        pieces.append(piece)
        if not message_of_server.get("more_body", False):
            return b"".join(pieces)


def _too_large(limit_bytes: int) -> Refusal:
    message = f"The body is larger than {limit_bytes:,} bytes (`limits.body_bytes`). Send less, or raise the limit."
    return Refusal("body_too_large", message)


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8; half of a surrogate pair, which UTF-8 cannot have, as its escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


async def send_json(send: Send, value: Any, status: int = 200, headers: RawHeaders | None = None) -> None:
    body = json_bytes(value)
    length = str(len(body)).encode()
    all_headers = [(b"content-type", _JSON), (b"content-length", length), *(headers or ())]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})


async def send_refusal(send: Send, refusal: Refusal, shape: Api) -> None:
    body = error_body(shape, refusal.status, refusal.message, code=refusal.code, param=refusal.param)
    allow = [(b"allow", refusal.allow.encode())] if refusal.allow is not None else []
    await send_json(send, body, refusal.status, [(b"x-lorewright-refused", refusal.code.encode()), *allow])
