"""Where lore enters a request: a protocol of one method, and the rules for what happens when it fails.

Weaving fails open: whatever goes wrong in it, the client's request is sent as it came, and a header says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Final, Literal, Protocol, runtime_checkable

from lorewright.gateway.configuration import Route, Upstream
from lorewright.gateway.endpoints import EndpointName
from lorewright.gateway.replies.passage import Account
from lorewright.gateway.safety import Caller
from lorewright.gateway.tally import Tally

__all__ = ["Ending", "Listener", "Loom", "NotWoven", "Recording", "Stage", "ToWeave", "Weaver", "Woven"]

Ending = Literal["complete", "interrupted", "client_gone"]
"""How a reply ended: as the upstream wanted, by a fault of the upstream, or because the client went."""

_LOG: Final = logging.getLogger(__name__)
_AT_ONCE: Final = 8
"""Threads that weave. More would only wait for each other."""
_MOST_LOST: Final = 32
"""Threads that did not come back in time and still run. With so many nothing is woven until one of them ends."""


class Listener(Protocol):
    """Reads a copy of the reply: `start` once, `hear` for the bytes as they come, `end` once."""

    def start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None: ...

    def hear(self, piece: bytes) -> None: ...

    def end(self, ending: Ending) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToWeave:
    """A request as it would be sent. conversation: what the client named its conversation, within its owner. dry_run: it
    will not be sent, and is not to be remembered. seconds: how long weaving may take."""

    endpoint: EndpointName
    body: bytes
    route: Route
    upstream: Upstream
    caller: Caller
    conversation: str | None = None
    dry_run: bool = False
    dropped: tuple[str, ...] = ()
    """What a translation of the client's request to this API left out."""
    lost: Callable[[], tuple[str, ...]] = tuple
    """What the way back has left out of the reply, once that has ended."""
    account: Account | None = None
    """What was rewritten in the reply, once that has ended; None: it passes as it is."""
    seconds: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Woven:
    """The body to send in its place. turn: the id of its receipt. headers: more to tell the client. failed: the stage that
    did, so that this is the request as it came."""

    body: bytes
    turn: str | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()
    listener: Listener | None = None
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class NotWoven:
    """Weaving failed in this stage."""

    stage: str


class Stage:
    """How far weaving is; the weaver sets `name` as it goes, so that a fault can be told.

    given_up: nobody waits for the answer any more; what is done now must not be recorded as sent. problem: why the
    newest state of the route's files is not in force.
    """

    __slots__ = ("given_up", "name", "problem")

    def __init__(self) -> None:
        self.name = "weave"
        self.given_up = False
        self.problem = ""

    def check(self) -> None:
        """Go on only if somebody waits for the answer.

        Raises:
            TimeoutError: nobody does.
        """
        if self.given_up:
            raise TimeoutError


class Weaver(Protocol):
    def weave(self, request: ToWeave, stage: Stage) -> Woven:
        """Weave lore into a request. Called in a thread of its own; may raise anything and take any time."""
        ...

    def close(self) -> None:
        """The server ends: nothing is woven any more."""
        ...


@runtime_checkable
class Recording(Protocol):
    """A weaver that records its turns: in which file, and how many."""

    path: Path
    tally: Tally


class Loom:
    """Runs a weaver so that it can neither stop the server nor hold up a stream.

    problems: by route, what its last request met of its files: a sentence, or nothing.
    """

    def __init__(self, weaver: Weaver) -> None:
        self._weaver = weaver
        self._crew = _Crew()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._lost = 0
        self.problems: dict[str, str] = {}

    def close(self) -> None:
        """See `Weaver`."""
        self._crew.close()
        self._weaver.close()

    async def weave(self, request: ToWeave) -> Woven | NotWoven:
        """What the weaver makes of a request within a time that counts the wait for a thread, too."""
        stage = Stage()
        try:
            async with asyncio.timeout(request.seconds):
                return await self._run(request, stage)
        except Exception as error:  # noqa: BLE001  whatever a weaver raises, and TimeoutError, and MemoryError
            # The message of an error may quote a chat, so only its kind is told, or what is wrong with a file.
            why = stage.problem if stage.name == "load" and stage.problem else _kind(error)
            _LOG.warning("weaving failed in stage %s (%s); the request is sent as it came", stage.name, why)
            return NotWoven(stage.name)
        finally:
            self.problems[request.route.name] = stage.problem

    async def _run(self, request: ToWeave, stage: Stage) -> Woven:
        if self._lost >= _MOST_LOST:
            raise _TooManyLost
        async with self._places:
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[Woven | BaseException] = loop.create_future()
            self._crew.run(partial(self._work, request, stage, loop, answer))
            try:
                outcome = await answer
            except asyncio.CancelledError:
                stage.given_up = True
                self._lost += 1
                raise
        if isinstance(outcome, BaseException):
            raise _Failed from outcome
        return outcome

    def _work(
        self,
        request: ToWeave,
        stage: Stage,
        loop: asyncio.AbstractEventLoop,
        answer: asyncio.Future[Woven | BaseException],
    ) -> None:
        outcome: Woven | BaseException
        try:
            outcome = self._weaver.weave(request, stage)
        except BaseException as error:  # noqa: BLE001  an exit of a weaver is no exit of the server
            outcome = error
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(self._settle, stage, answer, outcome)

    def _settle(
        self, stage: Stage, answer: asyncio.Future[Woven | BaseException], outcome: Woven | BaseException
    ) -> None:
        if stage.given_up:
            self._lost -= 1
            if isinstance(outcome, Woven) and outcome.listener is not None:
                outcome.listener.end("interrupted")  # recorded in the last moment, and never sent
        elif not answer.done():
            answer.set_result(outcome)


class _Crew:
    """Threads that are used again. There are as many as ever worked at once; one that hangs is simply not idle."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Callable[[], None] | None]] = []

    def run(self, work: Callable[[], None]) -> None:
        """Do this in a thread; it must not raise anything."""
        try:
            desk = self._idle.pop()
        except IndexError:
            desk = SimpleQueue()
            Thread(target=self._wait_for_work, args=(desk,), name="weave", daemon=True).start()
        desk.put(work)

    def close(self) -> None:
        """Let the idle ones go."""
        while self._idle:
            self._idle.pop().put(None)

    def _wait_for_work(self, desk: SimpleQueue[Callable[[], None] | None]) -> None:
        while (work := desk.get()) is not None:
            work()
            self._idle.append(desk)


class _Failed(Exception):
    """The weaver raised something."""


class _TooManyLost(Exception):
    """Too many threads did not come back."""


def _kind(error: Exception) -> str:
    return type(error.__cause__ or error).__name__.lstrip("_")
