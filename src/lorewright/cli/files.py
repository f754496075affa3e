"""Small files of the command line: texts and JSON in, JSON out. Whatever goes wrong is an `InputError`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from lorewright.errors import InputError, LorewrightError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text

__all__ = ["about_file", "check_free", "read_object", "read_text", "write_bytes", "write_text"]


@contextmanager
def about_file(path: str) -> Iterator[None]:
    """Put the file's path before the message of any error that happens inside and does not name it."""
    try:
        yield
    except LorewrightError as error:
        if path in error.message:
            raise
        raise InputError(f"{path}: {error.message}", **{**error.facts, "path": path}) from error


def read_text(path: str) -> str:
    """The text of a file, without its byte order mark.

    Raises:
        InputError: the file cannot be opened, is too large, or is no text.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(limits.FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be read: {reason}.", path=path) from error
    if len(data) > limits.FILE_BYTES:
        raise InputError(f"{path}: the file is larger than {limits.FILE_BYTES:,} bytes.", path=path)
    with about_file(path):
        return decode_text(data, Notes())


def read_object(path: str) -> Mapping[str, object]:
    """The JSON object in a file.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path}: the file is empty; a JSON object is wanted here.", path=path)
    with about_file(path):
        value = parse_json(text, Notes())
    if not isinstance(value, dict):
        raise InputError(f"{path}: a JSON object ({{...}}) is wanted here.", path=path)
    return value


def write_text(path: str, text: str) -> None:
    """Write a text as UTF-8; see `write_bytes`."""
    write_bytes(path, text.encode())


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


def check_free(path: str, *, force: bool) -> None:
    """Refuse to write over a file.

    Raises:
        InputError: it is there already, and nobody said that this does not matter.
    """
    if not force and Path(path).exists():
        raise InputError(f"{path}: the file is there already. Name another one, or give --force.", path=path)
