"""Small files of the command line: texts and JSON in, JSON out. Whatever goes wrong is an `InputError`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lorewright.errors import FormatError, InputError, LorewrightError
from lorewright.formats.kinds import KINDS, Reading
from lorewright.formats.whole_file import read_object, read_text, write_bytes

__all__ = ["about_file", "check_free", "looks_like_file", "read_object", "read_text", "write_bytes", "write_text"]


_WANTED: Final[Mapping[Reading, str]] = {
    "book": "a lorebook or a character card; `lorewright inspect FILE` says what a file is",
    "card": "a character card",
    "thing": "a preset, a template or a script",
    "persona": "a persona: ours, SillyTavern's backup of personas, or any text",
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
