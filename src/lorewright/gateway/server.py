"""The server process: it listens, watches its configuration, and says how it does in a file."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

import uvicorn

from lorewright.errors import InputError
from lorewright.gateway.app import make_app
from lorewright.gateway.configuration import Configuration, Listen
from lorewright.gateway.http_protocol import HttpProtocol
from lorewright.gateway.service import Service
from lorewright.gateway.status_file import StatusFile
from lorewright.gateway.watch import Watch, now

__all__ = ["COLLECT", "SWITCH_SECONDS", "address_of", "make_server", "open_socket", "run", "serve"]

_STOP_SECONDS: Final = 5
"""How long streams may go on after the server was told to stop."""
_IDLE_SECONDS: Final = 65
"""How long a client's connection may wait for its next request. Clients close theirs earlier, so none meets a closed one."""
_REPORT_SECONDS: Final = 1
_BACKLOG: Final = 2048
COLLECT: Final = (5_000, 5, 500)
"""How rarely garbage is looked for, and in how many new objects at once (`gc.set_threshold`): every stream waits
meanwhile, some 6 ms for 25,000 objects, and a book of 10,000 entries has a million."""
SWITCH_SECONDS: Final = 0.001
"""How long a thread that weaves may keep the streams from going on, where it runs Python (`sys.setswitchinterval`)."""


def open_socket(listen: Listen) -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Raises:
        InputError: the address is taken, or none of this computer's.
    """
    host = listen.host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, listen.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
        # A socket that says that it is TCP: of others the event loop does not switch Nagle's wait off (40 ms a reply).
        opened = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise _cannot_listen(listen, error) from error
    try:
        if os.name == "posix":
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise _cannot_listen(listen, error) from error
    return opened


def _cannot_listen(listen: Listen, error: OSError | UnicodeError) -> InputError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    message = (
        f"{listen.host}:{listen.port} cannot be listened on: {reason}. Choose another --port, or stop what has it."
    )
    return InputError(message, host=listen.host, port=listen.port)


def address_of(opened: socket.socket) -> str:
    """The URL of a socket that listens."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(service: Service) -> uvicorn.Server:
    """The HTTP server over the application. No access log: addresses of requests are nobody's business."""
    settings: dict[str, Any] = {
        "http": HttpProtocol,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "ws": "none",
        "lifespan": "on",
        "timeout_keep_alive": _IDLE_SECONDS,
        "timeout_graceful_shutdown": _STOP_SECONDS,
    }
    return uvicorn.Server(uvicorn.Config(make_app(service), **settings))


def serve(service: Service, opened: socket.socket, read: Callable[[], Configuration], file: StatusFile) -> None:
    """Serve until SIGINT or SIGTERM ends it. read: the configuration as it is now, for the watch."""
    server = make_server(service)
    gc.set_threshold(*COLLECT)
    sys.setswitchinterval(SWITCH_SECONDS)

    def stop(*_: object) -> None:
        server.should_exit = True

    # The server takes these signals while it runs, and raises them again when it has ended: then all is said already.
    before = [(one, signal.signal(one, stop)) for one in (signal.SIGINT, signal.SIGTERM)]
    try:
        run(_serve(service, server, opened, read, file))
    finally:
        for one, handler in before:
            signal.signal(one, handler)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run this in the event loop of `uvloop`, or in that of the standard library where there is none (Windows)."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(work)


async def _serve(
    service: Service,
    server: uvicorn.Server,
    opened: socket.socket,
    read: Callable[[], Configuration],
    file: StatusFile,
) -> None:
    status = service.status
    status.address, status.started_at, status.loaded_at = address_of(opened), now(), now()
    tasks = [asyncio.create_task(Watch(service, read).run()), asyncio.create_task(_report(service, file))]
    try:
        await server.serve(sockets=[opened])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        file.write({"event": "stopped", **service.as_object()})


async def _report(service: Service, file: StatusFile) -> None:
    """Keep the status file up to date; it is written in a thread, so that no stream waits for the disk."""
    while True:
        await asyncio.to_thread(file.write, {"event": "running", **service.as_object()})
        await asyncio.sleep(_REPORT_SECONDS)
