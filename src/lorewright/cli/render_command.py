"""The command `render`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lorewright.cli import options
from lorewright.cli.screen import Screen, print_json

__all__ = ["render_command"]

_DIALECTS = Literal["sillytavern", "sillytavern-legacy", "cbs", "rules", "host-strict", "bme"]


def render_command(
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT|BOOK", help="A text, or a lorebook or a card with one in it.")],
    dialect: Annotated[_DIALECTS, typer.Option("--dialect", help="Whose macros they are.")] = "sillytavern",
    variables: Annotated[
        str | None,
        typer.Option(
            "--vars",
            metavar="JSON|FILE",
            help='The variables, as a JSON object or a file with one: {"mood": "calm", "global:wins": 3}.',
        ),
    ] = None,
    clock: options.clock_option = None,
    seed: options.seed_option = "",
    user: options.user_option = None,
    char: Annotated[
        str | None,
        typer.Option("--char", metavar="NAME", help="The character's name. [default: the card's, else Character]"),
    ] = None,
    card: options.card_option = None,
    persona: options.persona_option = None,
    chat: Annotated[
        str | None,
        typer.Option("--chat", metavar="CHAT", help="The chat, in any form that `weave` takes. [default: no messages]"),
    ] = None,
    facts: options.facts_option = None,
    as_json: options.as_json_option = False,
) -> None:
    """Print what the macros of a text, or of all entries of a book, give, and what they read and write.

    Every text is rendered by itself: what one writes, the next one does not see.

    \b
    Examples:
      lorewright render "It is {{time}}, {{user}}." --clock 2026-11-30T18:05:00+01:00
      lorewright render "{{incvar::day}}" --vars '{"day": 3}' --json
      lorewright render world.json --dialect cbs --vars vars.json
      lorewright render "{{lastMessage}} {{model}}" --chat chat.jsonl --facts facts.yaml
    """
    from lorewright.cli.rendering import (
        read_host,
        read_texts,
        read_variables,
        render_texts,
        rendering_object,
        show_rendering,
    )

    texts, reports = read_texts(text)
    request = options.Request(
        chat=chat or "", card=card, persona=persona, user=user, seed=seed, clock=clock, facts=facts
    )
    turn, values, about_host = read_host(request, char, read_variables(variables))
    found = render_texts(texts, dialect, values, turn)
    reports += about_host
    if as_json:
        print_json(rendering_object(dialect, found, reports))
    else:
        show_rendering(found, reports, Screen())
