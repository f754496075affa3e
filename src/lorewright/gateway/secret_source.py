"""Where keys and tokens come from: the environment, a file that only its owner can read, or the system's keyring.

A configuration names the place and never holds the secret: `{ env = "…" }`, `{ file = "…" }`, `{ keyring = "service/user" }`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from lorewright.gateway.configuration import Secret
from lorewright.gateway.table import Table

__all__ = ["read_named_secret", "read_secret"]

_MOST_CHARACTERS: Final = 4096
_OTHERS_RIGHTS: Final = 0o077
_WANTED: Final = 'write { env = "NAME" }, { file = "PATH" } or { keyring = "SERVICE/USER" }'


def read_secret(table: Table, folder: Path, environment: Mapping[str, str]) -> Secret | None:
    """The secret that a table names; what is wrong with it is noted there, and never shows it.

    folder: where relative paths begin.
    """
    places = [name for name in ("env", "file", "keyring") if table.has(name)]
    named = {name: table.text(name, "") for name in ("env", "file", "keyring")}
    table.finish()
    if len(places) != 1:
        table.note("", f"it names {len(places)} places for a secret; one is wanted: {_WANTED}.")
        return None
    [place] = places
    where = named[place]
    if not where:
        return None  # noted already
    if place == "env":
        value = environment.get(where)
        if not value:
            table.note(place, f"the environment has no `{where}`. Set it, and start again.")
            return None
    elif place == "file":
        value = _from_file(folder / Path(where).expanduser(), table)
    else:
        value = _from_keyring(where, table)
    return _checked(value, place, table) if value is not None else None


def read_named_secret(table: Table, name: str, folder: Path, environment: Mapping[str, str]) -> Secret | None:
    """The secret that a key of a table stands for. A secret that is written there itself is refused, and not shown."""
    value = table.raw(name)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        table.note(name, f"a secret does not stand in a configuration; {_WANTED}.")
        return None
    return read_secret(table.table(name), folder, environment)


def _checked(value: str, place: str, table: Table) -> Secret | None:
    """A secret travels in a header: visible ASCII without white space."""
    bare = value.strip()
    if bare.isascii() and bare.isprintable() and " " not in bare and 0 < len(bare) <= _MOST_CHARACTERS:
        return Secret(bare)
    table.note(
        place,
        f"what stands there is no key: 1 to {_MOST_CHARACTERS} visible ASCII characters without spaces are wanted.",
    )
    return None


def _from_file(path: Path, table: Table) -> str | None:
    try:
        with path.open("rb") as file:
            rights = os.fstat(file.fileno()).st_mode
            data = file.read(_MOST_CHARACTERS + 2)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        table.note("file", f"`{path}` cannot be read: {reason}.")
        return None
    if os.name == "posix" and rights & _OTHERS_RIGHTS:
        table.note("file", f"others can read `{path}` (its rights are {rights & 0o777:04o}). Run `chmod 600` on it.")
        return None
    return data.decode("ascii", "replace")


def _from_keyring(where: str, table: Table) -> str | None:
    service, slash, user = where.rpartition("/")
    if not slash or not service or not user:
        table.note("keyring", f"this is `{where}`; SERVICE/USER is wanted.")
        return None
    try:
        keyring = import_module("keyring")
    except ImportError:
        table.note("keyring", "the keyring package is not installed. Run `pip install 'lorewright[keyring]'`.")
        return None
    try:
        value = keyring.get_password(service, user)
    except Exception as error:  # noqa: BLE001  backends raise what they like
        table.note("keyring", f"the keyring did not answer ({type(error).__name__}). Unlock it, and start again.")
        return None
    if not isinstance(value, str):
        table.note("keyring", f"the keyring has nothing for `{where}`. Store it with `keyring set {service} {user}`.")
        return None
    return value
