"""Which books may run code: what code a book has, the list of those that are trusted, and what it lets run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lorewright.cli.files import about_file
from lorewright.cli.screen import Screen, count
from lorewright.core.consent import book_digest
from lorewright.core.model import Book, Report
from lorewright.core.program import read_program
from lorewright.errors import InputError
from lorewright.formats.read import read_book
from lorewright.storage.consents import Consent, read_consents, write_consents
from lorewright.storage.trust import consents_path, has_code, trusted_books

__all__ = [
    "CodeEntry",
    "Trusted",
    "about_changed",
    "code_books",
    "consents_object",
    "list_consents",
    "show_consents",
    "show_trusted",
    "trust_book",
    "trusted_object",
    "withdraw",
]

_CALL: Final = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*)\s*\(")
_WORDS: Final = frozenset("if for while switch catch function return typeof await new async throw else do".split())


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """An entry with code: its id, its title, and the names that its code calls."""

    id: str
    title: str
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trusted:
    """A book that is trusted now, and what that means."""

    book: str
    digest: str
    entries: int
    code: tuple[CodeEntry, ...]
    kept_in: str
    before: tuple[str, ...]
    """Digests of the same file that were trusted before, and are no more."""
    has_engine: bool
    """Whether the engine that runs code is installed."""


def trust_book(path: str) -> Trusted:
    """Put a book into the list, as it is now; what the file was before is taken out.

    Raises:
        InputError: the file is no book, or the list cannot be read or written.
    """
    from lorewright.templates.ejs.process import engine_path

    with about_file(path, "book"):
        book = read_book(path).value
    digest, file = book_digest(book), str(Path(path).resolve())
    kept_in = consents_path()
    consents = read_consents(kept_in)
    before = tuple(other for other, consent in consents.items() if consent.file == file and other != digest)
    for other in before:
        del consents[other]
    write_consents(kept_in, {**consents, digest: Consent(book.name, file)})
    return Trusted(
        book.name, digest, len(book.entries), tuple(_code_in(book)), kept_in, before, engine_path() is not None
    )


def withdraw(path: str) -> tuple[Consent, ...]:
    """Take a book out of the list: by its file as it was named then, or by what is in it now.

    Raises:
        InputError: it is not in the list, or that cannot be read or written.
    """
    kept_in = consents_path()
    consents = read_consents(kept_in)
    file = str(Path(path).resolve())
    gone = {digest for digest, consent in consents.items() if file == consent.file or path == consent.name}
    if not gone and Path(path).exists():
        with about_file(path, "book"):
            gone = {book_digest(read_book(path).value)} & consents.keys()
    if not gone:
        raise InputError(
            f"{path}: no trusted book has this file or name. `lorewright trust --list` shows them.", path=path
        )
    write_consents(kept_in, {digest: consent for digest, consent in consents.items() if digest not in gone})
    return tuple(consents[digest] for digest in gone)


def list_consents() -> dict[str, Consent]:
    """The trusted books, by digest.

    Raises:
        InputError: the list cannot be read.
    """
    return read_consents(consents_path())


def code_books(books: Iterable[Book], named: Sequence[str]) -> tuple[str, ...]:
    """The names of the books whose code may run in a request.

    Raises:
        InputError: a name of `named` is no book's, or the list of trusted books cannot be read.
    """
    books = tuple(books)
    names = {book.name for book in books}
    if unknown := [name for name in named if name not in names]:
        known = ", ".join(f"`{name}`" for name in sorted(names))
        raise InputError(f"--trust {unknown[0]}: no book of this name takes part. Those that do: {known}.")
    return trusted_books(books, named)


def about_changed(books: Iterable[tuple[Book, str]], trusted: Iterable[str]) -> Iterator[Report]:
    """Which of the books, each with its file, were trusted and are not what they were then.

    Raises:
        InputError: the list of trusted books cannot be read.
    """
    refused = [(book, file) for book, file in books if book.name not in trusted and any(map(has_code, book.entries))]
    if not refused:
        return
    consents = read_consents(consents_path())
    known = {consent.file for consent in consents.values()}
    for book, file in refused:
        if str(Path(file).resolve()) in known and book_digest(book) not in consents:
            message = (
                f"`{book.name}` was trusted, and has changed since (by an edit or an overlay), so its code does not run. "
                f"Look at what changed, then trust it again: `lorewright trust {file}`."
            )
            yield Report(code="trust_outdated", message=message, book=book.name)


def _code_in(book: Book) -> Iterable[CodeEntry]:
    from lorewright.templates.ejs.tags import split_tags

    for entry in book.entries:
        if not has_code(entry):
            continue
        content = entry.content if isinstance(entry.content, str) else ""
        title = entry.title if isinstance(entry.title, str) else ""
        program = read_program(content, title)
        code = [piece.text for piece in split_tags(content) if piece.kind in {"code", "output"}]
        code += [program.condition] if program else []
        calls = {name for text in code for name in _CALL.findall(text)} - _WORDS
        yield CodeEntry(f"{book.name}.{entry.uid}", title, tuple(sorted(calls)))


# -- for people and programs -------------------------------------------------------------------------------------------


def show_trusted(trusted: Trusted, screen: Screen) -> None:
    """Say what may run now."""
    from lorewright.templates.ejs.refusals import SENTENCES

    screen.line(f"Trusted: {trusted.book}. Code is in {len(trusted.code)} of {count(trusted.entries, 'entry')}.")
    for entry in trusted.code:
        calls = f" calls {', '.join(entry.calls)}" if entry.calls else ""
        screen.line(f"  {entry.id} {entry.title}".rstrip() + calls)
    if trusted.code and not trusted.has_engine:
        screen.line(f"No code runs yet. {SENTENCES['engine_missing']}")
    if trusted.before:
        screen.line("What the file was when you trusted it before is not trusted any more.")
    screen.line("An edit of the book withdraws this. `lorewright trust --withdraw FILE` does, too.")


def trusted_object(trusted: Trusted) -> dict[str, object]:
    """The same as `trust --json` prints it."""
    return {
        "book": trusted.book,
        "digest": trusted.digest,
        "entries": trusted.entries,
        "code": [{"entry": one.id, "title": one.title, "calls": list(one.calls)} for one in trusted.code],
        "file": trusted.kept_in,
        "engine": trusted.has_engine,
        "replaced": list(trusted.before),
    }


def show_consents(consents: dict[str, Consent], screen: Screen) -> None:
    """List the trusted books."""
    if not consents:
        screen.line("No book is trusted.")
    for digest, consent in sorted(consents.items(), key=lambda item: item[1]):
        screen.line(f"{consent.name}  {consent.file}  {digest[:12]}")


def consents_object(consents: dict[str, Consent]) -> dict[str, object]:
    """The same as `trust --list --json` prints it."""
    return {"books": [{"book": one.name, "file": one.file, "digest": digest} for digest, one in consents.items()]}
