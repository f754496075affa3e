"""Pieces that are there at once, as one. A model that writes quickly sends many small pieces in one packet, and each of
them would cost a write of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

__all__ = ["gathered"]

_MOST_BYTES: Final = 256 * 1024
"""So much waits for the client at most; then the upstream waits."""


async def gathered(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The same bytes in fewer pieces; nothing waits for what is not there yet. What `pieces` raises comes last."""
    waiting: list[bytes] = []
    has_news, has_room = asyncio.Event(), asyncio.Event()

    async def fill() -> None:
        size = 0
        async for piece in pieces:
            size = size + len(piece) if waiting else len(piece)
            waiting.append(piece)
            has_news.set()
            if size > _MOST_BYTES:
                has_room.clear()
                await has_room.wait()

    filling = asyncio.ensure_future(fill())
    filling.add_done_callback(lambda _: has_news.set())
    try:
        while waiting or not filling.done():
            if not waiting:
                has_news.clear()
                await has_news.wait()
                continue
            batch = b"".join(waiting)
            waiting.clear()
            has_room.set()
            yield batch
        filling.result()
    finally:
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)
