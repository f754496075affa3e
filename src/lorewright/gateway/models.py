"""The models that clients can choose: our routes, and what the upstreams list."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from lorewright.gateway.configuration import MIRROR, Configuration, Route, Upstream
from lorewright.gateway.forward import Upstreams
from lorewright.gateway.headers import upstream_headers
from lorewright.gateway.refusal import Refusal

__all__ = ["ModelList", "anthropic_list", "anthropic_model", "known_models", "openai_list", "openai_model"]

_FRESH_SECONDS: Final = 60.0
_WAIT_SECONDS: Final = 3.0
_MOST_BYTES: Final = 4 * 1024 * 1024
_MOST_MODELS: Final = 5000
_LONGEST_NAME: Final = 200
_OK: Final = 200
_OWNER: Final = "lorewright"
_VERSION: Final = (b"anthropic-version", b"2023-06-01")
_UNKNOWN_TIME: Final = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What an upstream listed, and when (seconds of the event loop's clock)."""

    upstream: Upstream
    names: tuple[str, ...]
    at_seconds: float


class ModelList:
    """Asks the upstreams for their models, each at most once a minute; one that does not answer lists none."""

    def __init__(self, upstreams: Upstreams) -> None:
        self._upstreams = upstreams
        self._answers: dict[str, _Answer] = {}
        self._asking = asyncio.Lock()

    async def listed(self, configuration: Configuration) -> dict[str, str]:
        """The upstream of each model that is listed; the first upstream that lists a name has it."""
        async with self._asking:
            now_seconds = asyncio.get_running_loop().time()
            stale = [one for one in configuration.upstreams.values() if not self._is_fresh(one, now_seconds)]
            answers = await asyncio.gather(*(self._ask(upstream, configuration) for upstream in stale))
            for upstream, names in zip(stale, answers, strict=True):
                self._answers[upstream.name] = _Answer(upstream, names, now_seconds)
            found: dict[str, str] = {}
            for name in configuration.upstreams:
                for model in self._answers[name].names:
                    found.setdefault(model, name)
            return found

    def _is_fresh(self, upstream: Upstream, now_seconds: float) -> bool:
        answer = self._answers.get(upstream.name)
        return answer is not None and answer.upstream == upstream and now_seconds - answer.at_seconds < _FRESH_SECONDS

    async def _ask(self, upstream: Upstream, configuration: Configuration) -> tuple[str, ...]:
        way = Route(name=upstream.name, upstream=upstream.name)
        sent = [_VERSION] if upstream.kind == "anthropic" else []
        headers = upstream_headers(sent, way, upstream, configuration, plain=True)
        limits = replace(configuration.limits, connect_seconds=_WAIT_SECONDS, idle_seconds=_WAIT_SECONDS)
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                reply = await self._upstreams.send("GET", upstream.models_url, headers, b"", upstream, limits)
                try:
                    if reply.status != _OK:
                        return ()
                    data = b""
                    async for piece in reply.pieces:
                        data += piece
                        if len(data) > _MOST_BYTES:
                            return ()
                finally:
                    await reply.close()
        except (Refusal, TimeoutError):
            return ()
        return _names_in(data)


def _names_in(data: bytes) -> tuple[str, ...]:
    """The ids of a list of models. OpenAI and Anthropic write it alike."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return ()
    rows = value.get("data") if isinstance(value, dict) else None
    ids = (row.get("id") for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
    good = [one for one in ids if isinstance(one, str) and 0 < len(one) <= _LONGEST_NAME and one.isprintable()]
    return tuple(dict.fromkeys(good[:_MOST_MODELS]))


def known_models(configuration: Configuration, listed: dict[str, str]) -> dict[str, str]:
    """Every model with who has it: routes first, then the mirror, then what the upstreams list."""
    found = dict.fromkeys(configuration.routes, _OWNER)
    found.setdefault(MIRROR, _OWNER)
    for model, upstream in listed.items():
        found.setdefault(model, upstream)
    return found


def openai_model(name: str, owner: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": owner}


def openai_list(models: dict[str, str]) -> dict[str, Any]:
    return {"object": "list", "data": [openai_model(*model) for model in models.items()]}


def anthropic_model(name: str) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name, "created_at": _UNKNOWN_TIME}


def anthropic_list(models: Iterable[str]) -> dict[str, Any]:
    data = [anthropic_model(name) for name in models]
    ends = {"first_id": data[0]["id"] if data else None, "last_id": data[-1]["id"] if data else None}
    return {"data": data, "has_more": False, **ends}
