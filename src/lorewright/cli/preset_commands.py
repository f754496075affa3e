"""The commands about presets: `preset lint`."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.cli import options
from lorewright.cli.exit_codes import FINDINGS
from lorewright.cli.screen import Screen, print_json

__all__ = ["presets"]

presets = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="What a preset sends, and what it costs.")


@presets.callback()
def about() -> None:
    """What a preset sends, and what it costs."""


@presets.command("lint", short_help="Say what a preset costs in cache, and what in it cannot work.")
def lint_command(
    *,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A preset, a prompt manager's export, or a template of SillyTavern.")
    ],
    context_tokens: Annotated[
        int | None,
        typer.Option("--context-tokens", metavar="N", min=1, help="The model's context. [default: the preset's own]"),
    ] = None,
    counter: options.counter_option = "estimate",
    as_json: options.as_json_option = False,
) -> None:
    """Say what a preset costs in cache, and what in it cannot work as it is written.

    Lists the prompts in the order in which they are sent, with their tokens and where they stand. Ends with exit code 1 if there is a finding of level warning or error.

    \b
    Examples:
      lorewright preset lint Default.json
      lorewright preset lint Default.json --counter o200k --json
    """
    from lorewright.cli.preset_linting import lint_file, linted_object, show_linted

    linted = lint_file(file, counter, context_tokens)
    if as_json:
        print_json(linted_object(linted))
    else:
        show_linted(linted, Screen())
    if any(finding.level != "info" for finding in linted.checked.findings):
        raise typer.Exit(FINDINGS)
