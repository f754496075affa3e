"""Weaves requests with what is remembered of their conversations, and records every turn before it goes out."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final

from lorewright.core.model import Turn
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven as Assembled
from lorewright.errors import LorewrightError
from lorewright.gateway.headers import RawHeaders
from lorewright.gateway.spans import Exchanged, Spans
from lorewright.gateway.tally import Tally
from lorewright.gateway.weaver import Ending, Stage, ToWeave, Woven
from lorewright.gateway.weaving.desk import Desk
from lorewright.gateway.weaving.history import History, history_of
from lorewright.gateway.weaving.reply import ReplyReader, ending_of
from lorewright.gateway.weaving.sources import Loaded, assistant_of
from lorewright.gateway.weaving.stored_history import (
    StoredHistory,
    begins_with_record,
    instructions_of,
    items_said,
    only_new,
    with_history,
)
from lorewright.gateway.weaving.turn_ids import turn_id
from lorewright.gateway.weaving.wire import WIRES
from lorewright.ledger.cut_replies import close_cut_replies
from lorewright.ledger.events import RequestSent
from lorewright.ledger.facts import take_facts
from lorewright.ledger.ledger import FAILED, Beside, Ledger
from lorewright.providers.cache_marks import frozen_boundaries, mark, with_cache_key
from lorewright.providers.openai_responses import encode_continued
from lorewright.providers.request import Request
from lorewright.storage.image import Ref
from lorewright.storage.processes import Process, enter, is_alive, sweep
from lorewright.templates.ejs import Limits as SandboxLimits
from lorewright.templates.ejs import Sandbox
from lorewright.toolbox import make_tools

__all__ = ["LedgerWeaver"]

_LOG: Final = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 0.1
"""How often one who waits for replies to be recorded looks whether the answer is still wanted."""
_ENTRY_SECONDS: Final = 1.0
"""For code of one entry, if there is as much."""


class LedgerWeaver:
    """A `Weaver` over one ledger file. `make` gives what the engine needs from outside, for turns that may take so many
    seconds; every desk has its own, because tools serve one turn at a time. `spans` is told of every reply."""

    def __init__(self, path: Path, make: Callable[[float], Tools] | None = None, spans: Spans | None = None) -> None:
        self.path = path
        self._make = make or _make_tools
        self.tally = Tally()
        self._spans = spans
        self._desks: dict[tuple[str, str], Desk] = {}
        self._lock = Lock()
        self._heard: SimpleQueue[tuple[_Listener, Ending] | Event | None] = SimpleQueue()
        self._writer = Thread(target=self._write_replies, name="replies", daemon=True)
        self._writer.start()
        self._process = self._enter()
        self._closer = Thread(target=self._close_cut_replies, name="cut replies", daemon=True)
        self._closer.start()

    def weave(self, request: ToWeave, stage: Stage) -> Woven:
        """See `Weaver`. The stages are those of the way of the data: decode, load, assemble, encode, record."""
        stage.name = "load"
        desk = self.desk(request)
        stage.name = "decode"
        wire = WIRES[request.endpoint]
        asked = wire.decode(desk.requests.read(request.body), desk.known.memo(len(request.body)))
        if not request.route.weaves(_newest_text(asked)):
            return Woven(body=request.body)
        stage.name = "load"
        if asked.previous:
            self._wait_for_replies(stage)
        with desk.held(stage):
            try:
                loaded, ledger = desk.load(), desk.ledger
            finally:
                stage.problem = desk.sources.problem
            request, asked = desk.with_originals(request, asked, loaded)
            turn, stored = _turn(asked, loaded, request, desk), None
            if asked.previous:
                stored = desk.replies.history(ledger, asked.previous, assistant_of(loaded))
                turn = with_history(turn, stored, instructions_of(asked), asked.previous)
            stage.name = "assemble"

            def said_of(woven: Assembled) -> History:
                return history_of(woven, goes_on=bool(asked.previous), is_stored=stored is not None)

            if turn.dry_run:
                tried = self._try(desk, loaded, turn, ledger)
                body = self._encode(desk, request, asked, tried, stored, stage)
                return Woven(body=body, headers=(_said(said_of(tried)),))
            sent: list[bytes] = []

            def before_record(woven: Assembled) -> Beside:
                sent[:] = [self._encode(desk, request, asked, woven, stored, stage)]
                stage.name = "record"
                put, history = ledger.texts.put, said_of(woven)
                process = self._process.name if self._process is not None else ""
                return lambda number: _request_sent(number, request, asked, sent[0], history, stage, put, process)

            recorded = desk.weave(loaded, turn, before_record)
            if request.account is not None:
                desk.originals.expect(recorded.number, turn.messages, request.account)
        self.tally.count_turn()
        turn_name = turn_id(recorded.number, recorded.hash)
        reader, tell = ReplyReader(wire.api), partial(_exchanged, request, asked, turn_name)
        listener = _Listener(self, desk, recorded.number, reader, request, tell)
        return Woven(
            body=sent[0],
            turn=turn_name,
            headers=(_said(said_of(recorded.woven)),),
            listener=listener,
        )

    def desk(self, request: ToWeave) -> Desk:
        """The desk of an owner on a route; a changed route has a new one."""
        key = (request.caller.owner, request.route.name)
        with self._lock:
            found = self._desks.get(key)
            if found is None or not found.serves(request):
                if found is not None:
                    Thread(target=found.close, name="close", daemon=True).start()  # a turn may be under way
                found = self._desks[key] = Desk(self.path, request, self._make(request.seconds))
            return found

    def close(self) -> None:
        """Write what was heard, and close the ledger."""
        self._closer.join()
        self._heard.put(None)
        self._writer.join()
        for desk in self._desks.values():
            desk.close()
        if self._process is not None:
            self._process.leave()

    def hear(self, listener: _Listener, ending: Ending) -> None:
        """A reply has ended; it is written by and by, so that no stream waits for the disk."""
        self._heard.put((listener, ending))

    # -- replies that another process left open ------------------------------------------------------------------------

    def _enter(self) -> Process | None:
        """Say that this process lives, so that none that starts later takes its running turns for cut off."""
        try:
            return enter(self.path)
        except OSError as error:
            _LOG.warning("no lock beside the ledger, so use it from one process only: %s", error.strerror or error)
            return None

    def _close_cut_replies(self) -> None:
        try:
            if closed := close_cut_replies(self.path, partial(is_alive, self.path)):
                _LOG.info("replies that the last stop had cut off, now closed as interrupted: %d", closed)
        except LorewrightError as error:
            _LOG.warning("replies that the last stop had cut off could not be closed: %s", error.message)
        sweep(self.path)

    # -- inside --------------------------------------------------------------------------------------------------------

    @staticmethod
    def _encode(
        desk: Desk, request: ToWeave, asked: Request, woven: Assembled, stored: StoredHistory | None, stage: Stage
    ) -> bytes:
        stage.name = "encode"
        upstream = request.upstream
        body: Mapping[str, Any]
        first = instructions_of(asked) if request.endpoint == "responses" else 0
        if request.endpoint == "responses" and (stored is not None or begins_with_record(woven.messages, first)):
            front, items = only_new(woven.messages, first, len(stored.messages) if stored else 0)
            body = encode_continued(asked, front, items, upstream.dialect)
        else:
            body = WIRES[request.endpoint].encode(asked, woven.messages, upstream.dialect, desk.tools.memo)
        if upstream.kind == "anthropic" and request.endpoint == "messages" and body is not asked.body:
            body = mark(body, frozen_boundaries(body, woven.messages), desk.tools.counter.count)
        if upstream.prompt_cache_key and request.endpoint in ("chat", "responses"):
            body = with_cache_key(body, desk.stream, woven.turn.session)
        return request.body if body is asked.body else desk.bodies.write(body)

    @staticmethod
    def _try(desk: Desk, loaded: Loaded, turn: Turn, ledger: Ledger) -> Assembled:
        """What a turn would become; nothing is recorded."""
        from lorewright.core.weave import weave
        from lorewright.toolbox import load_lore

        return weave(turn, load_lore(loaded.books, desk.tools, loaded.policy), ledger.memory, desk.tools)

    def _wait_for_replies(self, stage: Stage) -> None:
        """Wait until all replies that have ended are recorded."""
        are_written = Event()
        self._heard.put(are_written)
        while not are_written.wait(_LOOK_SECONDS):
            stage.check()

    def _write_replies(self) -> None:
        while (heard := self._heard.get()) is not None:
            if isinstance(heard, Event):
                heard.set()
                continue
            listener, ending = heard
            desk, reader = listener.desk, listener.reader
            try:
                reader.end()
                said = ending_of(reader, listener.status, ending)
                with desk.lock:
                    _record_reply(desk, listener, said)
                self.tally.count_reply(said, reader.usage)
                if self._spans is not None:
                    self._spans.tell(listener.exchanged(said))
            except Exception as error:  # noqa: BLE001  those of the next replies are still written
                # The message of an error may quote a chat, so only its kind is told.
                _LOG.warning("a reply could not be recorded (%s)", type(error).__name__)


class _Listener:
    """Hears one reply."""

    def __init__(
        self,
        weaver: LedgerWeaver,
        desk: Desk,
        number: int,
        reader: ReplyReader,
        request: ToWeave,
        make: Callable[..., Exchanged],
    ) -> None:
        self._weaver = weaver
        self._lost = request.lost
        self.account = request.account
        self._make = make
        self._started_ns, self._ended_ns = time.time_ns(), 0
        self.desk = desk
        self.number = number
        self.reader = reader
        self.status = 0
        self.lost: tuple[str, ...] = ()

    def exchanged(self, ending: str) -> Exchanged:
        """What a span tells of the request and its reply, once it has ended."""
        return self._make(
            started_ns=self._started_ns,
            ended_ns=self._ended_ns,
            status=self.status,
            ending=ending,
            response=self.reader.id,
            usage=self.reader.usage,
        )

    def start(self, status: int, headers: RawHeaders) -> None:
        self.status = status
        self.reader.start(headers)

    def hear(self, piece: bytes) -> None:
        self.reader.hear(piece)

    def end(self, ending: Ending) -> None:
        self._ended_ns, self.lost = time.time_ns(), self._lost()
        self._weaver.hear(self, ending)


def _exchanged(request: ToWeave, asked: Request, turn: str, **reply: Any) -> Exchanged:
    upstream = request.upstream
    return Exchanged(
        endpoint=request.endpoint, kind=upstream.kind, upstream=upstream.name, model=asked.model, turn=turn, **reply
    )


def _record_reply(desk: Desk, listener: _Listener, ending: str) -> None:
    ledger, number, reader = desk.ledger, listener.number, listener.reader
    usage, is_kept = reader.usage, ending != FAILED and reader.is_whole
    account = listener.account if ending != FAILED else None
    ledger.reply(
        number,
        reader.text if is_kept else None,
        items_said(reader.items, reader.text) if is_kept else (),
        account.changed if account is not None else (),
        prompt_tokens=usage.input_tokens,
        cached_tokens=usage.read_tokens,
        written_tokens=usage.written_tokens,
        reply_tokens=usage.output_tokens,
        ending=ending,
        status=listener.status,
        response=reader.id,
        dropped=listener.lost,
        rewritten=account.rewritten if account is not None else None,
    )
    if ending == "complete" and reader.text and not ledger.is_erased(number):
        take_facts(ledger, number, reader.text)


def _make_tools(seconds: float) -> Tools:
    """The usual ones. Code of books that hangs is refused while there is still time for the rest of the turn."""
    entry, most = min(_ENTRY_SECONDS, seconds / 3), seconds / 2
    limits = SandboxLimits(entry_cpu_seconds=entry, entry_seconds=entry, generation_seconds=most)
    return make_tools(sandbox=Sandbox(limits))


def _request_sent(
    number: int,
    request: ToWeave,
    asked: Request,
    body: bytes,
    history: History,
    stage: Stage,
    put: Callable[[object], Ref],
    process: str,
) -> RequestSent:
    """What is recorded with the turn, as the last thing before it is there to stay: so only what will be sent is."""
    stage.check()
    return RequestSent(
        turn=number,
        api=request.endpoint,
        model=asked.model,
        upstream=request.upstream.name,
        sha256=put(hashlib.sha256(body).hexdigest()),
        size=len(body),
        history=history,
        dropped=request.dropped,
        conversation=_conversation(asked),
        process=process,
    )


def _turn(asked: Request, loaded: Loaded, request: ToWeave, desk: Desk) -> Turn:
    character = loaded.character
    return Turn(
        messages=desk.known.messages(asked, user=loaded.user, assistant=assistant_of(loaded)),
        user=loaded.user,
        character=character,
        persona_description=loaded.persona,
        context_tokens=loaded.context_tokens,
        session=request.conversation or "",
        scope=request.conversation or "",
        clock_ms=int(time.time() * 1000),
        utc_offset_minutes=time.localtime().tm_gmtoff // 60,
        dry_run=request.dry_run or request.endpoint == "count_tokens",
        plan=loaded.plan,
    )


def _conversation(asked: Request) -> str:
    """The upstream's stored conversation that a request names."""
    return asked.previous if asked.body.get("conversation") and not asked.body.get("previous_response_id") else ""


def _said(history: History) -> tuple[bytes, bytes]:
    return b"x-lorewright-history", history.encode()


def _newest_text(asked: Request) -> str:
    return next((message.text for message in reversed(asked.messages) if message.role == "user"), "")
