"""`/lorewright/v1/turns…`: receipts for whoever owns the turns, and for admins. Anybody else's is as good as none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lorewright.errors import LedgerError
from lorewright.gateway.answers import json_bytes
from lorewright.gateway.refusal import Refusal
from lorewright.gateway.safety import Caller
from lorewright.gateway.weaving import receipts
from lorewright.gateway.weaving.ledger_reader import LedgerReader

__all__ = ["TURNS_PATH", "ReceiptsDesk"]

TURNS_PATH: Final = "/lorewright/v1/turns"
_USUAL_LISTED: Final = 20
_QUERY: Final = frozenset({"limit", "before", "route"})

Question = Callable[[LedgerReader, Caller, str], dict[str, Any] | None]


class ReceiptsDesk:
    """Answers from the ledger at `path`, one question at a time, in a thread: no stream waits for it."""

    def __init__(self, path: Path) -> None:
        self._reader = LedgerReader(path)
        self._lock = asyncio.Lock()

    @property
    def routes(self) -> list[Route]:
        one = f"{TURNS_PATH}/{{turn}}"
        return [
            Route(TURNS_PATH, self._list, methods=["GET"]),
            Route(one, self._about(receipts.receipt), methods=["GET"]),
            Route(f"{one}/diff", self._about(receipts.difference), methods=["GET"]),
            Route(f"{one}/replay", self._about(receipts.replayed), methods=["GET"]),
        ]

    async def close(self) -> None:
        """Close the ledger."""
        async with self._lock:
            await asyncio.to_thread(self._reader.close)

    async def _list(self, request: Request) -> Response:
        caller: Caller = request.scope["state"]["caller"]
        unknown = sorted(set(request.query_params) - _QUERY)
        if unknown:
            raise _bad_query(f"`{unknown[0]:.60}` is no parameter here; there are: {', '.join(sorted(_QUERY))}.")
        limit = _read_limit(request.query_params.get("limit"))
        before, route = request.query_params.get("before"), request.query_params.get("route")
        found = await self._ask(lambda: receipts.newest(self._reader, caller, limit=limit, before=before, route=route))
        if found is None:
            raise _unknown(before or "")
        return _answer(found)

    def _about(self, question: Question) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            name, caller = request.path_params["turn"], request.scope["state"]["caller"]
            found = await self._ask(lambda: question(self._reader, caller, name))
            if found is None:
                raise _unknown(name)
            return _answer(found)

        return answer

    async def _ask(self, question: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
        async with self._lock:
            try:
                return await asyncio.to_thread(question)
            except LedgerError as error:
                raise Refusal("ledger_failed", error.message) from error


def _answer(value: dict[str, Any]) -> Response:
    return Response(json_bytes(value), media_type="application/json", headers={"cache-control": "no-store"})


def _read_limit(text: str | None) -> int:
    if text is None:
        return _USUAL_LISTED
    if text.isascii() and text.isdecimal() and len(text) <= 3 and 0 < int(text) <= receipts.MOST_LISTED:
        return int(text)
    raise _bad_query(f"`limit` is `{text:.40}`; a whole number from 1 to {receipts.MOST_LISTED} is wanted.")


def _bad_query(message: str) -> Refusal:
    return Refusal("query_invalid", message)


def _unknown(name: str) -> Refusal:
    message = (
        f"There is no turn `{name:.100}` of yours. `{TURNS_PATH}` lists them; `x-lorewright-turn` names a reply's."
    )
    return Refusal("turn_not_found", message)
