"""The commands that forget: `forget` one conversation, `gc` what a rule says."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.cli import options
from lorewright.cli.screen import Screen, print_json

__all__ = ["forget_command", "gc_command"]

_ledger_option = Annotated[
    str | None,
    typer.Option("--ledger", metavar="FILE", help="The ledger. [default: that of the server's configuration]"),
]
_config_option = Annotated[
    str | None, typer.Option("--config", metavar="FILE", help="The server's configuration, which names the ledger.")
]
_stream_option = Annotated[str | None, typer.Option("--stream", metavar="NAME", help="Only this stream of the file.")]
_dry_run_option = Annotated[bool, typer.Option("--dry-run", help="Only say what would be forgotten.")]


def forget_command(
    *,
    conversation: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONVERSATION]",
            help="The id of one of its turns (`x-lorewright-turn`), its name (`x-lorewright-conversation`), or with "
            "--stream the number of a turn. Without it the conversations are listed.",
            show_default=False,
        ),
    ] = None,
    ledger: _ledger_option = None,
    config: _config_option = None,
    stream: _stream_option = None,
    dry_run: _dry_run_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Forget a conversation: all its turns, branches and replies. The chain of hashes still verifies.

    What another conversation says, too, stays; books and settings stay. A server may run meanwhile.

    \b
    Examples:
      lorewright forget
      lorewright forget 12-4be3d1c07f2a9d5e8c6b0a1f3e2d4c5b
      lorewright forget "my-session" --ledger gateway.ledger --dry-run
    """
    from lorewright.cli.forgetting import (
        find_conversation,
        forgetting_object,
        ledger_file,
        list_conversations,
        run,
        show_conversations,
        show_forgetting,
    )
    from lorewright.ledger.ledger import open_ledger

    with open_ledger(ledger_file(ledger, config), create=False) as opened:
        if conversation is None:
            found = list_conversations(opened, stream)
            if as_json:
                print_json(found)
            else:
                show_conversations(found, Screen())
            return
        done = run(opened, "forget", find_conversation(opened, conversation, stream), dry_run=dry_run)
    if as_json:
        print_json(forgetting_object(done, done=not dry_run))
    else:
        show_forgetting(done, Screen(), done=not dry_run)


def gc_command(
    *,
    older_than: Annotated[
        float | None,
        typer.Option("--older-than", metavar="DAYS", min=0, help="Conversations that had no turn for so many days."),
    ] = None,
    keep_turns: Annotated[
        int | None,
        typer.Option("--keep-turns", metavar="N", min=1, help="In each conversation all but the newest N turns."),
    ] = None,
    interrupted: Annotated[
        bool,
        typer.Option("--interrupted", help="Turns whose reply broke off or failed, and that nothing went on from."),
    ] = False,
    ledger: _ledger_option = None,
    config: _config_option = None,
    stream: _stream_option = None,
    dry_run: _dry_run_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Forget what the given rules say. The chain of hashes still verifies, and names what went by which rule.

    What a turn that stays needs, stays: conversations go on as they were. A server may run meanwhile.

    \b
    Examples:
      lorewright gc --older-than 90
      lorewright gc --keep-turns 50 --interrupted --dry-run
    """
    from lorewright.cli.forgetting import choose, forgetting_object, ledger_file, run, show_forgetting
    from lorewright.ledger.ledger import open_ledger

    with open_ledger(ledger_file(ledger, config), create=False) as opened:
        chosen = choose(opened, stream, older_than, keep_turns, interrupted=interrupted)
        done = [run(opened, rule, turns, dry_run=dry_run) for rule, turns in chosen]
    if as_json:
        print_json([forgetting_object(one, done=not dry_run) for one in done])
    else:
        for one in done:
            show_forgetting(one, Screen(), done=not dry_run)
