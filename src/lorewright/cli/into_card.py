"""The command `export --into`: an edited book into the card that holds it."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.cli.exporting import difference_object, read_bytes, refuse_lost_gates, show_difference
from lorewright.cli.files import about_file, check_free, write_bytes
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen
from lorewright.errors import InputError
from lorewright.formats.kinds import KINDS
from lorewright.formats.read import read_book
from lorewright.formats.write_book import WrittenBook, write_book

__all__ = ["IntoCard", "export_into", "into_object", "show_into"]


@dataclass(frozen=True, slots=True)
class IntoCard:
    """What was read, into which card, where it was written, and what changed."""

    source: str
    target: str
    read_as: str
    made: WrittenBook


def export_into(source: str, card: str, target: str | None, *, force: bool, without_gates: bool = False) -> IntoCard:
    """Put the book of a file into a card, and write that as `target`; without a target into the card's own file.

    Raises:
        InputError: the book or the card cannot be read or written; the target is there already, none is named, or gates
            would be lost, and nobody said that this does not matter.
    """
    if target is None and not force:
        raise InputError(
            f"{card}: name a file for the new card (OUT), or give --force to change this one itself.", path=card
        )
    with about_file(source, "book"):
        read = read_book(source)
    with about_file(card, "card"):
        made = write_book(read_bytes(card), read.value)
    refuse_lost_gates(made.losses, without_gates=without_gates)
    written = card if target is None else target
    check_free(written, force=force)
    write_bytes(written, made.data)
    return IntoCard(source, written, read.format, made)


def show_into(done: IntoCard, screen: Screen) -> None:
    screen.line((f"== {done.source}: {KINDS[done.read_as].title}", "bold cyan"))
    show_difference(done.made.changes, screen)
    screen.line(f"Written: {done.target}, {KINDS[done.made.format].title}")
    screen.findings(done.made.losses)


def into_object(done: IntoCard) -> dict[str, object]:
    return {
        "read_as": done.read_as,
        "format": done.made.format,
        "written": done.target,
        "changes": difference_object(done.made.changes),
        "losses": [report_object(loss) for loss in done.made.losses],
    }
