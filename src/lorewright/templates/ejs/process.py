"""Sandbox processes: how they are started, spoken to and ended.

A process serves one book in one generation and is then killed; nothing in it can outlive them. One that has started
already makes a first rendering quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from lorewright.templates.ejs.limits import Limits

__all__ = ["Gone", "Pool", "Process", "engine_path"]

_HERE: Final = Path(__file__).parent
_FILES: Final = (
    "vendor/ejs.min.js",
    "vendor/lodash.min.js",
    "js/environment.js",
    "js/variables.js",
    "js/functions.js",
    "js/runtime.js",
)
_FLAGS: Final = ("-I", "-S", "-B", "-X", "utf8")
_SLOW_SECONDS: Final = 0.3
_STOPPED: Final = {b'"time"': "time_limit", b'"engine"': "memory_limit"}
_PROCESS_SECONDS: Final = 5
"""Processor time of a process beside that of its generation: to start, and for what counts nobody."""


class Gone(Exception):
    """Raised when a process has ended, was ended because its time was over, or says what no sandbox would say.

    code: `time_limit`, `memory_limit` or `sandbox_failed`.
    """

    def __init__(self, code: str = "sandbox_failed") -> None:
        super().__init__(code)
        self.code = code


def engine_path() -> str | None:
    """The file of the JavaScript engine. None where it is not installed, and where the package `quickjs` is: that one
    has the same file, and does not stop in a regular expression."""
    from importlib.metadata import PackageNotFoundError, version

    for name, wanted in (("quickjs-ng", True), ("quickjs", False)):
        try:
            version(name)
        except PackageNotFoundError:
            if wanted:
                return None
        else:
            if not wanted:
                return None
    found = find_spec("_quickjs")
    return found.origin if found else None


class Process:
    """One process. `start` raises OSError where the system starts none."""

    def __init__(self, engine: str, limits: Limits) -> None:
        self._limits = limits
        self._out_of_time = False
        seconds = int(limits.generation_seconds) + _PROCESS_SECONDS
        numbers = (limits.heap_bytes, limits.stack_bytes, seconds)
        files = (str(_HERE / name) for name in _FILES)
        import subprocess  # takes as long to load as all else here, and most runs start no process

        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
            [sys.executable, *_FLAGS, str(_HERE / "worker.py"), engine, *map(str, numbers), *files],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(os.sep).resolve(),
            env=_environment(),
            start_new_session=True,
        )

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it, whatever it does. May be called again, and from another thread."""
        self._process.kill()

    def close(self) -> None:
        """End it and clear away what is left of it."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not read yet cannot be flushed
                stream.close()  # type: ignore[union-attr]
        self._process.wait()

    def send_zone(self, utc_offset_minutes: int) -> None:
        """The first message: where its clock is read.

        Raises:
            Gone: the process has ended.
        """
        hours, minutes = divmod(abs(utc_offset_minutes), 60)
        sign = "-" if utc_offset_minutes >= 0 else "+"  # POSIX counts west of Greenwich
        self._write(f"LOC{sign}{hours}:{minutes:02}".encode(), 0)

    def exchange(
        self, message: bytes, cpu_seconds: float, seconds: float, slow: Callable[[], object] = int
    ) -> tuple[bytes, float]:
        """Send ASCII JSON; the answer and the processor time it took. `slow` is called once if that takes long.

        Raises:
            Gone: the process ended, took longer than it may, ran out of memory, or its answer is too long.
        """
        done = Event()
        Thread(target=self._watch, args=(done, seconds, slow), daemon=True).start()
        try:
            self._write(message, int(cpu_seconds * 1e6))
            header = self._read(8)
            length = int.from_bytes(header[:4], "little")
            if length > self._limits.message_bytes:
                raise Gone
            answer = self._read(length)
        finally:
            done.set()
        if answer in _STOPPED:
            raise Gone(_STOPPED[answer])
        return answer, int.from_bytes(header[4:], "little") / 1e6

    def _watch(self, done: Event, seconds: float, slow: Callable[[], object]) -> None:
        """End the process if nobody says in time that it is done."""
        if done.wait(min(_SLOW_SECONDS, seconds)):
            return
        slow()
        if not done.wait(max(0, seconds - _SLOW_SECONDS)):
            self._out_of_time = True
            self.kill()

    def _write(self, message: bytes, allowed: int) -> None:
        stream = self._process.stdin
        assert stream
        try:
            stream.write(len(message).to_bytes(4, "little") + allowed.to_bytes(4, "little") + message)
            stream.flush()
        except OSError as error:
            raise Gone(self._why()) from error

    def _read(self, length: int) -> bytes:
        stream = self._process.stdout
        assert stream
        found = stream.read(length)
        if len(found) < length:
            raise Gone(self._why())
        return found

    def _why(self) -> str:
        return "time_limit" if self._out_of_time else "sandbox_failed"


def _environment() -> dict[str, str]:
    """Nothing; Windows starts no program without its own folder."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if os.name == "nt" and name in os.environ}


class Pool:
    """Hands out processes, each once."""

    def __init__(self, engine: str, limits: Limits, *, keep_warm: bool) -> None:
        self._engine = engine
        self._limits = limits
        self._keep_warm = keep_warm
        self._spare: Process | None = None
        self._lock = Lock()

    def warm(self) -> None:
        """Have a process ready."""
        with self._lock:
            if self._spare is None:
                self._spare = Process(self._engine, self._limits)

    def take(self) -> Process:
        """A process that nobody has used; one that ended while it stood ready is not handed out.

        Raises:
            OSError: the system starts none.
        """
        with self._lock:
            taken, self._spare = self._spare, None
        if taken and not taken.is_alive:
            taken.close()
            taken = None
        taken = taken or Process(self._engine, self._limits)
        if self._keep_warm:
            with suppress(OSError):  # there is one now, and the next may be started later
                self.warm()
        return taken

    def close(self) -> None:
        """End the one that stands ready."""
        with self._lock:
            if self._spare:
                self._spare.close()
            self._spare = None
