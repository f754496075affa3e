"""One request to a model and its reply: read, choose, weave, send, pass on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from lorewright.errors import FormatError
from lorewright.gateway.answers import ClientGone, read_body
from lorewright.gateway.body import Member, replace_members, scan_members
from lorewright.gateway.configuration import Configuration
from lorewright.gateway.endpoints import Endpoint
from lorewright.gateway.headers import RawHeaders, find_header, upstream_headers
from lorewright.gateway.mirror import mirror_reply
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.relay import Ear, relay
from lorewright.gateway.response_ids import IdReader, check_references
from lorewright.gateway.routing import MIRROR_UPSTREAM, Choice, choose, needs_list
from lorewright.gateway.safety import Caller
from lorewright.gateway.service import Service
from lorewright.gateway.usage_chunk import UsageChunk, ask_for_usage
from lorewright.gateway.weaver import NotWoven, ToWeave, Woven

__all__ = ["Exchange", "until_gone"]

_LONG_BYTES: Final = 256 * 1024
"""A longer body is looked through in a thread, so that no stream waits for it."""
_LONGEST_NAME: Final = 200
_OFF: Final = "off"
_DRY_RUN: Final = b"x-lorewright-dry-run"
"""A request with this header is answered by the mirror: with what would have been sent."""


class Exchange:
    """The ASGI application of one endpoint."""

    def __init__(self, service: Service, endpoint: Endpoint) -> None:
        self._service = service
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: RawHeaders = scope["headers"]
        configuration = self._service.configuration
        body = await read_body(receive, headers, configuration.limits.body_bytes)
        await until_gone(self._exchange(headers, body, scope["state"]["caller"], configuration, send), receive)

    async def _exchange(
        self, headers: RawHeaders, body: bytes, caller: Caller, configuration: Configuration, send: Send
    ) -> None:
        endpoint, service = self._endpoint, self._service
        try:
            members = await _scan(body)
            name = _model_of(body, members)
            listed = await service.models.listed(configuration) if needs_list(name, configuration) else {}
            choice = choose(name, configuration, listed)
            if not choice.upstream.speaks(endpoint):
                raise _not_spoken(choice, endpoint)
            if endpoint.name == "responses":
                check_references(body, members, service.response_ids, caller, choice.route)
            options = (
                ask_for_usage(body, members) if endpoint.name == "chat" and choice.upstream.usage_in_stream else None
            )
        except FormatError as error:
            raise Refusal("body_invalid", error.message) from error
        changes: dict[str, object] = {} if choice.model == name else {"model": choice.model}
        if options is not None:
            changes["stream_options"] = options
        is_read = options is not None or endpoint.name == "responses"
        sent_headers = upstream_headers(headers, choice.route, choice.upstream, configuration, plain=is_read)
        if changes:
            body = replace_members(body, members, changes)
        woven = await self._weave(headers, body, choice, caller, configuration)
        readers = [IdReader(service.response_ids, caller, choice.route)] if endpoint.name == "responses" else []
        ear = Ear(*readers, *([woven.listener] if woven.listener is not None else []))
        try:
            if choice.upstream is MIRROR_UPSTREAM or find_header(headers, _DRY_RUN) is not None:
                reply = mirror_reply(endpoint.name, woven.body)
            else:
                url = choice.upstream.url_of(endpoint)
                reply = await service.upstreams.send(
                    "POST", url, sent_headers, woven.body, choice.upstream, configuration.limits
                )
        except Refusal:
            ear.end("interrupted")
            raise
        except asyncio.CancelledError:
            ear.end("client_gone")
            raise
        usage = UsageChunk() if options is not None else None
        await relay(reply, send, endpoint.shape, ear, _receipt(woven), usage)

    async def _weave(
        self, headers: RawHeaders, body: bytes, choice: Choice, caller: Caller, configuration: Configuration
    ) -> Woven:
        """What to send: the woven body, or the body as it came with the stage that failed."""
        loom = self._service.loom
        is_off = not choice.route.weave or find_header(headers, b"x-lorewright-mode") == _OFF
        if loom is None or is_off or not self._endpoint.weaves:
            return Woven(body=body)
        request = ToWeave(
            endpoint=self._endpoint.name,
            body=body,
            route=choice.route,
            upstream=choice.upstream,
            caller=caller,
            conversation=find_header(headers, b"x-lorewright-conversation"),
            dry_run=find_header(headers, _DRY_RUN) is not None,
        )
        outcome = await loom.weave(request, configuration.limits.weave_seconds)
        if isinstance(outcome, NotWoven):
            self._service.status.not_woven[outcome.stage] += 1
            return Woven(body=body, headers=((b"x-lorewright-error", outcome.stage.encode()),))
        return outcome


async def until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Do this work until it is done or the client is gone; what still runs then is cancelled."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_for_end(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _scan(body: bytes) -> list[Member]:
    return await asyncio.to_thread(scan_members, body) if len(body) > _LONG_BYTES else scan_members(body)


def _model_of(body: bytes, members: list[Member]) -> str:
    """The model's name; if it stands there twice the last one counts, as with most readers of JSON."""
    names = [member for member in members if member.name == "model"]
    name = names[-1].value(body) if names else None
    if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable():
        return name
    message = f"The body has no `model` that is a name of 1 to {_LONGEST_NAME} printable characters. Name one of `/v1/models`."
    raise Refusal("model_missing", message, param="model")


def _not_spoken(choice: Choice, endpoint: Endpoint) -> Refusal:
    spoken = ", ".join(sorted(choice.upstream.apis))
    message = (
        f"The upstream `{choice.upstream.name}` of this model does not speak `{endpoint.path}`. "
        f"It speaks: {spoken}. If it does more, say so in its `apis`."
    )
    return Refusal("api_not_spoken", message)


def _receipt(woven: Woven) -> RawHeaders:
    turn = [(b"x-lorewright-turn", woven.turn.encode())] if woven.turn is not None else []
    return [*turn, *woven.headers]
