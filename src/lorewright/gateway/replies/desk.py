"""Says for each request whether its reply is rewritten, and by what."""

from __future__ import annotations

import asyncio
from typing import Final

from lorewright.gateway.configuration import Route
from lorewright.gateway.endpoints import Endpoint, EndpointName
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.replies.passage import Account, Rules
from lorewright.gateway.replies.rewriting import rewriting_of
from lorewright.gateway.replies.scripts import ReplyScripts
from lorewright.gateway.rewriting import ChooseRewriting, Rewriting
from lorewright.providers.api import Api

__all__ = ["ReplyDesk", "Rewrites"]

_WITH_TEXTS: Final[frozenset[EndpointName]] = frozenset({"chat", "responses", "messages", "completions"})


class Rewrites:
    """What becomes of one reply. api: that of the client. account: what was done, once the reply has ended."""

    def __init__(self, api: Api, rules: Rules) -> None:
        self.account = Account()
        self._api = api
        self._rules = rules

    def around(self, inner: ChooseRewriting | None) -> ChooseRewriting:
        """What rewrites the reply behind another thing that changes it."""

        def choose(status: int, headers: RawHeaders) -> Rewriting | None:
            before = inner(status, headers) if inner is not None else None
            return rewriting_of(self._api, self._rules, self.account, status, headers, before)

        return choose


class ReplyDesk:
    """One for all requests."""

    def __init__(self) -> None:
        self._scripts = ReplyScripts()

    async def open(self, route: Route, endpoint: Endpoint) -> Rewrites | None:
        """For the reply to a request of the client's at this endpoint; None: it passes as it is."""
        if not route.replies.is_on or endpoint.name not in _WITH_TEXTS:
            return None
        if not route.replies.has_scripts:
            return Rewrites(endpoint.shape, self._scripts.rules(route))
        return Rewrites(endpoint.shape, await asyncio.to_thread(self._scripts.rules, route))
