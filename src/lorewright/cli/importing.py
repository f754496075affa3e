"""The commands `inspect` and `import`: what a file is, what is in it, and every file's account."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from lorewright.cli.files import about_file, write_bytes
from lorewright.cli.screen import Screen, count
from lorewright.core.authority import Tier, tier_of
from lorewright.core.model import ABSENT, Book, Report
from lorewright.errors import InputError, LorewrightError
from lorewright.fast.regexes import default_regexes
from lorewright.formats.card import Card
from lorewright.formats.inspect import Inspection, Note, inspect_file
from lorewright.formats.kinds import KINDS
from lorewright.formats.native.card_books import IMPORTED
from lorewright.formats.native.thing_tables import PRESET_FORMATS
from lorewright.formats.native.write import as_native, write_native
from lorewright.formats.persona import NamedPersona
from lorewright.formats.stash import take_stash
from lorewright.formats.things.thing import Thing
from lorewright.formats.write_thing import card_file, persona_file, preset_file

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
_ENDING: Final = ".yaml"
_UNSAFE: Final = re.compile(r"[^\w .()-]+")
_LONGEST_NAME: Final = 60


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
    elif isinstance(value, tuple):
        screen.line(f"Personas: {', '.join(persona.name or persona.picture for persona in value)}")
    elif isinstance(value, Card):
        screen.line("There is no lorebook in it.")
    ledger = found.ledger
    what = "persona" if isinstance(value, tuple) else "part" if isinstance(value, Thing) else "entry"
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


def import_files(
    paths: Sequence[str], folder: str, authority: Tier | None = None, *, with_secrets: bool = False
) -> list[ImportedFile]:
    """Import every file into the folder: books, cards, presets and personas in our own formats, and whatever has none as
    it is. Beside a card stands its file as it was. Nothing is written over.

    `authority` is the mark of books that have none of their own. Addresses and keys in presets are left out unless
    `with_secrets`.
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
        return [_import_file(path, into, authority, with_secrets=with_secrets) for path in following]


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


def _import_file(path: str, folder: Path, authority: Tier | None, *, with_secrets: bool) -> ImportedFile:
    try:
        with about_file(path):
            found = inspect_file(path, regexes=default_regexes())
    except LorewrightError as error:
        return ImportedFile(path, None, (), error.message)
    files, assumed = _files_of(found, path, authority, with_secrets=with_secrets)
    written: list[str] = []
    for stem, ending, data in files:
        target = _free(folder, stem, ending)
        write_bytes(str(target), data)
        written.append(str(target))
    return ImportedFile(path, found, tuple(written), assumed=assumed)


_File = tuple[str, str, bytes]
"""Name without its ending, ending, content."""


def _files_of(
    found: Inspection, path: str, authority: Tier | None, *, with_secrets: bool
) -> tuple[list[_File], Tier | None]:
    """The files that are made of one, and the tier that is assumed of the entries in them."""
    source = Path(path)
    value = found.value.value
    original = (source.stem, source.suffix, source.read_bytes())
    if isinstance(value, tuple):
        named = [(_stem_for(source.stem, persona, len(value)), persona) for persona in value]
        return [(stem, _ENDING, persona_file(persona)) for stem, persona in named], None
    if isinstance(value, Thing):
        if value.kind not in PRESET_FORMATS:
            return [original], None
        return [(source.stem, _ENDING, preset_file(value, with_secrets=with_secrets))], None
    book = _marked(take_stash(found.book), authority) if found.book is not None else None
    if isinstance(value, Card):
        files = [original, (source.stem, _ENDING, card_file(value, book))]
    else:
        assert book is not None
        files = [(source.stem, _ENDING, write_native(as_native(book)[0]).encode())]
    is_assumed = (
        book is not None and book.authority is ABSENT and not all(_says(entry.authority) for entry in book.entries)
    )
    return files, tier_of(ABSENT, book.source) if book is not None and is_assumed else None


def _stem_for(stem: str, persona: NamedPersona, number: int) -> str:
    """The name of a persona's file: that of the source if it is alone in there, else with what a name may have."""
    safe = _UNSAFE.sub("_", persona.name)[:_LONGEST_NAME].strip("_. ")
    return stem if number == 1 or not safe else f"{stem}-{safe}"


def _marked(book: Book, authority: Tier | None) -> Book:
    """The book with its source, and with the authority that the importer gives it. What it says itself wins."""
    if book.source is ABSENT:
        book = replace(book, source=IMPORTED)
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
