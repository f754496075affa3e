"""Responses that an upstream stores (OpenAI's Responses API): who may see which, and where each is.

All owners share the upstream's key, so the upstream would show anybody's to anybody. The ids that went through here
are remembered with their owner; a response that is not known here belongs to nobody but an admin.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.gateway.body import Member, scan_members
from lorewright.gateway.configuration import Route
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.safety import Caller
from lorewright.gateway.weaver import Ending
from lorewright.providers.sse import Decoder

__all__ = ["IdReader", "ResponseIds", "check_references"]

_ID: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,255}")
_MOST_IDS: Final = 10_000
_MOST_BYTES: Final = 8 * 1024 * 1024
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class _Home:
    owner: str
    route: Route


class ResponseIds:
    """The newest ids with their owners. Whoever was first with an id keeps it."""

    def __init__(self) -> None:
        self._homes: OrderedDict[str, _Home] = OrderedDict()

    def keep(self, response_id: str, caller: Caller, route: Route) -> None:
        if _ID.fullmatch(response_id):
            self._homes.setdefault(response_id, _Home(caller.owner, route))
            self._homes.move_to_end(response_id)
            if len(self._homes) > _MOST_IDS:
                self._homes.popitem(last=False)

    def find(self, response_id: str, caller: Caller, otherwise: Route | None) -> Route:
        """The way to a response; `otherwise` is taken for one that is not known.

        Raises:
            Refusal: it is somebody else's, nobody knows where it is, or this is no id.
        """
        home = self._homes.get(response_id)
        if home is not None and (caller.is_admin or home.owner == caller.owner):
            return home.route
        if home is None and otherwise is not None and _ID.fullmatch(response_id) and _may_try(caller, otherwise):
            return otherwise
        raise _unknown(response_id)


def check_references(body: bytes, members: list[Member], ids: ResponseIds, caller: Caller, route: Route) -> None:
    """See to it that a request continues nothing that belongs to somebody else.

    Raises:
        Refusal: it names a stored response or conversation that is not the caller's.
        FormatError: the name is no JSON.
    """
    for member in members:
        if member.name == "previous_response_id" and (value := member.value(body)) is not None:
            ids.find(str(value), caller, route)
        elif member.name == "conversation" and member.value(body) is not None and not _may_try(caller, route):
            message = (
                "Stored conversations belong to the upstream's key, which owners share; an admin's token is needed. "
                "Use `previous_response_id`, or send the messages."
            )
            raise Refusal("response_not_found", message, param="conversation")


def _may_try(caller: Caller, route: Route) -> bool:
    """Whether what is not known here may be asked for: the caller uses a key of their own, or sees everything."""
    return caller.is_admin or route.auth == "passthrough"


def _unknown(response_id: str) -> Refusal:
    return Refusal("response_not_found", f"There is no response `{response_id:.100}` of yours.", "previous_response_id")


class IdReader:
    """A listener that finds the id of a response at the beginning of its stream, or in the whole body."""

    def __init__(self, ids: ResponseIds, caller: Caller, route: Route) -> None:
        self._ids = ids
        self._caller = caller
        self._route = route
        self._decoder: Decoder | None = None
        self._body: bytearray | None = None

    def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        if status == _OK:
            is_stream = any(name == b"content-type" and b"event-stream" in value for name, value in headers)
            self._decoder = Decoder() if is_stream else None
            self._body = None if is_stream else bytearray()

    def hear(self, piece: bytes) -> None:
        if self._decoder is not None:
            for event in self._decoder.feed(piece):
                if event.data is not None:
                    self._decoder = None
                    self._take(_in_event(event.data))
                    return
        elif self._body is not None and len(self._body) <= _MOST_BYTES:
            self._body += piece

    def end(self, ending: Ending) -> None:
        if self._body is not None and ending == "complete":
            self._take(_in_body(bytes(self._body)))

    def _take(self, found: Any) -> None:
        if isinstance(found, str):
            self._ids.keep(found, self._caller, self._route)


def _in_event(data: str) -> Any:
    """The id in the first event, which is `response.created`."""
    try:
        response = json.loads(data).get("response")
        return response.get("id")
    except (ValueError, RecursionError, AttributeError):
        return None


def _in_body(body: bytes) -> Any:
    try:
        return next((member.value(body) for member in scan_members(body) if member.name == "id"), None)
    except FormatError:
        return None
