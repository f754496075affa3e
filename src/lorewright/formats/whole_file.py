"""A file is written whole or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from lorewright.errors import InputError

__all__ = ["write_bytes"]


def write_bytes(path: str, data: bytes) -> None:
    """Write a file so that it is never half written: into a neighbour first, which then takes its name and its rights.

    What is there and is no file (a pipe, a device) is written to as it stands.

    Raises:
        InputError: the folder is missing or may not be written to.
    """
    neighbour = None
    try:
        target = Path(path)
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        neighbour = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with neighbour.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, neighbour)
        neighbour.replace(target)
    except (OSError, ValueError) as error:
        with suppress(OSError):
            if neighbour is not None:
                neighbour.unlink(missing_ok=True)
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path}: there is no folder `{Path(path).parent}`. Make it first.", path=path) from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be written: {reason}.", path=path) from error
