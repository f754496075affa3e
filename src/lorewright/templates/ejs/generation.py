"""Rendering texts with code: a generation has one process for each book, and limits over all of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Final, Self
from weakref import finalize

from lorewright.templates.context import Json
from lorewright.templates.ejs.balance import find_imbalance
from lorewright.templates.ejs.limits import Limits
from lorewright.templates.ejs.process import Gone, Pool, Process, engine_path
from lorewright.templates.ejs.refusals import refused
from lorewright.templates.ejs.scene import (
    Answer,
    Answerer,
    Change,
    Denied,
    Nested,
    Output,
    Refused,
    Request,
    Scene,
    Value,
)
from lorewright.templates.ejs.tags import is_template
from lorewright.templates.ejs.wire import ENDING, Ask, Done, TooLarge, read_events, to_json

__all__ = ["Generation", "Sandbox"]

_START_SECONDS: Final = 10.0
"""How long a process may take to start and to take its data; not counted to any entry."""
_SLACK_SECONDS: Final = 0.05
"""How much longer than its processor time a process may take before it is killed."""


class Sandbox:
    """Renders texts with code of books, in processes that can do nothing else. Keep one; close it, or use it in `with`.

    Without the engine (extra `ejs`) every text with code is refused, and all others work. keep_warm: whether the next
    process is started as soon as one is taken, for hosts that go on.
    """

    def __init__(self, limits: Limits | None = None, *, keep_warm: bool = False) -> None:
        self.limits = limits or Limits()
        engine = engine_path()
        self._pool = Pool(engine, self.limits, keep_warm=keep_warm) if engine else None
        if self._pool:
            finalize(self, self._pool.close)

    def warm(self) -> None:
        """Start a process now, so that the first text need not wait for it."""
        if self._pool:
            self._pool.warm()

    def generation(self, scene: Scene, answer: Answerer, trusted: Collection[str]) -> Generation:
        """A generation with one scene. `trusted`: names of the books whose code may run."""
        return Generation(self._pool, self.limits, scene, answer, trusted)

    def close(self) -> None:
        """End what stands ready."""
        if self._pool:
            self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(slots=True)
class _Meter:
    """What is left for one entry, and what the texts did that it pulled in from other books."""

    cpu_seconds: float
    end: float
    reads: set[str] = field(default_factory=set)
    writes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class _Context:
    """A book's process. variables: those that it has; done: results by number of the rendering; waiting: what it told and
    nobody looked at yet."""

    process: Process
    variables: object = None
    done: dict[int, Output | Refused] = field(default_factory=dict)
    waiting: deque[Ask | Done] = field(default_factory=deque)


class Generation:
    """One request for a reply. Texts of one book share a context; nothing else shares anything.

    Not for several threads at once. `with` ends the processes.
    """

    def __init__(
        self, pool: Pool | None, limits: Limits, scene: Scene, answer: Answerer, trusted: Collection[str]
    ) -> None:
        self._pool = pool
        self._limits = limits
        self._scene = scene
        self._variables = scene.variables
        self._answer = answer
        self._trusted = frozenset(trusted)
        self._contexts: dict[str, _Context] = {}
        self._left = limits.generation_seconds
        self._count = 0
        self._meter: _Meter | None = None

    def render(
        self,
        book: str,
        text: str,
        *,
        tag: str = "",
        names: Mapping[str, Json] | None = None,
        seed: str = "",
        variables: Mapping[str, Mapping[str, Json]] | None = None,
    ) -> Output | Refused:
        """A text of a book rendered. Never raises on account of what the text does.

        `tag` names it in requests and refusals, `names` are over the scene's for this text (`world_info`), `seed` is
        what its random numbers follow from, `variables` replace the scene's from here on. May be called while another
        text is being rendered (from `answer`).
        """
        if variables is not None:
            self._variables = variables
        return self._render(book, text, (tag,), names or {}, seed)

    def _render(
        self, book: str, text: str, path: tuple[str, ...], names: Mapping[str, Json], seed: str
    ) -> Output | Refused:
        if not is_template(text):
            return Output(text)
        if book not in self._trusted:
            return refused("book_not_trusted", path)
        if self._pool is None:
            return refused("engine_missing", path)
        if len(path) > self._limits.levels + 1:
            return refused("too_deep", path)
        if self._left <= 0:
            return refused("generation_time", path)
        if self._meter is None:
            return self._render_entry(self._pool, book, text, path, names, seed)
        found = self._attempt(self._pool, book, text, path, names, seed)
        if isinstance(found, Output):
            self._meter.reads |= found.reads
            self._meter.writes += found.writes
        return found

    def _render_entry(
        self, pool: Pool, book: str, text: str, path: tuple[str, ...], names: Mapping[str, Json], seed: str
    ) -> Output | Refused:
        """With limits of its own."""
        meter = self._meter = _Meter(self._limits.entry_cpu_seconds, monotonic() + self._limits.entry_seconds)
        try:
            found = self._attempt(pool, book, text, path, names, seed)
        finally:
            self._meter = None
        if isinstance(found, Refused):
            return _explained(found, text, path)
        return Output(found.text, found.reads | meter.reads, (*found.writes, *meter.writes))

    def _attempt(
        self, pool: Pool, book: str, text: str, path: tuple[str, ...], names: Mapping[str, Json], seed: str
    ) -> Output | Refused:
        try:
            return self._run(pool, book, {"text": text, "path": path, "names": names, "seed": seed})
        except Gone as gone:
            code = "generation_time" if self._left <= 0 else gone.code
        except OSError:
            code = "sandbox_failed"
        except TooLarge:
            code = "data_too_large"
        self._end(book)
        return refused(code, path)

    def _run(self, pool: Pool, book: str, message: dict[str, Json]) -> Output | Refused:
        context = self._contexts.get(book) or self._open(pool, book)
        if context.variables is not self._variables:
            message["scene"] = self._variables_for(book)
            context.variables = self._variables
        self._count += 1
        number = self._count
        self._exchange(context, {"render": number, **message})
        while number not in context.done:
            if not context.waiting:
                raise Gone
            event = context.waiting.popleft()
            if isinstance(event, Ask):
                self._exchange(context, {"answer": event.number, **self._answered(book, event)})
                continue
            context.done[event.number] = event.outcome
            if not event.clean or (isinstance(event.outcome, Refused) and event.outcome.code in ENDING):
                self._end(book)
        return context.done.pop(number)

    def _open(self, pool: Pool, book: str) -> _Context:
        scene = self._scene
        data = {
            "set": scene.functions,
            "lodash": scene.lodash,
            "names": {name: to_json(value) for name, value in scene.names.items()},
            "chat": to_json([message._asdict() for message in scene.chat]),
            "description": scene.description,
            "loreBooks": list(scene.lore_books),
            "dryRun": scene.dry_run,
            "now": scene.now_ms,
            "outputBytes": self._limits.output_bytes,
            "levels": self._limits.levels,
            **self._variables_for(book),
        }
        payload = self._encode({"begin": data})
        start = monotonic()
        context = self._contexts[book] = _Context(pool.take(), self._variables)
        context.process.send_zone(scene.utc_offset_minutes)
        context.process.exchange(payload, _START_SECONDS, _START_SECONDS)
        if self._meter:
            self._meter.end += monotonic() - start
        return context

    def _variables_for(self, book: str) -> dict[str, Json]:
        """The variables as a context gets them: each scope as JSON, `cache` with all of them."""
        given = self._variables
        scopes = {name: given[name] for name in ("initial", "global", "local", "message", "cache") if name in given}
        merged = {name: value for scope in scopes.values() for name, value in scope.items()}
        scopes["cache"] = merged
        return {
            "variables": {name: to_json(value) for name, value in scopes.items()},
            "definitions": given.get("defined", {}).get(book, {}),
        }

    def _exchange(self, context: _Context, message: Mapping[str, Json]) -> None:
        """Send a message; what comes back is put to what is waiting."""
        meter = self._meter
        assert meter
        payload = self._encode(message)
        seconds = min(meter.end - monotonic(), self._left, meter.cpu_seconds + _SLACK_SECONDS)
        if seconds <= 0:  # answering took all that was left
            raise Gone("time_limit")
        start = monotonic()
        try:
            answer, used = context.process.exchange(payload, meter.cpu_seconds, seconds, self._prepare)
            meter.cpu_seconds -= used
        finally:
            self._left -= monotonic() - start
        context.waiting.extend(read_events(answer))

    def _prepare(self) -> None:
        """A text takes long, so its process may be lost soon: have another one ready."""
        if self._pool:
            with suppress(OSError):
                self._pool.warm()

    def _answered(self, book: str, ask: Ask) -> Mapping[str, Json]:
        """What a text asked, answered, as it is sent."""
        match self._ask_outside(Request(ask.helper, ask.arguments, book, ask.path)):
            case Value(value):
                return {"value": value}
            case Denied(code, message):
                return {"refused": {"code": code, "message": message, "helper": ask.helper}}
            case Nested(other, text, tag, names, finish) if other == book:
                return {"text": text, "tag": tag, "names": names, "finish": finish}
            case nested:
                return self._rendered_elsewhere(ask, nested)

    def _ask_outside(self, request: Request) -> Answer:
        """The answer to a request; the time it takes is the generation's, too."""
        start = monotonic()
        try:
            return self._answer(request)
        finally:
            self._left -= monotonic() - start

    def _rendered_elsewhere(self, ask: Ask, nested: Nested) -> Mapping[str, Json]:
        """A text of another book, rendered in the context of that one."""
        data = next((value for value in reversed(ask.arguments) if isinstance(value, dict)), {})
        path = (*ask.path, nested.tag)
        found = self._render(nested.book, nested.text, path, {**data, **nested.names}, "/".join(path))
        if isinstance(found, Refused):
            return {"refused": {"code": found.code, "message": found.message, "helper": found.helper}}
        if not nested.finish:
            return {"value": found.text}
        last = self._ask_outside(Request("finish", (found.text, *found.reads), nested.book, path))
        return {"value": last.value if isinstance(last, Value) else found.text}

    def _encode(self, message: Mapping[str, Json]) -> bytes:
        payload = to_json(message).encode("ascii")
        if len(payload) > self._limits.message_bytes:
            raise TooLarge
        return payload

    def _end(self, book: str) -> None:
        context = self._contexts.pop(book, None)
        if context:
            context.process.close()

    def close(self) -> None:
        """End all processes."""
        for book in tuple(self._contexts):
            self._end(book)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _explained(found: Refused, text: str, path: tuple[str, ...]) -> Refused:
    """With the place where the text is not closed, if that is why it could not be compiled (nobody knows the line)."""
    if found.code != "failed" or found.line or found.path != path or (cause := find_imbalance(text)) is None:
        return found
    sentence, line = cause
    return found._replace(message=f"The code cannot be read, because {sentence}", line=line)
