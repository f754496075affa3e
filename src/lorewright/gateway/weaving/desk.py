"""One owner's turns on one route: a stream of the ledger, and the books it goes on with. One turn at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Final, NamedTuple

from lorewright.core.model import Turn
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven
from lorewright.gateway.weaver import Stage, ToWeave
from lorewright.gateway.weaving.bodies import Bodies
from lorewright.gateway.weaving.known_bodies import KnownBodies
from lorewright.gateway.weaving.known_messages import KnownMessages
from lorewright.gateway.weaving.originals import Originals
from lorewright.gateway.weaving.sources import Loaded, Sources, assistant_of
from lorewright.gateway.weaving.stored_history import Replies
from lorewright.gateway.weaving.streams import stream_of
from lorewright.gateway.weaving.wire import WIRES
from lorewright.ledger.facts import with_facts
from lorewright.ledger.ledger import Beside, Ledger, open_ledger
from lorewright.ledger.session import LedgerSession
from lorewright.providers.body import write_body
from lorewright.providers.request import Request

__all__ = ["Desk", "Done"]

_LOOK_SECONDS: Final = 0.1
"""How often one who waits for a desk looks whether the answer is still wanted."""


class Done(NamedTuple):
    """A recorded turn: its number, the hash of its event, what was woven."""

    number: int
    hash: bytes
    woven: Woven


class Desk:
    """Opens its ledger with the first turn."""

    def __init__(self, path: Path, request: ToWeave, tools: Tools) -> None:
        self.stream = stream_of(request.caller.owner, request.route.name)
        self.sources = Sources(request.route)
        self.seconds = request.seconds
        self.tools = tools
        self.known = KnownMessages()
        self.requests = KnownBodies()
        self.bodies = Bodies()
        self.lock = RLock()
        self.replies = Replies()
        self.originals = Originals()
        self._path = path
        self._ledger: Ledger | None = None
        self._session: LedgerSession | None = None
        self._loaded: Loaded | None = None
        self._erasures = 0
        self._is_stale = False

    @property
    def ledger(self) -> Ledger:
        """The stream. Only while the lock is held.

        Raises:
            LedgerError: the file cannot be used.
        """
        if self._ledger is None:
            self._ledger = open_ledger(self._path, self.stream, shared=True)
            self._erasures = self._ledger.erasures
        return self._ledger

    def load(self) -> Loaded:
        """What the route's files say now.

        Raises:
            LorewrightError: they cannot be read.
        """
        return self.sources.now()

    def serves(self, request: ToWeave) -> bool:
        """Whether it was made for such requests, and keeps nothing that somebody has erased from the ledger since."""
        return not self._is_stale and self.sources.route == request.route and self.seconds == request.seconds

    @contextmanager
    def held(self, stage: Stage) -> Iterator[None]:
        """Hold the lock. Whoever waits for a turn that hangs ends his wait when his own time is over.

        Raises:
            TimeoutError: nobody waits for the answer any more.
        """
        while not self.lock.acquire(timeout=_LOOK_SECONDS):
            stage.check()
        try:
            stage.check()
            yield
        finally:
            self.lock.release()

    def weave(self, loaded: Loaded, turn: Turn, before_record: Callable[[Woven], Beside]) -> Done:
        """Assemble and record a turn. Only while the lock is held. `before_record`: see `LedgerSession.weave`.

        Raises:
            LedgerError: it cannot be recorded. Whatever `before_record` raises.
        """
        ledger = self.ledger
        settings = loaded.policy.settings
        if self._session is None or loaded is not self._loaded:
            books = with_facts(ledger, loaded.books, use_proposals=settings.use_proposals)
            if self._session is None:
                self._session = LedgerSession(ledger, books, loaded.policy, self.tools)
            else:
                self._session.use(books, loaded.policy)
            self._loaded = loaded
        number, woven = self._session.weave(turn, before_record)
        self._is_stale = ledger.erasures != self._erasures
        return Done(number, ledger.turn(number)[0].hash, woven)

    def with_originals(self, request: ToWeave, asked: Request, loaded: Loaded) -> tuple[ToWeave, Request]:
        """The request with replies as the model knows them that the client got in other words. Only while the lock is
        held."""
        if not request.route.replies.is_on:
            return request, asked
        messages = self.known.messages(asked, user=loaded.user, assistant=assistant_of(loaded))
        body = self.originals.restored(self.ledger, asked, messages)
        if body is None:
            return request, asked
        return replace(request, body=write_body(body)), WIRES[request.endpoint].decode(
            body, self.known.memo(len(request.body))
        )

    def facts_changed(self) -> None:
        """Take facts that a person has decided about into the next turn."""
        self._loaded = None

    def close(self) -> None:
        with self.lock:
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None
            self._session = None
