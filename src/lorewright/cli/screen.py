"""Printing for people: whatever a book holds, it reaches the terminal as visible text and nothing else."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import TextIOWrapper

from rich.console import Console
from rich.text import Text

from lorewright.core.model import Report
from lorewright.formats.plain_json import as_json

__all__ = ["Screen", "count", "forget_output", "prepare_streams", "print_error", "print_json", "visible"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LEVELS = {"error": "bold red", "warning": "yellow", "info": "dim"}
_SHOWN_PER_CODE = 3
"""So many reports of one kind are shown to a person; a program gets all of them."""


def visible(text: str) -> str:
    """The text with control characters, direction marks and lone surrogates as escapes; line ends and tabs stay."""
    return _HIDDEN.sub(_escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def prepare_streams() -> None:
    """Characters that the terminal's encoding lacks are printed as escapes, not as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_output() -> None:
    """Let what is still in the buffer of an output that takes nothing more go nowhere; it would raise at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(value: object) -> None:
    """Print JSON: UTF-8 where the output is UTF-8, pure ASCII where it is anything else."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-")
    print(as_json(value, ascii_only=encoding not in {"utf-8", "utf8"}))


def print_error(message: str) -> None:
    if sys.stderr is not None:  # `print` would take the output in its place
        print(f"Error: {visible(message)}", file=sys.stderr)


class Screen:
    """Lines for a person, with styles where the output is a terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Print one line (or a text of several) made of plain and of (text, style) parts."""
        text = Text()
        for part in parts:
            words, style = (part, "") if isinstance(part, str) else part
            text.append(visible(words), style)
        self._console.print(text, soft_wrap=True)

    def table(self, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print rows under names. Numbers stand to the right; the last column may be of any length, and is never cut."""
        listed = [[visible(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(names, *listed, strict=True)][:-1]
        self.line(("  ".join([*map(str.rjust, names, widths), names[-1]]), "bold cyan"))
        for row in listed:
            self.line("  ".join([*map(_aligned, row, widths), row[-1]]))

    def heading(self, title: str) -> None:
        self.line()
        self.line((f"== {title}", "bold cyan"))

    def text(self, text: str) -> None:
        """Print a text of a book, indented so that nothing in it looks like a line of ours."""
        self.line("\n".join("    " + line for line in visible(text).split("\n")))

    def reports(self, reports: Sequence[Report]) -> None:
        """Print reports, the first few of each code; those of level info are only counted."""
        serious = [report for report in reports if report.level != "info"]
        quiet = len(reports) - len(serious)
        if serious:
            self.heading("Reports")
        self.findings(serious)
        if quiet:
            self.line()
            self.line((f"{count(quiet, 'more report')} of level info; --json lists them.", "dim"))

    def findings(self, reports: Iterable[Report], most: int = _SHOWN_PER_CODE) -> None:
        """Print reports, the first few of each code."""
        seen: dict[str, int] = {}
        for report in reports:
            seen[report.code] = seen.get(report.code, 0) + 1
            if seen[report.code] <= most:
                place = " ".join(part for part in (report.entry or report.book, report.field) if part)
                where = f"{place}: " if place else ""
                self.line((report.level, _LEVELS[report.level]), f": {where}{report.message} [{report.code}]")
        for code, number in seen.items():
            if number > most:
                self.line((f"... and {number - most} more of [{code}]; --json lists them.", "dim"))


def _aligned(cell: str, width: int) -> str:
    return cell.rjust(width) if cell.isdigit() or cell == "-" else cell.ljust(width)


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 entry`, `2 entries`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"
