"""Rendering texts with code: a generation has one process for each book, and limits over all of them."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from lorewright.templates.context import Json
from lorewright.templates.ejs.limits import Limits
from lorewright.templates.ejs.process import Gone, Pool, Process, engine_path
from lorewright.templates.ejs.scene import (
    Answerer,
    Denied,
    Nested,
    Output,
    Pattern,
    Refused,
    Request,
    Scene,
    Value,
)

__all__ = ["Generation", "Sandbox", "is_template"]

_START_SECONDS: Final = 10.0
"""How long a process may take to start and to take its data; not counted to any entry."""
_SLACK_SECONDS: Final = 0.1
"""How much longer than its processor time a process may take before it is killed."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_ENGINE_ERRORS: Final = {
    "InternalError: out of memory": "memory_limit",
    "RangeError: Maximum call stack size exceeded": "stack_limit",
}
_ENDING: Final = frozenset(_ENGINE_ERRORS.values())
"""After these a process is not used again: it stopped somewhere in the middle."""
_SENTENCES: Final = {
    "engine_missing": 'The text holds code, and the engine for it is not installed. pip install "lorewright[ejs]"',
    "book_not_trusted": "The text holds code, which runs only if you trust the book. lorewright trust BOOK",
    "time_limit": "Its code took too long and was stopped.",
    "memory_limit": "Its code needs more memory than it may have.",
    "stack_limit": "Its code calls itself more often than it may.",
    "generation_time": "Its code was not run, because the code before it used up the time of the whole request.",
    "never_settles": "Its code waits for something that never happens.",
    "too_deep": "It pulls in texts that pull in texts, more levels deep than are allowed.",
    "data_too_large": "What the code would be given, or gave, is more than may be sent to a sandbox.",
    "sandbox_failed": "The sandbox could not be started, or ended without an answer.",
}


def is_template(text: str) -> bool:
    """Whether rendering could change this text."""
    return "<%" in text


class Sandbox:
    """Renders texts with code of books, in processes that can do nothing else. Keep one; close it, or use it in `with`.

    Without the engine (extra `ejs`) every text with code is refused, and all others work. keep_warm: whether the next
    process is started as soon as one is taken, for hosts that go on.
    """

    def __init__(self, limits: Limits | None = None, *, keep_warm: bool = False) -> None:
        self.limits = limits or Limits()
        engine = engine_path()
        self._pool = Pool(engine, self.limits, keep_warm=keep_warm) if engine else None

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
    """What is left for one entry."""

    cpu_seconds: float
    end: float


