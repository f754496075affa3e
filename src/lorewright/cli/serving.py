"""Running the server and telling how it does, for the commands in `serve_commands.py`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lorewright.cli.files import check_free, write_text
from lorewright.cli.screen import Screen, count
from lorewright.gateway.configuration import MIRROR, Configuration
from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.discovery import Found, as_configuration
from lorewright.gateway.server import address_of, open_socket, serve
from lorewright.gateway.service import Service
from lorewright.gateway.spans import make_spans
from lorewright.gateway.status_file import StatusFile, is_running, read_status, status_path
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.storage.data_folder import data_folder

__all__ = ["is_well", "look_at_status", "run_server", "show_found", "show_status", "write_found"]

_USUAL_FILE: Final = "lorewright.toml"
_MOST_MODELS: Final = 8


def run_server(config: str | None, host: str | None, port: int | None) -> None:
    """Serve until a signal ends it.

    Raises:
        InputError: the configuration cannot be used, or the address not be listened on.
    """
    read = _reader(config, host, port)
    configuration = read()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    with open_socket(configuration.listen) as opened:
        _greet(configuration, address_of(opened), Screen())
        spans = make_spans()
        weaver = LedgerWeaver(_ledger_of(configuration), spans=spans)
        serve(Service(configuration, weaver, spans), opened, read, StatusFile(status_path()))


def _ledger_of(configuration: Configuration) -> Path:
    """The file in which turns are recorded; its folder is made if it is ours."""
    if configuration.state is not None:
        return Path(configuration.state)
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "gateway.ledger"


def _reader(config: str | None, host: str | None, port: int | None) -> Callable[[], Configuration]:
    """Reads the configuration as it is now; what the command line says wins."""
    file = config or os.environ.get("LOREWRIGHT_CONFIG") or (_USUAL_FILE if Path(_USUAL_FILE).is_file() else None)

    def read() -> Configuration:
        environment = dict(os.environ)
        if host is not None:
            environment["LOREWRIGHT_HOST"] = host
        if port is not None:
            environment["LOREWRIGHT_PORT"] = str(port)
        return read_configuration(file, environment)

    return read


def _greet(configuration: Configuration, address: str, screen: Screen) -> None:
    screen.line("Lorewright listens at ", (address, "bold"), f"; the base URL of OpenAI clients is {address}/v1")
    theirs = ", and those of the upstreams" if configuration.upstreams else ""
    screen.line(f"models: {', '.join((*configuration.routes, MIRROR))}{theirs}")
    if not configuration.upstreams:
        screen.line(
            "No model server is configured: the mirror answers, with the prompt that a model would get. "
            "`lorewright doctor` finds servers."
        )


def look_at_status() -> dict[str, Any]:
    """The status of the server that was started last, with `running` before it.

    Raises:
        InputError: the file cannot be read.
    """
    status = read_status(status_path())
    if status is None:
        return {"running": False, "event": None}
    return {"running": is_running(status), **status}


def is_well(status: dict[str, Any]) -> bool:
    configuration = status.get("configuration")
    has_problems = bool(isinstance(configuration, dict) and configuration.get("problems")) or bool(_problems(status))
    return bool(status["running"]) and not has_problems


def _problems(status: dict[str, Any]) -> dict[str, str]:
    """By route, what is wrong with its files."""
    routes = status.get("routes")
    found = routes.items() if isinstance(routes, dict) else ()
    return {name: route["problem"] for name, route in found if isinstance(route, dict) and route.get("problem")}


def show_status(status: dict[str, Any], screen: Screen) -> None:
    if status.get("event") is None:
        screen.line("not running; no server was started yet")
        return
    state = "running" if status["running"] else "stopped" if status["event"] == "stopped" else "ended without a word"
    screen.line((state, "bold green" if status["running"] else "bold yellow"), f" at {status.get('address')}")
    configuration = status.get("configuration") or {}
    screen.line(f"configuration: {configuration.get('file') or 'none'}, read {configuration.get('loadedAt')}")
    for problem in configuration.get("problems") or ():
        screen.line(("problem", "bold red"), f": {problem.get('key')}: {problem.get('message')}")
    screen.line(f"routes: {', '.join(status.get('routes') or {}) or 'none'}")
    for name, problem in _problems(status).items():
        screen.line(("problem", "bold red"), f" of the files of {name}: {problem}")
    screen.line(f"upstreams: {', '.join(status.get('upstreams') or {})}")
    screen.line(f"requests: {status.get('requests')}")
    _show_turns(status.get("turns"), screen)
    for title, field in (("refused", "refusals"), ("sent as they came, for a fault in weaving", "notWoven")):
        for code, number in (status.get(field) or {}).items():
            screen.line(f"{title}: {number} [{code}]")


def _show_turns(turns: object, screen: Screen) -> None:
    """How many turns were recorded, how their replies ended, and how much of them came from a cache."""
    if not isinstance(turns, dict) or not turns.get("recorded"):
        return
    replies = turns.get("replies")
    endings = [f"{number} {ending}" for ending, number in replies.items()] if isinstance(replies, dict) else []
    screen.line(f"turns: {turns['recorded']}" + (f" (replies: {', '.join(endings)})" if endings else ""))
    ratio = turns.get("hitRatio")
    if isinstance(ratio, float):
        screen.line(f"from the prompt cache: {ratio:.1%}")


def show_found(found: list[Found], screen: Screen) -> None:
    if not found:
        screen.line(
            "No model server answers here, at its usual port or one that was given. "
            "Start one (Ollama, LM Studio, llama.cpp, vLLM), or give its --port."
        )
        return
    for server in found:
        screen.line(
            (server.program or "a model server", "bold"), f" at {server.base_url}: {count(len(server.models), 'model')}"
        )
        for name in server.models[:_MOST_MODELS]:
            screen.line(f"  {name}")
        if len(server.models) > _MOST_MODELS:
            screen.line(f"  and {len(server.models) - _MOST_MODELS} more")
    screen.heading("For lorewright.toml")
    screen.text(as_configuration(found).rstrip())


def write_found(found: list[Found], file: str, *, force: bool) -> None:
    """Write the configuration of what was found into a new file.

    Raises:
        InputError: the file is there, or cannot be written.
    """
    check_free(file, force=force)
    write_text(file, as_configuration(found))
