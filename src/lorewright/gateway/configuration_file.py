"""`lorewright.toml` and the environment as a `Configuration`; everything that is wrong is said at once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from lorewright.errors import SettingsError
from lorewright.formats.whole_file import read_text
from lorewright.gateway.configuration import MIRROR, Configuration, Token, is_loopback
from lorewright.gateway.configuration_tables import read_limits, read_listen, read_route, read_tokens, read_upstream
from lorewright.gateway.secret_source import read_secret
from lorewright.gateway.table import Problem, Table

__all__ = ["check_configuration", "read_configuration"]

_SHORT: Final = 200


def read_configuration(path: str | None, environment: Mapping[str, str]) -> Configuration:
    """The configuration of a file; without one that of the environment alone, which has the mirror and no upstream.

    Raises:
        InputError: the file cannot be read.
        SettingsError: something in it cannot be used; `facts["problems"]` has a `Problem` for each.
    """
    value: Mapping[str, object] = {}
    if path is not None:
        try:
            value = tomllib.loads(read_text(path))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise _refusal(path, [Problem(path, f"this is no TOML: {error}.")]) from error
    problems: list[Problem] = []
    folder = Path(path).absolute().parent if path is not None else Path.cwd()
    found = _read(Table(value, "", problems), folder, environment, path)
    problems += check_configuration(found)
    if problems:
        raise _refusal(path, problems)
    return found


def check_configuration(found: Configuration) -> list[Problem]:
    """What is wrong with the whole, though each part may be right."""
    problems = []
    upstreams, routes = (MIRROR, *found.upstreams), sorted((MIRROR, *found.routes))
    if not is_loopback(found.listen.host) and not found.tokens:
        message = (
            f"`{found.listen.host}` can be reached from other computers, so a token is needed. "
            "Add one with `[[tokens]]`, or listen on 127.0.0.1."
        )
        problems.append(Problem("listen.host", message))
    for route in found.routes.values():
        if route.upstream and route.upstream not in upstreams:
            message = f"there is no upstream `{route.upstream}`; there are: {', '.join(upstreams)}."
            problems.append(Problem(f"routes.{route.name}.upstream", message))
    if found.default_route is not None and found.default_route not in routes:
        message = f"there is no route `{found.default_route}`; there are: {', '.join(routes)}."
        problems.append(Problem("default_route", message))
    values = [token.secret.value for token in found.tokens]
    if len(set(values)) < len(values):
        problems.append(Problem("tokens", "two of them are the same secret. Each owner needs one of their own."))
    keys = {upstream.key.value for upstream in found.upstreams.values() if upstream.key is not None}
    if keys & set(values):
        message = "one of them is the key of an upstream, too. Clients would hold that key; make a token of its own."
        problems.append(Problem("tokens", message))
    return problems


def _refusal(path: str | None, problems: list[Problem]) -> SettingsError:
    where = path or "the environment"
    lines = "".join(f"\n  {problem}" for problem in problems)
    noun = "problem" if len(problems) == 1 else "problems"
    return SettingsError(f"{where}: {len(problems)} {noun} with the configuration:{lines}", problems=tuple(problems))


def _read(top: Table, folder: Path, environment: Mapping[str, str], path: str | None) -> Configuration:
    found = Configuration(
        listen=read_listen(top.table("listen")),
        limits=read_limits(top.table("limits")),
        tokens=read_tokens(top, folder, environment),
        upstreams={
            name: read_upstream(name, one, folder, environment) for name, one in top.tables("upstreams").items()
        },
        routes={name: read_route(name, one, folder) for name, one in top.tables("routes").items()},
        rules=_read_rules(top, folder),
        state=_read_state(top, folder),
        default_route=top.text("default_route", None, longest=_SHORT),
        file=str(Path(path).absolute()) if path is not None else None,
    )
    top.finish()
    for name in (name for name in (*found.upstreams, *found.routes) if not _is_name(name)):
        top.note(name, "a name has 1 to 200 printable characters, and no space at its ends.")
    if MIRROR in found.upstreams:
        top.note(f"upstreams.{MIRROR}", "this name is that of the upstream that is built in. Take another one.")
    return _with_environment(found, top, environment)


def _with_environment(found: Configuration, top: Table, environment: Mapping[str, str]) -> Configuration:
    """The environment wins over the file: `LOREWRIGHT_HOST`, `LOREWRIGHT_PORT`, and a token more, `LOREWRIGHT_TOKEN`."""
    given = {name: environment[name] for name in ("LOREWRIGHT_HOST", "LOREWRIGHT_PORT") if environment.get(name)}
    listen = found.listen
    if "LOREWRIGHT_HOST" in given:
        listen = replace(listen, host=given["LOREWRIGHT_HOST"])
    if port := given.get("LOREWRIGHT_PORT"):
        if port.isdecimal() and port.isascii() and len(port) <= 5 and int(port) <= 65_535:
            listen = replace(listen, port=int(port))
        else:
            top.note("LOREWRIGHT_PORT", f"this is `{port:.40}`; a whole number from 0 to 65,535 is wanted.")
    tokens = found.tokens
    if environment.get("LOREWRIGHT_TOKEN"):
        secret = read_secret(Table({"env": "LOREWRIGHT_TOKEN"}, "LOREWRIGHT_TOKEN", top.problems), Path(), environment)
        if secret is not None:
            tokens = (*tokens, Token(owner="local", secret=secret, is_admin=True))
    return replace(found, listen=listen, tokens=tokens)


def _read_rules(top: Table, folder: Path) -> str | None:
    """The path of the rules file; its folder must be there."""
    text = top.text("rules", "")
    if not text:
        return None
    path = folder / Path(text).expanduser()
    if not path.parent.is_dir() or path.is_dir():
        top.note("rules", f"`{path}` can be no file: its folder is not there, or it is a folder itself.")
    return str(path)


def _read_state(top: Table, folder: Path) -> str | None:
    """The path of the ledger; its folder must be there."""
    text = top.text("state", "")
    if not text:
        return None
    path = folder / Path(text).expanduser()
    if not path.parent.is_dir() or path.is_dir():
        top.note("state", f"`{path}` can be no file: its folder is not there, or it is a folder itself.")
    return str(path)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _SHORT and name.isprintable() and name.strip() == name
