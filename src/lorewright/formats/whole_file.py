"""A file of ours is read whole, and written whole or not at all. Whatever goes wrong is an `InputError`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from lorewright.errors import InputError, LorewrightError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.opened import is_lonely_pipe
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text

__all__ = ["read_object", "read_text", "write_bytes"]


def read_text(path: str) -> str:
    """The text of a file, without its byte order mark.

    Raises:
        InputError: the file cannot be opened, is too large, or is no text.
    """
    try:
        if is_lonely_pipe(Path(path)):
            raise InputError(f"{path}: this is a pipe, not a file. Save what it gives in a file first.", path=path)
        with Path(path).open("rb") as file:
            data = file.read(limits.FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be read: {reason}.", path=path) from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(f"{path}: the file is larger than {limits.FILE_BYTES:,} bytes.", path=path)
    with _about(path):
        return decode_text(data, Notes())


def read_object(path: str) -> Mapping[str, object]:
    """The JSON object in a file.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path}: the file is empty; a JSON object is wanted here.", path=path)
    with _about(path):
        value = parse_json(text, Notes())
    if not isinstance(value, dict):
        raise InputError(f"{path}: a JSON object ({{...}}) is wanted here.", path=path)
    return value


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


@contextmanager
def _about(path: str) -> Iterator[None]:
    try:
        yield
    except LorewrightError as error:
        raise InputError(f"{path}: {error.message}", **{**error.facts, "path": path}) from error
