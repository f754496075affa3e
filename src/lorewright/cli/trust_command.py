"""The command `trust`."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.cli import options
from lorewright.cli.screen import Screen, print_json
from lorewright.errors import InputError

__all__ = ["trust_command"]


def trust_command(
    *,
    book: Annotated[
        str | None, typer.Argument(metavar="BOOK", help="A lorebook, or a card with one in it. Not needed with --list.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Trust the book no longer.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="Show the trusted books.")] = False,
    as_json: options.as_json_option = False,
) -> None:
    """Let the code in a book's entries run from now on, as long as nobody edits the book.

    \b
    Examples:
      lorewright trust hero.png
      lorewright trust --list
      lorewright trust hero.png --withdraw
    """
    from lorewright.cli import trusting

    screen = Screen()
    if show_list:
        consents = trusting.list_consents()
        print_json(trusting.consents_object(consents)) if as_json else trusting.show_consents(consents, screen)
        return
    if book is None:
        raise InputError("No book is named. Give a BOOK, or --list.")
    if withdraw:
        gone = trusting.withdraw(book)
        if as_json:
            print_json({"withdrawn": [consent.name for consent in gone]})
        else:
            screen.line(f"Not trusted any more: {', '.join(consent.name for consent in gone)}.")
        return
    trusted = trusting.trust_book(book)
    print_json(trusting.trusted_object(trusted)) if as_json else trusting.show_trusted(trusted, screen)
