"""The command `task-prompt`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lorewright.cli import options
from lorewright.cli.options import Request, asking
from lorewright.cli.screen import Screen, print_json

__all__ = ["task_prompt_command"]

_WITHOUT = (
    "book",
    "members",
    "presets",
    "profile",
    "placement",
    "settings",
    "context_tokens",
    "counter",
    "state",
    "engine",
    "scenes",
    "trigger",
    "raw_chat",
    "facts",
)


@asking(without=_WITHOUT)
def task_prompt_command(
    request: Request,
    *,
    profile: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE",
            help="A task (extract, recall, compress, synopsis, summary_rollup, reflection, consolidation, planner), or a "
            "file with a profile of one.",
        ),
    ],
    settings: Annotated[
        str | None,
        typer.Option("--settings", metavar="FILE", help="Settings of tasks as a JSON object, with their profiles."),
    ] = None,
    filter_mode: Annotated[
        Literal["default", "custom"] | None,
        typer.Option("--filter", help="What is kept from the task. [default: as the profile or the settings say]"),
    ] = None,
    keywords: Annotated[
        str | None,
        typer.Option("--keywords", metavar="WORDS", help="For the custom filter: words in titles, with commas."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option("--context", metavar="FILE", help="More for the blocks to show, as a JSON object."),
    ] = None,
    message: Annotated[
        str | None,
        typer.Option("--message", metavar="TEXT", help="The user's message. [default: their newest one in the chat]"),
    ] = None,
    fallback: Annotated[
        str, typer.Option("--fallback", metavar="TEXT", help="Said for the user if nothing else of theirs is left.")
    ] = "",
    run_code: Annotated[
        bool, typer.Option("--run-code", help="Run the code (EJS) in the books, this once; you trust all of them.")
    ] = False,
    repaired: Annotated[bool, typer.Option("--repaired", help="Without the defects of the recorded program.")] = False,
    as_json: options.as_json_option = False,
) -> None:
    """Print the prompt of a task over world books: its messages, and what each stage took out.

    \b
    Examples:
      lorewright task-prompt recall --book world.json --chat chat.jsonl
      lorewright task-prompt recall --book world.json --chat chat.jsonl --filter custom --keywords "BME,notes"
      lorewright task-prompt profile.json --card hero.png --chat chat.jsonl --settings bme.json --json
    """
    from lorewright.cli.task_screen import show_task, task_object
    from lorewright.cli.tasking import TaskOptions, prepare_task

    task = prepare_task(
        request,
        TaskOptions(
            profile=profile,
            settings=settings,
            filter_mode=filter_mode,
            keywords=keywords,
            context=context,
            message=message,
            fallback=fallback,
            run_code=run_code,
            repaired=repaired,
        ),
    )
    if as_json:
        print_json(task_object(task))
    else:
        show_task(task, Screen())
