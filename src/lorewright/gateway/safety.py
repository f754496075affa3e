"""Who may come in. These checks stand before everything else, and none of them ever fails open.

A page in a browser could reach a server on this computer: by a name that it lets point here (DNS rebinding), or by
plain requests across origins. So the name in `Host` must be one of ours, and an `Origin` must be allowed.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from lorewright.gateway.configuration import Configuration, Listen, Token, is_loopback
from lorewright.gateway.refusal import Refusal

__all__ = ["TOKEN_HEADER", "Caller", "admit", "check_place", "cors_headers", "is_own_token"]

TOKEN_HEADER: Final = b"x-lorewright-token"
_LOCAL_OWNER: Final = "local"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: state, receipts and books are looked up under `owner`."""

    owner: str = _LOCAL_OWNER
    is_admin: bool = False


def admit(headers: list[tuple[bytes, bytes]], configuration: Configuration) -> Caller:
    """The caller of a request with these headers (names in lower case).

    Raises:
        Refusal: the host or the origin is not ours, or a token is wanted and not there.
    """
    check_place(headers, configuration.listen)
    if not configuration.tokens:
        return Caller(is_admin=True)
    given = list(_credentials(headers))
    if not given:
        message = "A token is needed. Send it as your API key, or in the header `x-lorewright-token`."
        raise Refusal("token_missing", message)
    for credential in given:
        if token := _find_token(credential, configuration.tokens):
            return Caller(token.owner, token.is_admin)
    raise Refusal("token_wrong", "This token is not known here. Ask for one, or look at `[[tokens]]`.")


def check_place(headers: list[tuple[bytes, bytes]], listen: Listen) -> None:
    """Whether a request was meant for this server, and comes from nowhere that may not call it.

    Raises:
        Refusal: its host or its origin is not ours.
    """
    _check_host(headers, listen)
    _check_origin(headers, listen)


def is_own_token(credential: bytes, tokens: Iterable[Token]) -> bool:
    """Whether this is a token of the gateway, with or without `Bearer` before it; such a thing never goes upstream."""
    return _find_token(_bare(credential), tokens) is not None


def cors_headers(headers: list[tuple[bytes, bytes]], listen: Listen) -> list[tuple[bytes, bytes]]:
    """What lets a page of a configured origin read the answer; nothing for everybody else."""
    origin = next((value for name, value in headers if name == b"origin"), None)
    if origin is None or origin.decode("latin-1") not in listen.cors_origins:
        return []
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", b"*"),
        (b"vary", b"Origin"),
    ]


def _find_token(credential: bytes, tokens: Iterable[Token]) -> Token | None:
    """Compares with all of them, each in constant time, so that the time says nothing about any."""
    found = None
    for token in tokens:
        if hmac.compare_digest(token.secret.value.encode(), credential):
            found = token
    return found


def _credentials(headers: list[tuple[bytes, bytes]]) -> Iterable[bytes]:
    for name, value in headers:
        if name in {TOKEN_HEADER, b"x-api-key", b"authorization"} and (bare := _bare(value)):
            yield bare


def _bare(credential: bytes) -> bytes:
    scheme, _, rest = credential.strip().partition(b" ")
    return rest.strip() if scheme.lower() == b"bearer" else credential.strip()


def _check_host(headers: list[tuple[bytes, bytes]], listen: Listen) -> None:
    hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
    if len(hosts) != 1:
        raise Refusal("host_refused", f"The request has {len(hosts)} `Host` headers; one is wanted.")
    if not _is_own_host(_name_of(hosts[0]), listen):
        message = f"`{hosts[0]:.100}` is no name of this server. If it is, add it to `listen.hosts`."
        raise Refusal("host_refused", message)


def _name_of(host: str) -> str:
    """The name in `name`, `name:port`, `[address]` or `[address]:port`."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_own_host(name: str, listen: Listen) -> bool:
    """A configured name, or a number: only names can be made to point elsewhere. A local listener has local ones."""
    if name in listen.hosts or name == listen.host.strip("[]").lower() or is_loopback(name):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return not is_loopback(listen.host)


def _check_origin(headers: list[tuple[bytes, bytes]], listen: Listen) -> None:
    """A request of a page of this server itself, or of an origin that is allowed. Programs send no origin."""
    host = next(value.decode("latin-1").lower() for name, value in headers if name == b"host")
    for origin in (value.decode("latin-1") for name, value in headers if name == b"origin"):
        if origin not in listen.cors_origins and origin.lower() not in {f"http://{host}", f"https://{host}"}:
            message = (
                f"Pages of `{origin:.100}` may not call this server. If they may, add it to `listen.cors_origins`."
            )
            raise Refusal("origin_refused", message)
