"""The commands about books in our own format: `new`, `format`, `migrate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from lorewright.cli.files import about_file, check_free, read_text, write_bytes, write_text
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.core.model import Book, Report
from lorewright.errors import FormatError, InputError
from lorewright.formats.imported import Imported
from lorewright.formats.kinds import KINDS
from lorewright.formats.native.edit import format_native
from lorewright.formats.native.read import is_json, is_native_yaml, read_native_text
from lorewright.formats.native.write import Form, as_native, write_native
from lorewright.formats.read import read_book
from lorewright.formats.stash import take_stash
from lorewright.formats.write import convert

__all__ = ["Migration", "format_files", "make_book", "migrate", "migration_object", "show_migration"]

_START: Final = """\
# A lorebook for Lorewright. Write one entry for each thing that the model should know.
lorewright: 1
name: NAME

entries:
  - uid: 1
    title: An example
    # The entry is in the prompt while one of these words is in the newest messages.
    keys: [example]
    content: Write here what the model should know about it.
    # The text stands before the character (0); a higher order comes in first and stands nearer the chat.
    order: 100
    position: 0
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """What became of a book of another format: the account of reading it, and of writing it in ours."""

    source: str
    target: str
    read: Imported[Book]
    reports: tuple[Report, ...]


def make_book(path: str, name: str | None, *, force: bool) -> None:
    """Write a book with one entry, to be filled.

    Raises:
        InputError: the name does not end as books do, or the file is there already, or cannot be written.
    """
    form = _form(path, markdown=True)
    check_free(path, force=force)
    text = _START.replace("NAME", "x")
    book = read_native_text(text).value
    called = name or Path(path).stem or "book"
    renamed = Book(called, book.entries, book.extra)
    if form == "markdown":
        write_bytes(path, convert(renamed, "markdown_lorebook").data)
    elif form == "json":
        write_text(path, write_native(renamed, form))
    else:
        first_line = write_native(renamed).split("\n")[1]
        write_text(path, _START.replace("name: NAME", first_line))


def format_files(paths: Iterable[str], *, check: bool) -> dict[str, bool]:
    """Lay out books of ours in the canonical form; says of each file whether that changes it. `check` writes nothing.

    Raises:
        InputError: a file is no book of ours. Files before it are written.
    """
    changed: dict[str, bool] = {}
    for path in paths:
        text = read_text(path)
        with about_file(path):
            if not (is_json(text) or is_native_yaml(text)):
                raise FormatError("This is no Lorewright book. `lorewright migrate` makes one of other lorebooks.")
            new = format_native(text)
        changed[path] = new != text
        if changed[path] and not check:
            write_text(path, new)
    return changed


def migrate(source: str, target: str, *, force: bool) -> Migration:
    """Read a lorebook of any format and write it in ours: JSON if `target` ends in `.json`, else YAML.

    Raises:
        InputError: the book cannot be read, or the target is there already or cannot be written.
    """
    form: Form = "json" if _form(target) == "json" else "yaml"
    with about_file(source):
        read = read_book(source)
    check_free(target, force=force)
    book, moved = as_native(take_stash(read.value))
    write_text(target, write_native(book, form))
    return Migration(source, target, read, (*read.reports, *moved))


def show_migration(done: Migration, screen: Screen) -> None:
    read = done.read
    screen.line((f"== {done.source}: {KINDS[read.format].title}", "bold cyan"))
    screen.line(f"{count(read.found, 'entry')} found, {read.kept} kept, {read.refused} refused")
    screen.findings(done.reports)
    screen.line(f"Written: {done.target}")


def migration_object(done: Migration) -> dict[str, object]:
    return {
        "format": done.read.format,
        "written": done.target,
        "ledger": {"found": done.read.found, "kept": done.read.kept, "refused": done.read.refused},
        "reports": [report_object(report) for report in done.reports],
    }


def _form(path: str, *, markdown: bool = False) -> Form | Literal["markdown"]:
    """What the ending of a name says.

    Raises:
        InputError: it says something else.
    """
    ending = Path(path).suffix.lower()
    if ending in {".yaml", ".yml"}:
        return "yaml"
    if ending == ".json":
        return "json"
    if markdown and ending in {".md", ".markdown"}:
        return "markdown"
    wanted = ".yaml, .json or .md" if markdown else ".yaml or .json; `lorewright convert` writes other formats"
    raise InputError(f"{path}: the name of a Lorewright book ends in {wanted}.", path=path)
