"""What all requests share: the configuration as it is now, the connections, the weaver, and what is counted."""

from __future__ import annotations

from lorewright.gateway.configuration import Configuration
from lorewright.gateway.forward import Upstreams
from lorewright.gateway.models import ModelList
from lorewright.gateway.response_ids import ResponseIds
from lorewright.gateway.status import Status
from lorewright.gateway.weaver import Loom, Weaver

__all__ = ["Service"]


class Service:
    """`configuration` is replaced as a whole when it changes; a request keeps the one it began with."""

    def __init__(self, configuration: Configuration, weaver: Weaver | None = None) -> None:
        self.configuration = configuration
        self.upstreams = Upstreams()
        self.loom = Loom(weaver) if weaver is not None else None
        self.models = ModelList(self.upstreams)
        self.response_ids = ResponseIds()
        self.status = Status()

    async def close(self) -> None:
        await self.upstreams.close()
