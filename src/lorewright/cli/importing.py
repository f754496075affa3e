"""The commands `inspect` and `import`: what a file is, what is in it, and every file's account."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lorewright.cli.files import about_file, write_bytes, write_text
from lorewright.cli.screen import Screen, count
from lorewright.core.authority import Tier, tier_of
from lorewright.core.model import ABSENT, Book, Report
from lorewright.errors import InputError, LorewrightError
from lorewright.fast.regexes import default_regexes
from lorewright.formats.card import Card
from lorewright.formats.inspect import Inspection, Note, inspect_file
from lorewright.formats.kinds import KINDS
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.stash import take_stash

__all__ = [
    "ImportedFile",
    "import_files",
    "import_object",
    "inspection_object",
    "show_imports",
    "show_inspection",
]

_MANY: Final = 5
"""From so many files on there is a progress bar."""
_BOOK_ENDING: Final = ".yaml"
_SOURCE: Final = "user_import"


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What became of one file: its account, or why there is none; and what was written."""

    source: str
    inspection: Inspection | None
    written: tuple[str, ...] = ()
    problem: str = ""
    assumed: Tier | None = None
    """The tier of the entries of a book that says nothing about it."""


def inspection_object(found: Inspection) -> dict[str, object]:
    """The object of `inspect --json`."""
    ledger = found.ledger
    return {
        "format": found.format,
        "title": KINDS[found.format].title,
        "confidence": found.confidence,
        "rejected": [{"format": one.format, "reason": one.reason} for one in found.rejected],
        "entries": found.entries,
        "ledger": {
            "found": ledger.found,
            "imported": ledger.imported,
            "merged": ledger.merged,
            "skipped": ledger.skipped,
        },
        "reports": [
            {"code": note.code, "place": note.place, "reason": note.reason, "level": note.level}
            for note in found.reports
        ],
    }


def show_inspection(path: str, found: Inspection, screen: Screen) -> None:
    screen.line((f"== {path}: {KINDS[found.format].title}", "bold cyan"))
    screen.line(f"Format {found.format}, confidence {found.confidence:g}")
    value = found.value.value
    if isinstance(value, Card):
        screen.line(f"Character: {value.name}")
    if found.book is not None:
        screen.line(f"Book: {found.book.name}")
    elif isinstance(value, Card):
        screen.line("There is no lorebook in it.")
    ledger = found.ledger
    what = "part" if found.book is None and not isinstance(value, Card) else "entry"
    screen.line(
        f"{count(ledger.found, what)} found: {ledger.imported} imported, {ledger.merged} merged, "
        f"{ledger.skipped} skipped"
    )
    screen.findings(map(_as_report, found.reports))
    if found.rejected and found.confidence < 1:
        screen.line(("It is like these formats too, and is none of them:", "dim"))
        for one in found.rejected:
            screen.line((f"    {KINDS[one.format].title} ({one.format}): {one.reason}", "dim"))


def _as_report(note: Note) -> Report:
    level: Any = note.level
    return Report(code=note.code, message=note.reason, level=level, entry=note.place)


def import_files(paths: Sequence[str], folder: str, authority: Tier | None = None) -> list[ImportedFile]:
    """Import every file into the folder: books in our own format, anything else as it is. Nothing is written over.

    `authority` is the mark of books that have none of their own.
    A folder among the paths stands for the files in it, hidden ones and further folders left out.
    A file that cannot be imported is in the result with its problem, and the others go on.

    Raises:
        InputError: the folder cannot be made or written to, or one among the paths cannot be opened or has no files.
    """
    paths = [file for path in paths for file in _files(path)]
    into = Path(folder)
    try:
        into.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{folder}: the folder cannot be made: {reason}.", path=folder) from error
    with _progress(paths) as following:
        return [_import_file(path, into, authority) for path in following]


def _files(path: str) -> list[str]:
    """The path, or the files of a folder in the order of their names."""
    try:
        if not Path(path).is_dir():
            return [path]
        files = sorted(str(file) for file in Path(path).iterdir() if file.is_file() and not file.name.startswith("."))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the folder cannot be opened: {error}.", path=path) from error
    if not files:
        raise InputError(f"{path}: the folder has no files in it. Name one that has, or the files.", path=path)
    return files


@contextmanager
def _progress(paths: Sequence[str]) -> Iterator[Iterator[str]]:
    """The paths, with a bar that follows them if there are many and somebody is there to see it."""
    if len(paths) < _MANY or not (sys.stderr and sys.stderr.isatty()):
        yield iter(paths)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield iter(progress.track(paths, description="Importing"))


def _import_file(path: str, folder: Path, authority: Tier | None) -> ImportedFile:
    try:
        with about_file(path):
            found = inspect_file(path, regexes=default_regexes())
    except LorewrightError as error:
        return ImportedFile(path, None, (), error.message)
    written: list[str] = []
    assumed: Tier | None = None
    if found.book is None or isinstance(found.value.value, Card):
        source = Path(path)
        target = _free(folder, source.stem, source.suffix)
        write_bytes(str(target), source.read_bytes())
        written.append(str(target))
    if isinstance(found.book, Book):
        target = _free(folder, Path(path).stem, _BOOK_ENDING)
        book = _marked(take_stash(found.book), authority)
        write_text(str(target), write_native(as_native(book)[0]))
        written.append(str(target))
        if book.authority is ABSENT and not all(_says(entry.authority) for entry in book.entries):
            assumed = tier_of(ABSENT, book.source)
    return ImportedFile(path, found, tuple(written), assumed=assumed)


def _marked(book: Book, authority: Tier | None) -> Book:
    """The book with its source, and with the authority that the importer gives it. What it says itself wins."""
    if book.source is ABSENT:
        book = replace(book, source=_SOURCE)
    return book if authority is None or book.authority is not ABSENT else replace(book, authority=authority)


def _says(mark: object) -> bool:
    return isinstance(mark, str) and bool(mark.strip())


def _free(folder: Path, stem: str, ending: str) -> Path:
    """A file that is not there yet: equal names never overwrite each other."""
    number, path = 1, folder / f"{stem}{ending}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{ending}"
    return path


def show_imports(imported: Sequence[ImportedFile], screen: Screen) -> None:
    names = ("found", "imported", "merged", "skipped", "reports", "file")
    screen.table(names, map(_row, imported))
    done = [one.inspection for one in imported if one.inspection is not None]
    screen.line(f"{len(done)} of {count(len(imported), 'file')} imported")
    if any(inspection.reports for inspection in done):
        screen.line(("`lorewright inspect FILE` shows the reports of a file.", "dim"))
    for one in imported:
        if one.assumed is not None:
            screen.line(
                (f"{Path(one.source).name}: entries count as {one.assumed}; `--authority` says otherwise", "dim")
            )
        if one.problem:
            screen.line(("not imported", "bold red"), f": {one.problem}")


def _row(one: ImportedFile) -> tuple[str, ...]:
    name = Path(one.source).name
    if one.inspection is None:
        return (*["-"] * 5, f"{name}: not imported, see below")
    ledger = one.inspection.ledger
    numbers = (ledger.found, ledger.imported, ledger.merged, ledger.skipped, len(one.inspection.reports))
    return (*map(str, numbers), f"{name}: {KINDS[one.inspection.format].title}")


def import_object(imported: Sequence[ImportedFile]) -> list[dict[str, object]]:
    return [
        {
            "file": one.source,
            **(inspection_object(one.inspection) if one.inspection else {"problem": one.problem}),
            "written": list(one.written),
            **({"authority": one.assumed} if one.assumed else {}),
        }
        for one in imported
    ]
