"""A model server that does as it is told: a real HTTP server that answers in every API's shape, fails on demand, and
remembers what it got.

    with FakeUpstream() as fake:
        fake.plan(Plan(fault="reset", after_pieces=2))
        ...  # send a request to fake.base_url
        assert fake.received[0].json["model"] == "m"
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Literal, Self, get_args

from lorewright.gateway.endpoints import EndpointName
from lorewright.gateway.mirror_shapes import Answer, as_object, as_stream
from lorewright.providers.error import error_body
from lorewright.testing.prompt_caches import PromptCache

__all__ = ["FAULTS", "FakeUpstream", "Fault", "Plan", "Received"]

Fault = Literal["reset", "cut", "hang", "garbage"]
"""After some pieces: an RST, an end without an end, silence, or bytes that are no HTTP or no event."""
FAULTS: Final[tuple[Fault, ...]] = get_args(Fault)

_ENDPOINTS: Final[dict[str, EndpointName]] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/completions": "completions",
    "/embeddings": "embeddings",
    "/messages": "messages",
    "/messages/count_tokens": "count_tokens",
}
_REASONS: Final = {200: "OK"}
_GARBAGE: Final = b"\x00\xff not HTTP at all \r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one request is answered. Without `pieces` it is a text in the shape of the API that was asked.

    status: other than 200 gives an error body. pieces: the body, each written by itself. after_pieces: how many are
    written before the fault; with None there is none of it. before_head: the fault comes instead of a reply.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    text: str = "A gale rises over the isles."
    pieces: tuple[bytes, ...] | None = None
    content_type: str | None = None
    fault: Fault | None = None
    after_pieces: int = 0
    before_head: bool = False
    wait_seconds: float = 0.0
    """Before the head of the reply."""
    between_seconds: float = 0.0
    """Between two pieces."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came. headers: names in lower case, in their order."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((value for one, value in self.headers if one == name), None)


Check = Callable[[Received], str | None]
"""What a real server would refuse: a sentence, or None."""


