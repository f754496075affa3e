"""The list of trusted books, in a file of JSON: `{"books": {DIGEST: {"name": …, "file": …}}}`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lorewright.errors import InputError
from lorewright.formats.plain_json import as_json
from lorewright.formats.whole_file import read_object, write_bytes

__all__ = ["Consent", "read_consents", "write_consents"]


class Consent(NamedTuple):
    """A book that somebody trusts as it is: its name, and the file it was read from then."""

    name: str
    file: str


def read_consents(path: str | os.PathLike[str]) -> dict[str, Consent]:
    """The trusted books by digest (`core/consent.py`); none if there is no such file yet.

    Raises:
        InputError: the file is there but cannot be read, or is no such list.
    """
    path = os.fspath(path)
    if not Path(path).exists():
        return {}
    books = read_object(path).get("books")
    if not isinstance(books, Mapping):
        raise _no_list(path)
    found: dict[str, Consent] = {}
    for digest, value in books.items():
        match value:
            case {"name": str(name), "file": str(file)}:
                found[digest] = Consent(name, file)
            case _:
                raise _no_list(path)
    return found


def write_consents(path: str | os.PathLike[str], consents: Mapping[str, Consent]) -> None:
    """Write the list; its folder is made.

    Raises:
        InputError: it cannot be written.
    """
    books = {digest: consent._asdict() for digest, consent in sorted(consents.items(), key=lambda item: item[1])}
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: its folder cannot be made ({error.strerror or error}).", path=path) from None
    write_bytes(os.fspath(path), f"{as_json({'books': books})}\n".encode("utf-8", "surrogatepass"))


def _no_list(path: str) -> InputError:
    return InputError(f"{path}: it is no list of trusted books. Move it away, and trust your books again.", path=path)
