"""The command `vars`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lorewright.cli import options
from lorewright.cli.screen import Screen, print_json

__all__ = ["vars_command"]


def vars_command(
    *,
    chat: Annotated[str, typer.Argument(metavar="CHAT", help="The chat, in any form that `weave` takes.")],
    books: Annotated[
        list[str] | None,
        typer.Option(
            "--book",
            metavar="[SOURCE:]FILE",
            help="A book with `[initvar]` entries; may be repeated. SOURCE is global (the default) or character.",
        ),
    ] = None,
    card: Annotated[
        str | None, typer.Option("--card", metavar="FILE", help="The character card: its book comes behind the others.")
    ] = None,
    user: options.user_option = None,
    behaviour: Annotated[
        Literal["careful", "recorded"],
        typer.Option("--as", help="As we play a card, or with every slip of the script that it was made for."),
    ] = "careful",
    message: Annotated[
        int | None,
        typer.Option("--message", metavar="N", min=0, help="Show this message alone, counted from 0."),
    ] = None,
    as_json: options.as_json_option = False,
) -> None:
    """Print what an MVU card's commands in a chat do to its variables, message by message.

    Without initial values in a book, the first record that the chat itself keeps is where it begins.

    \b
    Examples:
      lorewright vars chat.jsonl --card hero.png
      lorewright vars chat.jsonl --book character:world.json --message 12
      lorewright vars chat.jsonl --json
    """
    from lorewright.cli.playing import play_chat, playing_object, show_playing

    playing = play_chat(
        options.Request(chat=chat, books=tuple(books or ()), card=card, user=user), as_recorded=behaviour == "recorded"
    )
    if as_json:
        print_json(playing_object(playing, message))
    else:
        show_playing(playing, message, Screen())
