"""The commands about the server: `serve`, `status`, `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from lorewright.cli import options
from lorewright.cli.exit_codes import FINDINGS
from lorewright.cli.screen import Screen, print_json
from lorewright.errors import InputError

__all__ = ["doctor_command", "serve_command", "status_command"]

_config = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The configuration. [default: $LOREWRIGHT_CONFIG, else lorewright.toml of this folder if it is there]",
    ),
]


def serve_command(
    *,
    config: _config = None,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="Listen here.")] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=0, max=65_535, help="Listen at this port; 0: a free one.")
    ] = None,
) -> None:
    """Answer clients of the OpenAI and Anthropic APIs, and pass their requests on to a model.

    Without a configuration there is one model, `mirror`, which answers with the prompt.

    \b
    Examples:
      lorewright serve
      lorewright serve --config lorewright.toml --port 9000
    """
    with _needing_server():
        from lorewright.cli.serving import run_server

    run_server(config, host, port)


def status_command(*, as_json: options.as_json_option = False) -> None:
    """Say how the server does that was started last by this user.

    Ends with exit code 1 if it is not running, or if its configuration file or a file of a route has
    a problem.

    \b
    Examples:
      lorewright status
      lorewright status --json
    """
    with _needing_server():
        from lorewright.cli.serving import is_well, look_at_status, show_status

    status = look_at_status()
    if as_json:
        print_json(status)
    else:
        show_status(status, Screen())
    if not is_well(status):
        raise typer.Exit(FINDINGS)


def doctor_command(
    *,
    ports: Annotated[
        list[int] | None,
        typer.Option("--port", metavar="N", min=1, max=65_535, help="Look at this port too; may be repeated."),
    ] = None,
    write: Annotated[str | None, typer.Option("--write", metavar="FILE", help="Write the configuration.")] = None,
    force: options.force_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Find model servers on this computer, and print the configuration for them.

    Ollama, LM Studio, llama.cpp and vLLM are looked for at their usual ports. No other computer is asked, and no key is sent.
    Ends with exit code 1 if none is found.

    \b
    Examples:
      lorewright doctor
      lorewright doctor --port 5001 --write lorewright.toml
    """
    with _needing_server():
        from lorewright.cli.serving import show_found, write_found
        from lorewright.gateway.discovery import as_configuration, find_servers

    found = find_servers(ports or ())
    if as_json:
        servers = [
            {
                "program": one.program,
                "baseUrl": one.base_url,
                "models": list(one.models),
                "apis": list(one.apis),
            }
            for one in found
        ]
        print_json({"servers": servers, "configuration": as_configuration(found) if found else None})
    else:
        show_found(found, Screen())
    if write is not None and found:
        write_found(found, write, force=force)
    if not found:
        raise typer.Exit(FINDINGS)


@contextmanager
def _needing_server() -> Iterator[None]:
    """Say what to install if a package of the extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"starlette", "uvicorn", "aiohttp"}:
            message = f"The server needs the package `{error.name}`. Run `pip install 'lorewright[server]'`."
            raise InputError(message, package=error.name) from None
        raise