@dataclass(slots=True)
class _Context:
    """A book's process. done: results by number of the rendering; waiting: what it told and nobody looked at yet."""

    process: Process
    done: dict[int, Output | Refused] = field(default_factory=dict)
    waiting: deque[tuple[str, dict[str, Any]]] = field(default_factory=deque)


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
        self._answer = answer
        self._trusted = frozenset(trusted)
        self._contexts: dict[str, _Context] = {}
        self._left = limits.generation_seconds
        self._count = 0
        self._meter: _Meter | None = None

    def render(
        self, book: str, text: str, *, tag: str = "", names: Mapping[str, Json] | None = None, seed: str = ""
    ) -> Output | Refused:
        """A text of a book rendered. Never raises on account of what the text does.

        `tag` names it in requests and refusals, `names` are over the scene's for this text (`world_info`), `seed` is
        what its random numbers follow from. May be called while another text is being rendered (from `answer`).
        """
        return self._render(book, text, (tag,), names or {}, seed)

    def _render(
        self, book: str, text: str, path: tuple[str, ...], names: Mapping[str, Json], seed: str
    ) -> Output | Refused:
        if not is_template(text):
            return Output(text)
        if book not in self._trusted:
            return _refused("book_not_trusted", path)
        if self._pool is None:
            return _refused("engine_missing", path)
        if len(path) > self._limits.levels + 1:
            return _refused("too_deep", path)
        if self._left <= 0:
            return _refused("generation_time", path)
        outer = self._meter
        if outer is None:
            self._meter = _Meter(self._limits.entry_cpu_seconds, monotonic() + self._limits.entry_seconds)
        try:
            return self._run(self._pool, book, {"text": text, "path": path, "names": names, "seed": seed}, path)
        except Gone as gone:
            self._end(book)
            return _refused("generation_time" if self._left <= 0 else gone.code, path)
        except OSError:
            return _refused("sandbox_failed", path)
        except _TooLarge:
            return _refused("data_too_large", path)
        finally:
            self._meter = outer

    def _run(self, pool: Pool, book: str, message: dict[str, Json], path: tuple[str, ...]) -> Output | Refused:
        context = self._contexts.get(book) or self._open(pool, book)
        self._count += 1
        number = self._count
        self._exchange(context, {"render": number, **message})
        while number not in context.done:
            if not context.waiting:
                raise Gone
            kind, event = context.waiting.popleft()
            if kind == "ask":
                self._exchange(context, {"answer": event["ask"], **self._answered(book, event)})
            else:
                outcome = context.done[event["done"]] = _outcome(event, path)
                if not event["clean"] or (isinstance(outcome, Refused) and outcome.code in _ENDING):
                    self._end(book)
        return context.done.pop(number)

    def _open(self, pool: Pool, book: str) -> _Context:
        scene = self._scene
        variables = {name: scene.variables.get(name, {}) for name in ("global", "local", "message")}
        merged = {**variables["global"], **variables["local"], **variables["message"]}
        data = {
            "set": scene.functions,
            "lodash": scene.lodash,
            "names": {name: _json(value) for name, value in scene.names.items()},
            "variables": {name: _json(value) for name, value in {**variables, "cache": merged}.items()},
            "chat": _json([message._asdict() for message in scene.chat]),
            "description": scene.description,
            "loreBooks": list(scene.lore_books),
            "now": scene.now_ms,
            "outputBytes": self._limits.output_bytes,
        }
        payload = self._encode({"scene": data})
        context = self._contexts[book] = _Context(pool.take())
        context.process.send_zone(scene.utc_offset_minutes)
        context.process.exchange(payload, _START_SECONDS, _START_SECONDS)
        return context

    def _exchange(self, context: _Context, message: Mapping[str, Json]) -> None:
        """Send a message; what comes back is put to what is waiting."""
        meter = self._meter
        assert meter
        payload = self._encode(message)
        seconds = min(meter.end - monotonic(), self._left, meter.cpu_seconds + _SLACK_SECONDS)
        start = monotonic()
        try:
            answer, used = context.process.exchange(payload, meter.cpu_seconds, max(seconds, 0.001))
            meter.cpu_seconds -= used
        finally:
            self._left -= monotonic() - start
        context.waiting.extend(_events(answer))

    def _answered(self, book: str, event: dict[str, Any]) -> Mapping[str, Json]:
        """What a text asked, answered, as it is sent."""
        path = tuple(event["path"])
        arguments = tuple(map(_argument, event["given"]))
        answer = self._answer(Request(event["helper"], arguments, book, path))
        match answer:
            case Value(value):
                return {"value": value}
            case Denied(code, message):
                return {"refused": {"code": code, "message": message, "helper": event["helper"]}}
            case Nested(other, text, tag, names):
                deeper = (*path, tag)
                if other == book and is_template(text) and len(deeper) <= self._limits.levels + 1:
                    return {"text": text, "tag": tag, "names": names}
                data = next((value for value in reversed(arguments) if isinstance(value, dict)), {})
                found = self._render(other, text, deeper, {**data, **names}, "/".join(deeper))
                if isinstance(found, Output):
                    return {"value": found.text}
                return {"refused": {"code": found.code, "message": found.message, "helper": found.helper}}

    def _encode(self, message: Mapping[str, Json]) -> bytes:
        payload = _json(message).encode("ascii")
        if len(payload) > self._limits.message_bytes:
            raise _TooLarge
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


class _TooLarge(Exception):
    """Raised for a message that is longer than the limit."""


def _json(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), default=str)


def _events(answer: bytes) -> list[tuple[str, dict[str, Any]]]:
    """What a process told, checked: it runs foreign code, so it may say anything."""
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise Gone from error
    if not isinstance(told, list):
        raise Gone
    return [(_kind(event), event) for event in told]


def _kind(event: Any) -> str:
    if not isinstance(event, dict):
        raise Gone
    asks = isinstance(event.get("ask"), int)
    wanted = {"helper": str, "path": list, "given": list} if asks else {"done": int, "reads": list, "clean": bool}
    if any(not isinstance(event.get(name), kind) for name, kind in wanted.items()):
        raise Gone
    texts = event["path"] if asks else event["reads"]
    if any(not isinstance(text, str) for text in texts):
        raise Gone
    return "ask" if asks else "done"


def _argument(given: Any) -> Json | Pattern:
    match given:
        case {"regex": [str(source), str(flags)]}:
            return Pattern(source, flags)
        case {"json": str(text)}:
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                return None
    return None


def _outcome(event: dict[str, Any], path: Sequence[str]) -> Output | Refused:
    if isinstance(event.get("text"), str):
        return Output(event["text"], frozenset(event["reads"]))
    match event.get("refused"):
        case {
            "code": str(code),
            "helper": str(helper),
            "message": str(message),
            "line": int(line),
            "path": list(where),
        }:
            said = _CONTROL.sub(" ", message)
            inner = tuple(map(str, where)) or tuple(path)
            return Refused(code, _SENTENCES.get(code, said), helper, line, inner)
    raise Gone


def _refused(code: str, path: Sequence[str]) -> Refused:
    return Refused(code, _SENTENCES[code], path=tuple(path))
