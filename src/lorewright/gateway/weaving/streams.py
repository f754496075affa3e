"""The names of streams in the gateway's ledger: an owner, and a route."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["read_stream", "stream_of"]

_NAME: Final = re.compile(r"([0-9]{1,6}):(.*)", re.ASCII | re.DOTALL)


def stream_of(owner: str, route: str) -> str:
    """The name of a stream. Whoever is not its owner never meets its nodes, whatever they say."""
    return f"{len(owner)}:{owner}/{route}"


def read_stream(name: str) -> tuple[str, str] | None:
    """Owner and route of a stream; None: it is none of the gateway's."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    length = int(found[1])
    owner, route = found[2][:length], found[2][length + 1 :]
    return (owner, route) if stream_of(owner, route) == name else None
