"""The commands `export`, `convert` and `diff`: books into files of any format, and two books side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from lorewright.cli.files import about_file, check_free, write_bytes
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.core.model import ABSENT, Book, Entry, Report
from lorewright.errors import InputError
from lorewright.formats import limits
from lorewright.formats.compare import BookDifference, Change, compare_books
from lorewright.formats.kinds import KINDS
from lorewright.formats.lost_gates import GATE_LOST
from lorewright.formats.opened import Opened, is_lonely_pipe
from lorewright.formats.plain_json import as_json
from lorewright.formats.read import read_book
from lorewright.formats.write import TOO_LARGE, WRITERS, Converted, convert

__all__ = [
    "Export",
    "compare_files",
    "difference_object",
    "export_book",
    "export_object",
    "read_bytes",
    "refuse_lost_gates",
    "show_difference",
    "show_export",
]

_ENDINGS: Final[Mapping[str, str]] = {
    ".yaml": "native_yaml",
    ".yml": "native_yaml",
    ".md": "markdown_lorebook",
    ".lorebook": "novelai_lorebook",
    ".scenario": "novelai_story",
    ".story": "novelai_story",
    ".risum": "risum",
    ".json": "st_worldinfo",
}
"""What is written when only the name of the file says it."""


_LOSSES: Final = 40
"""So many losses are shown: one for each field that an entry can have."""
_FEW: Final = 3
"""So many formats are suggested at most."""


@dataclass(frozen=True, slots=True)
class Export:
    """What was read, what was written, and what of it is not in the new file."""

    source: str
    target: str
    read_as: str
    written_as: str
    entries: int
    losses: tuple[Report, ...]


def export_book(
    file: Opened, source: str, target: str, to: str | None, *, force: bool, without_gates: bool = False
) -> Export:
    """Write the book in a file, which was opened as `source`, as another file. The same format gives the file itself, byte for byte.

    Raises:
        InputError: the book cannot be read or written, `to` is no format that is written, the target is there, or gates
            would be lost and nobody said that this does not matter.
    """
    if to == "native":
        to = "native_json" if target.lower().endswith(".json") else "native_yaml"
    if to is not None and to not in WRITERS and to not in KINDS:
        raise InputError(f"`{to}` is no known format. {_suggest(to)}", writes=tuple(WRITERS))
    with about_file(source):
        read = read_book(file)
        wanted = to or _format_for(source, target, read.format)
        made = Converted(read_bytes(source)) if wanted == read.format else convert(read.value, wanted)
    refuse_lost_gates(made.losses, without_gates=without_gates)
    check_free(target, force=force)
    write_bytes(target, made.data)
    return Export(source, target, read.format, wanted, read.kept, made.losses)


def refuse_lost_gates(losses: Iterable[Report], *, without_gates: bool) -> None:
    """Raises:
    InputError: gates would be lost, and nobody said that this does not matter.
    """
    lost = next((report for report in losses if report.code == GATE_LOST), None)
    if lost is not None and not without_gates:
        raise InputError(f"{lost.message} Nothing is written; give --without-gates to write it all the same.")


def _suggest(to: str) -> str:
    near = [one for one in WRITERS if to.lower() in one] or get_close_matches(to.lower(), WRITERS, 3, 0.6)
    guess = f"Did you mean {' or '.join(f'`{one}`' for one in near)}? " if 0 < len(near) <= _FEW else ""
    return f"{guess}Choose one of: {', '.join(WRITERS)}."


def read_bytes(path: str) -> bytes:
    """The content of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if is_lonely_pipe(Path(path)):
            raise InputError(f"{path}: this is a pipe, not a file. Save what it gives in a file first.", path=path)
        with Path(path).open("rb") as file:
            return file.read(limits.FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: the file cannot be read: {reason}.", path=path) from error


def _format_for(source: str, target: str, read_as: str) -> str:
    ending = Path(target).suffix.lower()
    if ending == Path(source).suffix.lower():
        return read_as
    if ending not in _ENDINGS:
        raise InputError(
            f"`{target}` does not say which format is wanted. Give --to, with one of: {', '.join(WRITERS)}.",
            writes=tuple(WRITERS),
        )
    return _ENDINGS[ending]


def show_export(done: Export, screen: Screen) -> None:
    screen.line((f"== {done.source}: {KINDS[done.read_as].title}", "bold cyan"))
    screen.line(f"Written: {done.target}, {KINDS[done.written_as].title} with {count(done.entries, 'entry')}")
    lost = tuple(report for report in done.losses if report.code != TOO_LARGE)
    screen.findings(tuple(report for report in done.losses if report.code == TOO_LARGE))
    if lost:
        screen.line("Not in it:")
    screen.findings(lost, most=_LOSSES)


def export_object(done: Export) -> dict[str, object]:
    return {
        "read_as": done.read_as,
        "format": done.written_as,
        "written": done.target,
        "entries": done.entries,
        "losses": [report_object(loss) for loss in done.losses],
    }


def compare_files(before: str, after: str) -> BookDifference:
    """Compare the books in two files.

    Raises:
        InputError: one of them cannot be read.
    """
    books: list[Book] = []
    for path in (before, after):
        with about_file(path):
            books.append(read_book(path).value)
    return compare_books(*books)


def show_difference(found: BookDifference, screen: Screen) -> None:
    for entry in found.added:
        screen.line(("+ ", "green"), _title(entry))
    for entry in found.removed:
        screen.line(("- ", "red"), _title(entry))
    for entry, changes in found.changed:
        screen.line(("~ ", "yellow"), _title(entry))
        for change in changes:
            _show_change(change, screen)
    if found.book:
        screen.line(("~ ", "yellow"), "the book itself")
    for change in found.book:
        _show_change(change, screen)
    screen.line(f"{count(len(found.added), 'entry')} added, {len(found.removed)} removed, {len(found.changed)} changed")


def _title(entry: Entry) -> str:
    title = entry.title if isinstance(entry.title, str) else ""
    return f"{entry.uid} {title}".rstrip()


def _show_change(change: Change, screen: Screen) -> None:
    screen.line(f"    {change.field}: {_shown(change.before)} -> {_shown(change.after)}")


def _shown(value: object, most: int = 70) -> str:
    if value is ABSENT:
        return "(absent)"
    text = " ".join(as_json(value).split())
    return text if len(text) <= most else f"{text[:most]}…"


def difference_object(found: BookDifference) -> dict[str, object]:
    def changes(listed: tuple[Change, ...]) -> list[dict[str, object]]:
        return [
            {"field": one.field}
            | ({} if one.before is ABSENT else {"before": one.before})
            | ({} if one.after is ABSENT else {"after": one.after})
            for one in listed
        ]

    return {
        "added": [{"uid": entry.uid, "title": _plain_title(entry)} for entry in found.added],
        "removed": [{"uid": entry.uid, "title": _plain_title(entry)} for entry in found.removed],
        "changed": [
            {"uid": entry.uid, "title": _plain_title(entry), "fields": changes(listed)}
            for entry, listed in found.changed
        ],
        "book": changes(found.book),
    }


def _plain_title(entry: Entry) -> str:
    return entry.title if isinstance(entry.title, str) else ""
