"""A path or bytes -> a recognised file, or a sentence about why it is none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.detect import Detected, check_size, detect
from lorewright.formats.kinds import KINDS, Reading, readable

__all__ = ["Opened", "Source", "is_lonely_pipe", "open_file", "open_for", "read_source"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A recognised file and its name ("" for bytes)."""

    name: str
    found: Detected

    @property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def origin(self) -> str:
        return f"{self.found.format}: {self.name}" if self.name else self.found.format


Source = str | os.PathLike[str] | bytes | Opened
"""A path, the content of a file, or a file that is recognised already."""


def open_file(source: Source) -> Opened:
    """Recognise a file; one that is recognised already is given back.

    Raises:
        FormatError: it cannot be opened, is too large, or is of no format that is read.
    """
    if isinstance(source, Opened):
        return source
    name, where, data = read_source(source)
    try:
        found = detect(data, where)
    except FormatError as error:
        if name:
            error.facts.setdefault("file", name)
        raise
    return Opened(name, found)


def read_source(source: str | os.PathLike[str] | bytes) -> tuple[str, str, bytes]:
    """The name of a file, its path (both "" for bytes) and what is in it.

    Raises:
        FormatError: it cannot be opened, or is too large.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        check_size(len(source))
        return "", "", bytes(source)
    path = _path(source)
    return path.name, str(path), _read_bytes(path)


def open_for(source: Source, reading: Reading) -> Opened:
    """Recognise a file from which `reading` can be read.

    Raises:
        FormatError: as `open_file`; or something else is in the file.
    """
    opened = open_file(source)
    kind = KINDS[opened.found.format]
    if reading not in kind.reads:
        wanted = "; ".join(one.title for one in readable(reading))
        raise FormatError(
            f"This is {kind.title}; a {reading} is wanted here, that is one of: {wanted}.",
            format=kind.id,
            reads=tuple(one.id for one in readable(reading)),
        )
    return opened


def is_lonely_pipe(path: Path) -> bool:
    """Whether opening it could wait for ever: a named pipe. Those of the shell (`/dev/stdin`, `/dev/fd/3`) have a writer."""
    return path.is_fifo() and not path.absolute().is_relative_to("/dev")


def _path(source: str | os.PathLike[str]) -> Path:
    try:
        return Path(source)
    except TypeError as error:
        raise FormatError(f"Give a path or bytes, not a value of type {type(source).__name__}.") from error


def _read_bytes(path: Path) -> bytes:
    try:
        if is_lonely_pipe(path):
            raise FormatError(f"`{path}` is a pipe, not a file. Save what it gives in a file first.", path=str(path))
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            check_size(size)
            data = file.read(limits.FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise FormatError(f"There is no file `{path}`. Look at the spelling and the folder.", path=str(path)) from error
    except IsADirectoryError as error:
        raise FormatError(f"`{path}` is a folder; name a file in it.", path=str(path)) from error
    except PermissionError as error:
        raise FormatError(f"The file `{path}` may not be read by this user.", path=str(path)) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(f"The file {str(path)!a} cannot be read: {reason}.", path=str(path)) from error
    check_size(len(data))
    return data
