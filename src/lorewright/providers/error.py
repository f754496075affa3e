"""Errors of ours in the shape of the API that the client speaks.

Sources: the error objects of the `openai` and `anthropic` SDKs' types, and the providers' lists of error types by
status.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lorewright.providers.api import Api
from lorewright.providers.sse import encode_event

__all__ = ["error_body", "error_event"]

_ANTHROPIC_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        529: "overloaded_error",
    }
)
_OPENAI_TYPES: Final[Mapping[int, str]] = MappingProxyType(
    {
        401: "authentication_error",
        403: "permission_error",
        429: "rate_limit_error",
    }
)


def error_body(
    api: Api, status: int, message: str, *, code: str | None = None, param: str | None = None
) -> dict[str, object]:
    """The JSON body of an error reply.

    `status` is that of HTTP and decides the type. `code` is a word for programs (`model_not_found`), `param` the field
    of the request that is meant; Anthropic's shape has neither.
    """
    if api == "messages":
        return {"type": "error", "error": {"type": _anthropic_type(status), "message": message}}
    kind = _OPENAI_TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_event(api: Api, status: int, message: str, *, code: str | None = None, sequence_number: int = 0) -> bytes:
    """An error after the stream began, as its last event. `sequence_number`: that of this event, for Responses."""
    body = error_body(api, status, message, code=code)
    if api == "messages":
        return encode_event(body, "error")
    if api == "responses":
        said = {"type": "error", "code": code or "server_error", "message": message, "param": None}
        return encode_event({**said, "sequence_number": sequence_number}, "error")
    return encode_event(body)


def _anthropic_type(status: int) -> str:
    return _ANTHROPIC_TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")
