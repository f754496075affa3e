"""A file is written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from lorewright.errors import InputError

__all__ = ["write_bytes"]


def write_bytes(path: str, data: bytes) -> None:
    """Write a file so that it is never half written: into a neighbour first, which then takes its name.

    Raises:
        InputError: the folder is missing or may not be written to.
    """
    neighbour = None
    try:
        target = Path(os.path.realpath(path))
        neighbour = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with neighbour.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        neighbour.replace(target)
    except (OSError, ValueError) as error:
        with suppress(OSError):
            if neighbour is not None:
                neighbour.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be written: {reason}.", path=path) from error
