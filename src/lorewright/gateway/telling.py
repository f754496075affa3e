"""A span of a reply to a request into which nothing was woven; those of woven ones are told where they are recorded."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from lorewright.gateway.configuration import Upstream
from lorewright.gateway.endpoints import Endpoint
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.spans import Exchanged, Spans
from lorewright.gateway.weaver import Ending
from lorewright.gateway.weaving.reply import ReplyReader, ending_of

__all__ = ["Teller"]

_LOG: Final = logging.getLogger(__name__)


class Teller:
    """A `Listener`. failed: the stage of weaving that did, if one did. Its spans are told in a thread."""

    def __init__(self, spans: Spans, endpoint: Endpoint, upstream: Upstream, model: str, failed: str | None) -> None:
        self._spans = spans
        self._endpoint = endpoint
        self._upstream = upstream
        self._model = model
        self._failed = failed
        self._reader = ReplyReader(endpoint.shape)
        self._started_ns = time.time_ns()
        self._status = 0

    def start(self, status: int, headers: RawHeaders) -> None:
        self._status = status
        self._reader.start(headers)

    def hear(self, piece: bytes) -> None:
        self._reader.hear(piece)

    def end(self, ending: Ending) -> None:
        asyncio.get_running_loop().run_in_executor(None, self._tell, ending, time.time_ns())

    def _tell(self, ending: Ending, ended_ns: int) -> None:
        try:
            self._spans.tell(self._exchanged(ending, ended_ns))
        except Exception as error:  # noqa: BLE001  whatever a collector of spans raises
            _LOG.warning("a reply could not be told (%s)", type(error).__name__)

    def _exchanged(self, ending: Ending, ended_ns: int) -> Exchanged:
        self._reader.end()
        return Exchanged(
            endpoint=self._endpoint.name,
            kind=self._upstream.kind,
            upstream=self._upstream.name,
            model=self._model,
            failed=self._failed,
            started_ns=self._started_ns,
            ended_ns=ended_ns,
            status=self._status,
            ending=ending_of(self._reader, self._status, ending),
            response=self._reader.id,
            usage=self._reader.usage,
        )
