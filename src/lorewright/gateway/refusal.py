"""What the gateway says when it answers itself: an error in the shape of the API that was asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from lorewright.errors import LorewrightError

__all__ = ["STATUSES", "Code", "Refusal"]

Code = Literal[
    "admin_needed",
    "api_not_spoken",
    "body_compressed",
    "body_invalid",
    "body_too_large",
    "gateway_failed",
    "host_refused",
    "key_missing",
    "ledger_failed",
    "method_not_allowed",
    "mode_unknown",
    "model_missing",
    "model_not_found",
    "not_found",
    "not_translatable",
    "origin_refused",
    "peer_refused",
    "query_invalid",
    "response_not_found",
    "rules_invalid",
    "token_missing",
    "token_wrong",
    "tokens_not_counted",
    "turn_not_found",
    "upstream_broke",
    "upstream_redirect",
    "upstream_timeout",
    "upstream_unreachable",
]

STATUSES: Final[Mapping[Code, int]] = MappingProxyType(
    {
        "admin_needed": 403,
        "api_not_spoken": 404,
        "body_compressed": 415,
        "body_invalid": 400,
        "body_too_large": 413,
        "gateway_failed": 500,
        "host_refused": 403,
        "key_missing": 401,
        "ledger_failed": 503,
        "method_not_allowed": 405,
        "mode_unknown": 400,
        "model_missing": 400,
        "model_not_found": 404,
        "not_found": 404,
        "not_translatable": 400,
        "origin_refused": 403,
        "peer_refused": 403,
        "query_invalid": 400,
        "response_not_found": 404,
        "rules_invalid": 400,
        "token_missing": 401,
        "token_wrong": 401,
        "tokens_not_counted": 404,
        "turn_not_found": 404,
        "upstream_broke": 502,
        "upstream_redirect": 502,
        "upstream_timeout": 504,
        "upstream_unreachable": 502,
    }
)
"""Every code with its status; `docs/reference/gateway.md` says what to do about each."""


class Refusal(LorewrightError):
    """An answer of the gateway's own, for the client. `param`: the field of the body that is meant. `allow`: the methods
    that an address takes."""

    def __init__(self, code: Code, message: str, param: str | None = None, *, allow: str | None = None) -> None:
        super().__init__(message, code=code, param=param)
        self.code: Code = code
        self.param = param
        self.allow = allow

    @property
    def status(self) -> int:
        return STATUSES[self.code]
