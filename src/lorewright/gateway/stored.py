"""`/v1/responses/{id}` and what is below it: passed through to the upstream that has the response."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from starlette.types import Receive, Scope, Send

from lorewright.gateway.answers import read_body
from lorewright.gateway.configuration import Configuration, Route
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.gateway.exchange import until_gone
from lorewright.gateway.headers import RawHeaders, find_header, upstream_headers
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.relay import Ear, relay
from lorewright.gateway.routing import ROUTE_HEADER
from lorewright.gateway.service import Service

__all__ = ["StoredResponse"]

_ENDPOINT: Final = ENDPOINTS["responses"]


class StoredResponse:
    """The ASGI application of one path below a response, such as `/cancel`."""

    def __init__(self, service: Service, rest: str = "") -> None:
        self._service = service
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await read_body(receive, scope["headers"], self._service.configuration.limits.body_bytes)
        await until_gone(self._pass(scope, send), receive)

    async def _pass(self, scope: Scope, send: Send) -> None:
        service, headers = self._service, scope["headers"]
        configuration = service.configuration
        response_id: str = scope["path_params"]["response_id"]
        route = service.response_ids.find(response_id, scope["state"]["caller"], _other_route(headers, configuration))
        if route.upstream not in configuration.upstreams:  # the mirror stores nothing, and upstreams come and go
            raise Refusal("response_not_found", f"The upstream of the response `{response_id:.100}` is not here.")
        upstream = configuration.upstreams[route.upstream]
        query = scope["query_string"].decode("latin-1")
        rest = f"/{response_id}{self._rest}" + (f"?{query}" if query else "")
        sent = upstream_headers(headers, route, upstream, configuration)
        url = upstream.url_of(_ENDPOINT, rest)
        reply = await service.upstreams.send(scope["method"], url, sent, b"", upstream, configuration.limits)
        await relay(reply, send, _ENDPOINT.shape, Ear(), [])


def _other_route(headers: RawHeaders, configuration: Configuration) -> Route | None:
    """Where a response is looked for that is not known: the route of a header, the default one, the only upstream."""
    name = unquote(find_header(headers, ROUTE_HEADER) or "") or configuration.default_route
    if name in configuration.routes:
        return configuration.routes[name]
    if len(configuration.upstreams) == 1:
        [only] = configuration.upstreams
        return Route(name=only, upstream=only, weave=False)
    return None
