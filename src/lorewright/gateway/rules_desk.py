"""`/lorebook-prompt/…`: the editor of a rules file asks what is in force, saves, and has it read again (spec §8.1).

Whoever can write the file changes what every model is told, so only programs on this computer may, and only with an
admin's token where there are tokens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lorewright.errors import InputError
from lorewright.fast.regexes import default_regexes
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text
from lorewright.gateway.answers import json_bytes, read_body
from lorewright.gateway.configuration import is_loopback
from lorewright.gateway.refusal import Refusal
from lorewright.rules.file import OLDER_NAMES, RulesFile
from lorewright.rules.rule import Rule
from lorewright.rules.status import SETTINGS_PATH

__all__ = ["RulesDesk"]

_PROXIED: Final = ("forwarded", "x-forwarded-for", "x-real-ip")


class RulesDesk:
    """A rules file and its three addresses. One request at a time is at the file."""

    def __init__(self, file: str, limit_bytes: Callable[[], int]) -> None:
        older = [Path(file).with_name(name) for name in OLDER_NAMES]
        self.rules = RulesFile(file, default_regexes(), older=older, has_settings_api=True)
        self._limit_bytes = limit_bytes
        self._lock = asyncio.Lock()

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"{SETTINGS_PATH}/state", self._state, methods=["GET"]),
            Route(f"{SETTINGS_PATH}/save", self._save, methods=["POST"]),
            Route(f"{SETTINGS_PATH}/reload", self._reload, methods=["POST"]),
        ]

    async def _state(self, request: Request) -> Response:
        _check_caller(request)
        return await self._answer(self.rules.refresh)

    async def _reload(self, request: Request) -> Response:
        _check_caller(request)
        return await self._answer(self.rules.refresh)

    async def _save(self, request: Request) -> Response:
        _check_caller(request)
        body = await read_body(request.receive, request.scope["headers"], self._limit_bytes())

        def save() -> None:
            value = parse_json(decode_text(body, Notes()), Notes())
            if not isinstance(value, dict):
                raise InputError("The body is no JSON object; send the whole rules file.")
            self.rules.save(value)

        return await self._answer(save)

    async def _answer(self, work: Callable[[], object]) -> Response:
        """Do something with the file in a thread, and say what is in force then."""
        async with self._lock:
            try:
                await asyncio.to_thread(work)
            except InputError as error:
                raise Refusal("rules_invalid", error.message) from error
            return Response(json_bytes(self._as_object()), media_type="application/json")

    def _as_object(self) -> dict[str, Any]:
        """The file as it was written, and apart from it what the program has worked out."""
        found = self.rules.in_force
        return {
            "path": str(self.rules.path),
            "error": self.rules.error,
            "rules": found.value if found else None,
            "computed": [_computed(rule) for rule in found.rules] if found else [],
            "reports": [{"code": one.code, "level": one.level, "message": one.message} for one in found.reports]
            if found
            else [],
        }


def _computed(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "enabled": rule.is_enabled,
        "effectiveChannel": rule.route.effective,
        "sortKey": rule.sort_key,
        "routedForCache": rule.route.is_rerouted,
    }


def _check_caller(request: Request) -> None:
    """A program on this computer, and nobody for whom one asks.

    Raises:
        Refusal: it is somebody else.
    """
    peer = request.client.host if request.client is not None else ""
    if not is_loopback(peer) or any(name in request.headers for name in _PROXIED):
        raise Refusal("peer_refused", "The rules file is changed from this computer only.")
    if not request.scope["state"]["caller"].is_admin:
        raise Refusal("admin_needed", "The rules file is everybody's; an admin's token is needed to see and change it.")