@dataclass(slots=True)
class FakeUpstream:
    """The server; a context manager that runs it in a thread of its own. `models` are those it lists. cache: what replies
    that are no streams say of their prompts (`prompt_caches.py`).

    received: the requests in their order. gone: how many clients closed their connection before the reply's end.
    """

    models: tuple[str, ...] = ("m",)
    check: Check | None = None
    cache: PromptCache | None = None
    base_url: str = ""
    received: list[Received] = field(default_factory=list)
    gone: int = 0
    _plans: deque[Plan] = field(default_factory=deque)
    _usual: Plan = field(default_factory=Plan)
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None
    _stop: asyncio.Event | None = None
    _ready: threading.Event = field(default_factory=threading.Event)
    _someone_left: threading.Event = field(default_factory=threading.Event)

    def plan(self, *plans: Plan) -> None:
        """Answer the next requests like this, one each; after them as usual. Lists of models are always answered."""
        self._plans.extend(plans)

    def usually(self, plan: Plan) -> None:
        """Answer every request like this that has no plan of its own."""
        self._usual = plan

    def reset(self) -> None:
        """Forget what was planned and what came."""
        self.received.clear()
        self._plans.clear()
        self._usual = Plan()
        self.check = None
        self.cache = None
        self.gone = 0
        self._someone_left.clear()

    def wait_until_gone(self, seconds: float) -> bool:
        """Wait until a client closes its connection early; whether one did in this time."""
        return self._someone_left.wait(seconds)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="fake-upstream", daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        open_now: set[asyncio.Task[None]] = set()

        async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            open_now.add(task)
            try:
                await self._converse(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                open_now.discard(task)
                writer.close()

        server = await asyncio.start_server(meet, "127.0.0.1", 0, backlog=2048)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests of one connection, one after the other."""
        while (request := await _read_request(reader)) is not None:
            if request.method == "GET" and request.path.endswith("/models"):
                rows = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in self.models]
                listed = json.dumps({"object": "list", "data": rows}).encode()
                await _write_reply(writer, 200, [("content-type", "application/json")], [listed], Plan())
                continue
            self.received.append(request)
            plan = self._plans.popleft() if self._plans else self._usual
            leaving = asyncio.ensure_future(_see_leave(reader))
            answering = asyncio.ensure_future(self._answer(request, writer, plan))
            await asyncio.wait({leaving, answering}, return_when=asyncio.FIRST_COMPLETED)
            for task in (leaving, answering):
                task.cancel()
            [result, _] = await asyncio.gather(answering, leaving, return_exceptions=True)
            if isinstance(result, (OSError, asyncio.CancelledError)):
                self.gone += 1
                self._someone_left.set()
            if result is not None:  # it left, or the plan ended the connection
                return

    async def _answer(self, request: Received, writer: asyncio.StreamWriter, plan: Plan) -> Literal["ended"] | None:
        await asyncio.sleep(plan.wait_seconds)
        if plan.fault is not None and plan.before_head:
            return await _fail(writer, plan.fault)
        status, kind, pieces = self._content(request, plan)
        headers = [("content-type", plan.content_type or kind), *plan.headers]
        return await _write_reply(writer, status, headers, pieces, plan)

    def _content(self, request: Received, plan: Plan) -> tuple[int, str, Iterable[bytes]]:
        """Status, content type and body of a reply."""
        if plan.pieces is not None:
            is_stream = b'"stream"' in request.body
            return plan.status, "text/event-stream" if is_stream else "application/json", plan.pieces
        path = request.path.removeprefix("/v1")
        endpoint = _ENDPOINTS.get(path, "responses")
        shape: Any = "messages" if path.startswith("/messages") else "chat"
        if refused := self._refused(request):
            return 400, "application/json", [json.dumps(error_body(shape, 400, refused)).encode()]
        if plan.status != 200:
            body = error_body(shape, plan.status, f"The fake was told to answer {plan.status}.", code="fake")
            return plan.status, "application/json", [json.dumps(body).encode()]
        if request.method != "POST" or path.endswith("/cancel"):
            return 200, "application/json", [json.dumps({"method": request.method, "target": request.target}).encode()]
        if endpoint == "embeddings":
            return 200, "application/json", [json.dumps(_embeddings(request.json)).encode()]
        answer = Answer(str(request.json.get("model")), plan.text, request.body)
        if request.json.get("stream") is True:
            options = request.json.get("stream_options") or {}
            return 200, "text/event-stream", as_stream(endpoint, answer, wants_usage=bool(options.get("include_usage")))
        reply = as_object(endpoint, answer)
        if self.cache is not None and "usage" in reply:
            reply["usage"] = self.cache.usage(request.json)
        return 200, "application/json", [json.dumps(reply).encode()]

    def _refused(self, request: Received) -> str | None:
        """What a real server would say against the request."""
        found = self.check(request) if self.check is not None else None
        if found is None and self.cache is not None and request.method == "POST":
            found = self.cache.problem(request.json)
        return found


def _embeddings(request: Any) -> dict[str, Any]:
    """Two numbers for each text, packed if they are asked for so."""
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    numbers: list[Any] = [[0.5, -1.0] for _ in texts]
    if request.get("encoding_format") == "base64":
        from base64 import b64encode

        numbers = [b64encode(struct.pack("<2f", *pair)).decode() for pair in numbers]
    data = [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(numbers)]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "data": data, "model": request["model"], "usage": usage}


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    """The next request of a connection; None if there is none."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    headers = tuple((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    length = next((int(value) for name, value in headers if name == "content-length"), 0)
    return Received(method, target, headers, await reader.readexactly(length))


async def _see_leave(reader: asyncio.StreamReader) -> None:
    """Return when the client closes the connection. Nobody sends a second request before the first is answered."""
    with suppress(OSError):
        await reader.read(1)


async def _write_reply(
    writer: asyncio.StreamWriter, status: int, headers: list[tuple[str, str]], pieces: Iterable[bytes], plan: Plan
) -> Literal["ended"] | None:
    """Head and body, in chunks; says whether the connection has ended with them."""
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Told So')}", *(f"{name}: {value}" for name, value in headers)]
    writer.write("\r\n".join([*lines, "transfer-encoding: chunked", "", ""]).encode("latin-1"))
    for number, piece in enumerate(pieces):
        if plan.fault is not None and number >= plan.after_pieces:
            return await _fail(writer, plan.fault)
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b"")
        await writer.drain()
        if plan.between_seconds:
            await asyncio.sleep(plan.between_seconds)
    if plan.fault is not None:
        return await _fail(writer, plan.fault)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return None


async def _fail(writer: asyncio.StreamWriter, fault: Fault) -> Literal["ended"]:
    with suppress(OSError):
        await writer.drain()
    if fault == "hang":
        await asyncio.Event().wait()
    if fault == "garbage":
        writer.write(_GARBAGE)
        with suppress(OSError):
            await writer.drain()
    if fault == "reset":
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    writer.close()
    return "ended"
