"""Model servers on this computer: who answers at the usual ports, what they have, and the configuration for them.

Only the loopback address is asked, and no key is sent.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from lorewright.gateway.configuration import Limits, Upstream
from lorewright.gateway.endpoints import ENDPOINTS, EndpointName
from lorewright.gateway.forward import Upstreams
from lorewright.gateway.refusal import Refusal

__all__ = ["USUAL_PORTS", "Found", "as_configuration", "find_servers"]

USUAL_PORTS: Final = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
_OWNERS: Final = {"library": "Ollama", "organization_owner": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
"""Who is behind a list of models: what the programs write into `owned_by`."""
_ALWAYS: Final[tuple[EndpointName, ...]] = ("chat", "completions", "embeddings")
_ASKED_FOR: Final[tuple[EndpointName, ...]] = ("responses", "messages", "count_tokens")
_LIMITS: Final = Limits(connect_seconds=1, idle_seconds=3)
_MOST_BYTES: Final = 4 * 1024 * 1024
_ABSENT: Final = frozenset({404, 405, 501})
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A server that answers. program: whose it seems to be, empty if that is not known."""

    port: int
    program: str
    models: tuple[str, ...]
    apis: tuple[EndpointName, ...]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def name(self) -> str:
        """A name for the upstream."""
        plain = "".join(letter for letter in self.program.lower() if letter.isalnum())
        return plain or f"local{self.port}"


def find_servers(ports: Iterable[int] = ()) -> list[Found]:
    """The servers at the usual ports and at these."""
    return asyncio.run(_find(list(dict.fromkeys((*USUAL_PORTS, *ports)))))


async def _find(ports: list[int]) -> list[Found]:
    upstreams = Upstreams()
    try:
        found = await asyncio.gather(*(_look(port, upstreams) for port in ports))
    finally:
        await upstreams.close()
    return [one for one in found if one is not None]


async def _look(port: int, upstreams: Upstreams) -> Found | None:
    server = Upstream(name=str(port), base_url=f"http://127.0.0.1:{port}/v1")
    status, data = await _ask("GET", server.models_url, server, upstreams)
    rows = _rows_in(data) if status == _OK else None
    if rows is None:
        return None
    owner = str(rows[0].get("owned_by")) if rows else ""
    models = tuple(row["id"] for row in rows)
    apis = [*_ALWAYS]
    for name in _ASKED_FOR:
        status, _ = await _ask("POST", server.url_of(ENDPOINTS[name]), server, upstreams)
        if status is not None and status not in _ABSENT:
            apis.append(name)
    return Found(port, _OWNERS.get(owner, USUAL_PORTS.get(port, "")), models, tuple(apis))


async def _ask(method: str, url: str, server: Upstream, upstreams: Upstreams) -> tuple[int | None, bytes]:
    """Status and body; no status if nobody answers. A POST has an empty object, which is refused where it is known."""
    body = b"{}" if method == "POST" else b""
    data = b""
    try:
        reply = await upstreams.send(method, url, [(b"content-type", b"application/json")], body, server, _LIMITS)
        try:
            async for piece in reply.pieces:
                data += piece
                if len(data) > _MOST_BYTES:
                    break
        finally:
            await reply.close()
    except Refusal:
        return None, b""
    return reply.status, data


def _rows_in(data: bytes) -> list[dict[str, Any]] | None:
    """The models of a list that have an id; None if this is no list of models."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    rows = value.get("data") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        return None
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"].isprintable()]


def as_configuration(found: list[Found]) -> str:
    """Lines for `lorewright.toml`: an upstream for each server (at least one), and a route `lore` to the first."""
    lines = ['default_route = "lore"', "", "[routes.lore]", f"upstream = {_quoted(found[0].name)}", ""]
    for server in found:
        lines.append(f"[upstreams.{server.name}]")
        lines.append(f"base_url = {_quoted(server.base_url)}")
        lines.append(f"apis = [{', '.join(map(_quoted, server.apis))}]")
        lines.append("")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A text of TOML: JSON's escapes are among TOML's."""
    return json.dumps(text, ensure_ascii=False)
