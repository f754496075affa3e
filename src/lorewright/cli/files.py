"""Small files of the command line: texts and JSON in, JSON out. Whatever goes wrong is an `InputError`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lorewright.errors import FormatError, InputError, LorewrightError
from lorewright.formats import limits
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS, Reading
from lorewright.formats.opened import is_lonely_pipe
from lorewright.formats.strict_json import parse_json
from lorewright.formats.text import decode_text
from lorewright.formats.whole_file import write_bytes

__all__ = ["about_file", "check_free", "looks_like_file", "read_object", "read_text", "write_bytes", "write_text"]


_WANTED: Final[Mapping[Reading, str]] = {
    "book": "a lorebook or a character card; `lorewright inspect FILE` says what a file is",
    "card": "a character card",
    "thing": "a preset, a template or a script",
    "chat": "a SillyTavern chat (.jsonl), a JSON list of messages, or a request body",
}
_NEAREST_TEXTS: Final = " Nearest of the formats of text are "


@contextmanager
def about_file(path: str, reading: Reading | None = None) -> Iterator[None]:
    """Put the file's path before the message of any error that happens inside and does not name it.

    `reading`: what the file was to be read as. If it is something else, the message says in short what is wanted.
    """
    try:
        yield
    except LorewrightError as error:
        if path in error.message:
            raise
        wrong = isinstance(error, FormatError) and error.facts.keys() & {"reads", "nearest"}
        message = _tell_wanted(error, reading) if wrong and reading else error.message
        raise InputError(f"{path}: {message}", **{**error.facts, "path": path}) from error


def _tell_wanted(error: LorewrightError, reading: Reading) -> str:
    """What the file is, and what is wanted in its place, instead of everything that is read anywhere."""
    kind = KINDS.get(str(error.facts.get("format")))
    if kind is None:
        found = error.message.partition(_NEAREST_TEXTS)[0]
    elif kind.reads:
        found = f"This is {kind.title}."
    else:
        found = f"This is {kind.title}, which this version does not read."
    return f"{found} Wanted here: {_WANTED[reading]}."


def looks_like_file(word: str) -> bool:
    """Whether a word of the command line names a file, be it there or not, and not an entry."""
    try:
        return Path(word).suffix.lower() in {".json", ".png"} or Path(word).exists()
    except (OSError, ValueError):
        return False


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


def check_free(path: str, *, force: bool) -> None:
    """Refuse to write over a file.

    Raises:
        InputError: it is there already, and nobody said that this does not matter; or its name can be none.
    """
    if not path:
        raise InputError("The name of the file to write is empty.", path=path)
    try:
        is_there = Path(path).exists()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be written: {reason}.", path=path) from error
    if is_there and not force:
        raise InputError(f"{path}: the file is there already. Name another one, or give --force.", path=path)
