"""Who the user is: the persona of a request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from lorewright.cli.files import about_file
from lorewright.core.layout.scene import Persona
from lorewright.core.model import Report
from lorewright.formats.persona import NamedPersona
from lorewright.formats.read import read_persona

__all__ = ["read_user"]

_LONGEST_PATH: Final = 400
_PLAIN: Final = ""
"""The format of a text that is nothing else; its file is not called after the user."""


def read_user(named: str | None, reports: list[Report]) -> NamedPersona:
    """The persona of `--persona`: the text itself, or that of a file behind `@` or of a file that is there; a file of several
    personas may be followed by `:NAME`.

    Raises:
        InputError: the file cannot be used.
    """
    path, name = _file_in(named) if named else (None, None)
    if path is None:
        return NamedPersona(name="", persona=Persona(text=named or ""))
    with about_file(path, "persona"):
        read = read_persona(path, name)
    reports += (replace(report, message=f"Persona: {report.message}") for report in read.reports)
    return replace(read.value, name="") if read.format == _PLAIN else read.value


def _file_in(named: str) -> tuple[str | None, str | None]:
    """The file that `--persona` names, and which of its personas; no file: it is a text."""
    word = named.removeprefix("@")
    if _is_file(word):
        return word, None
    path, colon, name = word.rpartition(":")
    if colon and _is_file(path):
        return path, name
    return (word, None) if named.startswith("@") else (None, None)


def _is_file(word: str) -> bool:
    try:
        return 0 < len(word) <= _LONGEST_PATH and "\n" not in word and Path(word).is_file()
    except (OSError, ValueError):
        return False
