"""A client's request as it would go upstream without weaving: whose it is, in which API, under which name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lorewright.errors import FormatError
from lorewright.gateway.body import Member, replace_members, scan_members
from lorewright.gateway.configuration import Configuration
from lorewright.gateway.endpoints import Endpoint
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.response_ids import check_references
from lorewright.gateway.rewriting import ChooseRewriting
from lorewright.gateway.routing import Choice, choose, needs_list
from lorewright.gateway.safety import Caller
from lorewright.gateway.service import Service
from lorewright.gateway.translating import find_spoken, translate
from lorewright.gateway.usage_chunk import ask_for_usage, without_usage

__all__ = ["Outgoing", "prepare"]

_LONG_BYTES: Final = 256 * 1024
"""A longer body is looked through in a thread, so that no stream waits for it."""
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Outgoing:
    """endpoint: the upstream's. rewriting: what changes the reply. must_read: the reply must not be compressed.
    dropped: what a translation left out; lost: what of the reply it has left out, once that has come."""

    choice: Choice
    endpoint: Endpoint
    body: bytes
    rewriting: ChooseRewriting | None
    must_read: bool
    dropped: tuple[str, ...] = ()
    lost: Callable[[], tuple[str, ...]] = tuple


async def prepare(
    service: Service, endpoint: Endpoint, body: bytes, caller: Caller, configuration: Configuration
) -> Outgoing:
    """Choose the upstream, and make the request fit for it: the model's name, another API, the question for its usage.

    Raises:
        Refusal: the body cannot be read, nothing takes it, or it may not be sent.
    """
    try:
        members = await _scan(body)
        name = _model_of(body, members)
        listed = await service.models.listed(configuration) if needs_list(name, configuration) else {}
        choice = choose(name, configuration, listed)
        if endpoint.name == "responses":
            check_references(body, members, service.response_ids, caller, choice.route)
        if choice.upstream.speaks(endpoint):
            return _as_it_is(choice, endpoint, name, body, members)
        return await _translated(choice, endpoint, body)
    except FormatError as error:
        raise Refusal("body_invalid", error.message) from error


def _as_it_is(choice: Choice, endpoint: Endpoint, name: str, body: bytes, members: list[Member]) -> Outgoing:
    changes: dict[str, object] = {} if choice.model == name else {"model": choice.model}
    options = _usage_options(choice, endpoint, body, members)
    if options is not None:
        changes["stream_options"] = options
    return Outgoing(
        choice,
        endpoint,
        replace_members(body, members, changes) if changes else body,
        without_usage if options is not None else None,
        must_read=options is not None or endpoint.name == "responses",
    )


async def _translated(choice: Choice, endpoint: Endpoint, body: bytes) -> Outgoing:
    spoken = find_spoken(endpoint, choice.upstream)
    if spoken is None:
        raise _not_spoken(choice, endpoint)
    asked = (body, choice.model, endpoint, spoken, choice.upstream, time.time())
    made = await asyncio.to_thread(translate, *asked) if len(body) > _LONG_BYTES else translate(*asked)
    members = await _scan(made.body)
    options = _usage_options(choice, made.endpoint, made.body, members)
    sent = replace_members(made.body, members, {"stream_options": options}) if options is not None else made.body
    return Outgoing(choice, made.endpoint, sent, made.rewriting, must_read=True, dropped=made.dropped, lost=made.lost)


def _usage_options(choice: Choice, endpoint: Endpoint, body: bytes, members: list[Member]) -> dict[str, object] | None:
    """What asks for the usage of a stream that would not tell it; None if there is nothing to ask."""
    if endpoint.name != "chat" or not choice.upstream.usage_in_stream:
        return None
    return ask_for_usage(body, members)


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
    if endpoint.name == "count_tokens":
        message = (
            f"The upstream `{choice.upstream.name}` of this model does not count tokens for `{endpoint.path}`, and an "
            "estimate of ours would look like its count, so there is none. If it does count, add `count_tokens` to its "
            "`apis`; what a request cost is in the `usage` of its reply."
        )
        return Refusal("tokens_not_counted", message)
    spoken = ", ".join(sorted(choice.upstream.apis))
    message = (
        f"The upstream `{choice.upstream.name}` of this model does not speak `{endpoint.path}`, and requests of it are "
        f"not translated. It speaks: {spoken}. If it does more, say so in its `apis`."
    )
    return Refusal("api_not_spoken", message)
