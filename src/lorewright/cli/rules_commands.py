"""The commands about rules files: `rules check`, `rules show`, `rules render`."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.cli import options
from lorewright.cli.exit_codes import FINDINGS
from lorewright.cli.screen import Screen, count, print_json

__all__ = ["rules"]

rules = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Texts put into an agent's prompt by a file.")
_file = Annotated[str, typer.Argument(metavar="FILE", help="A rules file, JSON or YAML.")]


@rules.command("check", short_help="Say what is wrong with a rules file.")
def check_command(*, file: _file, as_json: options.as_json_option = False) -> None:
    """Say what is wrong with a rules file, and which entries take another channel than they ask for.

    Ends with exit code 1 if there is a finding of level warning or error.

    \b
    Examples:
      lorewright rules check lorebook-prompt.json
      lorewright rules check rules.yaml --json
    """
    from lorewright.cli.plain_json import report_object
    from lorewright.cli.ruling import read_ruleset

    reports = read_ruleset(file).reports
    if as_json:
        print_json([report_object(report) for report in reports])
    else:
        screen = Screen()
        screen.line((f"== {file}: {count(len(reports), 'finding')}", "bold cyan"))
        screen.findings(reports)
    if any(report.level != "info" for report in reports):
        raise typer.Exit(FINDINGS)


@rules.command("show", short_help="List the entries of a rules file in their order.")
def show_command(*, file: _file, as_json: options.as_json_option = False) -> None:
    """List the entries of a rules file in the order of their sections, with the channel that each takes.

    \b
    Examples:
      lorewright rules show lorebook-prompt.json
      lorewright rules show rules.yaml --json
    """
    from lorewright.cli.ruling import read_ruleset, ruleset_object, show_ruleset

    ruleset = read_ruleset(file)
    if as_json:
        print_json(ruleset_object(ruleset))
    else:
        show_ruleset(ruleset, Screen())


@rules.command("render", short_help="Print what a rules file puts into the next request.")
def render_command(
    *,
    file: _file,
    chat: options.chat_option,
    seed: options.seed_option = "",
    turn: Annotated[
        int | None,
        typer.Option(
            "--turn", metavar="N", min=0, help="The number of the turn, for draws. [default: the user's messages]"
        ),
    ] = None,
    as_json: options.as_json_option = False,
) -> None:
    """Print what a rules file puts into the next request of a chat, and why the other entries are not active.

    \b
    Examples:
      lorewright rules render rules.yaml --chat chat.jsonl
      lorewright rules render rules.yaml --chat request.json --seed sess-1 --turn 3 --json
    """
    from lorewright.cli.ruling import render_rules, rendering_object, show_rendering

    done = render_rules(file, chat, seed, turn)
    if as_json:
        print_json(rendering_object(done))
    else:
        show_rendering(done, Screen())
