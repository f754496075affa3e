"""The ASGI application: the door, and behind it one small application for each address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from lorewright.gateway.door import Door
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.gateway.exchange import Exchange
from lorewright.gateway.models import anthropic_list, anthropic_model, known_models, openai_list, openai_model
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.service import Service
from lorewright.gateway.stored import StoredResponse

__all__ = ["STATUS_PATH", "make_app"]

STATUS_PATH: Final = "/lorewright/v1/status"


def make_app(service: Service) -> ASGIApp:
    """The application over what its requests share; the service is closed when the server ends."""

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        await service.open()
        yield
        await service.close()

    stored = "/v1/responses/{response_id}"
    routes = [
        *(Route(one.path, Exchange(service, one), methods=["POST"]) for one in ENDPOINTS.values()),
        Route(stored, StoredResponse(service), methods=["GET", "DELETE"]),
        Route(f"{stored}/cancel", StoredResponse(service, "/cancel"), methods=["POST"]),
        Route(f"{stored}/input_items", StoredResponse(service, "/input_items"), methods=["GET"]),
        Route("/v1/models", _Models(service).list, methods=["GET"]),
        Route("/v1/models/{name:path}", _Models(service).one, methods=["GET"]),
        *(service.rules.routes if service.rules is not None else ()),
        *(service.receipts.routes if service.receipts is not None else ()),
        Route(STATUS_PATH, _StatusPage(service).show, methods=["GET"]),
    ]
    return Door(Router(routes, redirect_slashes=False, default=_find_nothing, lifespan=lifespan), service)


class _Models:
    """Lists of models in the shape of the API whose version the client names, or OpenAI's."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def list(self, request: Request) -> Response:
        found = await self._known()
        return JSONResponse(anthropic_list(found) if _is_anthropic(request) else openai_list(found))

    async def one(self, request: Request) -> Response:
        name, found = request.path_params["name"], await self._known()
        if name not in found:
            raise Refusal("model_not_found", f"There is no model `{name:.200}` here; `/v1/models` lists them.", "model")
        return JSONResponse(anthropic_model(name) if _is_anthropic(request) else openai_model(name, found[name]))

    async def _known(self) -> dict[str, str]:
        configuration = self._service.configuration
        return known_models(configuration, await self._service.models.listed(configuration))


class _StatusPage:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def show(self, _: Request) -> Response:
        return JSONResponse(self._service.as_object())


def _is_anthropic(request: Request) -> bool:
    return "anthropic-version" in request.headers


async def _find_nothing(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001  the shape of ASGI
    """What no route takes leaves by the door, like every refusal."""
    raise Refusal("not_found", f"There is nothing at `{scope['path']:.100}`.{_meant(scope['path'])}")


def _meant(path: str) -> str:
    """A sentence for clients whose base URL has a `/v1` too few, or too many."""
    for meant in (*(endpoint.path for endpoint in ENDPOINTS.values()), "/v1/models"):
        if path.rstrip("/").endswith(meant.removeprefix("/v1")):
            return f" Is `{meant}` meant? The base URL of OpenAI clients ends in `/v1`, that of Anthropic clients before it."
    return ""
