"""The program of a sandbox process: one JavaScript context, and messages over standard input and output.

Started by `process.py` as a file, in isolated mode and without `site`, so it imports next to nothing and knows nothing
of this package. It sets its own limits before it looks at the first message:

- no more files, sockets or processes than it has: none can be opened or written;
- memory and processor time of the process;
- memory, stack and time of the JavaScript engine.

Arguments: the engine's extension module, the bytes of its heap and of its stack, the seconds of processor time of
the whole process, then the JavaScript files: ejs, lodash, and the parts of the program.

A message is eight bytes (length, microseconds of processor time that it may take; little endian) and ASCII text; so is
an answer: length, microseconds taken, and JSON in UTF-8: events, or why there are none (`time`, `engine`). The first message is the time
zone.
"""

from __future__ import annotations

import sys
import time
from importlib.machinery import ExtensionFileLoader, ModuleSpec

TYPE_CHECKING = False  # `typing` would cost a fifth of the start
if TYPE_CHECKING:
    from typing import Any, BinaryIO

_MEMORY_BESIDE_HEAP = 256 * 1024 * 1024
"""Bytes of address space for Python, the engine's code and messages."""
_TIME = b'"time"'
_ENGINE = b'"engine"'


def main() -> None:
    extension, heap, stack, process_seconds, *files = sys.argv[1:]
    context = _load(extension).Context()
    context.set_memory_limit(int(heap))
    context.set_max_stack_size(int(stack))
    ejs, lodash, *program = (_read_file(name) for name in files)
    step = context.eval(f"(function (ejsSource, lodashSource) {{\n'use strict';\n{''.join(program)}\n}})")(ejs, lodash)
    _shut_off(int(heap), int(process_seconds))
    _set_zone(_read(sys.stdin.buffer)[1])
    while True:
        allowed, message = _read(sys.stdin.buffer)
        start = time.process_time()
        answer = _run(context, step, message.decode(), start + allowed / 1e6)
        used = int((time.process_time() - start) * 1e6)
        sys.stdout.buffer.write(len(answer).to_bytes(4, "little") + used.to_bytes(4, "little") + answer)
        sys.stdout.buffer.flush()


def _load(extension: str) -> Any:
    loader = ExtensionFileLoader("_quickjs", extension)
    module = loader.create_module(ModuleSpec("_quickjs", loader, origin=extension))
    loader.exec_module(module)
    return module


def _read_file(name: str) -> str:
    with open(name, encoding="utf-8") as file:  # noqa: PTH123 - `pathlib` would cost as much as all the rest
        return file.read()


def _read(stream: BinaryIO) -> tuple[int, bytes]:
    """The next message and the time it may take; the process ends when nobody sends any more."""
    header = stream.read(8)
    if len(header) < 8:
        sys.exit()
    length = int.from_bytes(header[:4], "little")
    return int.from_bytes(header[4:], "little"), stream.read(length)


def _run(context: Any, step: Any, message: str, end: float) -> bytes:
    """Hand over a message, do what follows from it, and ask what there is to tell."""
    try:
        context.set_time_limit(max(end - time.process_time(), 1e-6))
        step(message)
        while context.execute_pending_job():
            left = end - time.process_time()
            if left <= 0:
                return _TIME
            context.set_time_limit(left)
        return bytes(step("").encode())
    except Exception as error:  # noqa: BLE001 - whatever it is, the outside ends this process
        return _TIME if "interrupted" in str(error) else _ENGINE


def _shut_off(heap: int, seconds: int) -> None:
    """Take away what the system would give; Windows has no such limits."""
    try:
        import resource
    except ImportError:
        return
    wanted = {
        "RLIMIT_AS": heap + _MEMORY_BESIDE_HEAP,
        "RLIMIT_CPU": seconds,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_NOFILE": 0,
    }
    for name, limit in wanted.items():
        try:
            resource.setrlimit(getattr(resource, name), (limit, limit))
        except (AttributeError, OSError, ValueError):  # this system has no such limit
            continue


def _set_zone(zone: bytes) -> None:
    if hasattr(time, "tzset"):
        import posix

        posix.putenv(b"TZ", zone)
        time.tzset()


if __name__ == "__main__":
    main()
