"""What all requests share: the configuration as it is now, the connections, the weaver, and what is counted."""

from __future__ import annotations

import asyncio
from typing import Any

from lorewright.gateway.configuration import Configuration
from lorewright.gateway.forward import Upstreams
from lorewright.gateway.models import ModelList
from lorewright.gateway.receipts_desk import ReceiptsDesk
from lorewright.gateway.replies.desk import ReplyDesk
from lorewright.gateway.response_ids import ResponseIds
from lorewright.gateway.rules_desk import RulesDesk
from lorewright.gateway.spans import Spans
from lorewright.gateway.status import Status
from lorewright.gateway.weaver import Loom, Recording, Weaver

__all__ = ["Service"]


class Service:
    """`configuration` is replaced as a whole when it changes; a request keeps the one it began with."""

    def __init__(self, configuration: Configuration, weaver: Weaver | None = None, spans: Spans | None = None) -> None:
        self.configuration = configuration
        self.upstreams = Upstreams()
        self.loom = Loom(weaver) if weaver is not None else None
        self.spans = spans
        self.models = ModelList(self.upstreams)
        self.response_ids = ResponseIds()
        self.replies = ReplyDesk()
        self.status = Status()
        self.receipts: ReceiptsDesk | None = None
        found: object = weaver
        if isinstance(found, Recording):
            self.receipts = ReceiptsDesk(found.path)
            self.status.turns = found.tally
        self.rules = self._rules_desk()

    def _rules_desk(self) -> RulesDesk | None:
        file = self.configuration.rules
        return RulesDesk(file, lambda: self.configuration.limits.body_bytes) if file is not None else None

    def as_object(self) -> dict[str, Any]:
        """How the server does, as `Status` says it."""
        return self.status.as_object(self.configuration, self.loom.problems if self.loom is not None else {})

    async def open(self) -> None:
        if self.rules is not None:
            await asyncio.to_thread(self.rules.rules.load)

    async def close(self) -> None:
        if self.rules is not None:
            await asyncio.to_thread(self.rules.rules.unload)
        await self.upstreams.close()
        if self.receipts is not None:
            await self.receipts.close()
        if self.loom is not None:
            await asyncio.to_thread(self.loom.close)
