"""The commands about a ledger: what was sent, why, whether it can be repeated, and whether it is whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from lorewright.cli import options
from lorewright.cli.exit_codes import FINDINGS
from lorewright.cli.fact_commands import facts
from lorewright.cli.screen import Screen, count, print_json

__all__ = ["ledger"]

ledger = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="What was sent, why, and whether it can be proved; `weave --ledger FILE` writes such a file.",
)

_file = Annotated[str, typer.Argument(metavar="FILE", help="A ledger.")]
_turn = Annotated[int, typer.Argument(metavar="TURN", help="The number of a turn, as `ledger list` shows it.")]
_stream = Annotated[str, typer.Option("--stream", metavar="NAME", help="Which stream of the file.")]
_MAIN = "main"


def _open(file: str, stream: str) -> Any:
    from lorewright.cli.ledgers import open_stream

    return open_stream(file, stream)


def _open_whole(file: str, stream: str = _MAIN) -> Any:
    """For what looks at all streams; this one need not be there."""
    from lorewright.ledger.ledger import open_ledger

    return open_ledger(file, stream, create=False)


@ledger.command("list")
def list_command(*, file: _file, stream: _stream = _MAIN, as_json: options.as_json_option = False) -> None:
    """List the turns.

    \b
    Examples:
      lorewright ledger list chat.ledger
      lorewright ledger list chat.ledger --json
    """
    from lorewright.cli.ledgers import list_turns, show_turns

    with _open(file, stream) as opened:
        turns = list_turns(opened)
    if as_json:
        print_json(turns)
    else:
        show_turns(turns, Screen())


@ledger.command("show", short_help="Print the messages of a turn as they were sent.")
def show_command(*, file: _file, turn: _turn, stream: _stream = _MAIN, as_json: options.as_json_option = False) -> None:
    """Print the messages of a turn as they were sent, and whose each piece is. An erased text is shown as `(erased)`.

    \b
    Examples:
      lorewright ledger show chat.ledger 3
      lorewright ledger show chat.ledger 3 --json
    """
    from lorewright.cli.ledgers import show_sent
    from lorewright.ledger.objects import sent_objects

    with _open(file, stream) as opened:
        messages = [opened.texts.get_left(line) for line in opened.lines(turn).sent]
    if as_json:
        print_json(list(sent_objects(messages)))
    else:
        show_sent(messages, Screen())


@ledger.command("why")
def why_command(
    *,
    file: _file,
    entry: Annotated[str, typer.Argument(metavar="ENTRY", help="An entry's id (book.uid), uid or title.")],
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="Which turn. [default: the last]")] = None,
    spoilers: options.spoilers_option = False,
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Say why an entry was in a turn, or why not. The turn is assembled again for it.

    \b
    Examples:
      lorewright ledger why chat.ledger isles.4 --turn 12
      lorewright ledger why chat.ledger "The drowned bell" --json
    """
    from lorewright.cli.ledgers import show_why
    from lorewright.cli.lookup import find_entry
    from lorewright.ledger.objects import why_object
    from lorewright.ledger.replay import Replayer
    from lorewright.ledger.why import why

    with _open(file, stream) as opened:
        number = opened.count_turns() if turn is None else turn
        replayer = Replayer(opened)
        woven = replayer.weave(number)[1]
        trace = woven.assembly.trace
        found = why(opened, find_entry(entry, trace.lore, spoilers=spoilers), number, replayer)
    if spoilers:
        found = replace(found, verdict=trace.spoil(found.verdict, woven.turn))
    if as_json:
        print_json(why_object(found))
    else:
        show_why(found, Screen())


@ledger.command("diff", short_help="Say how much of a turn's request a later one keeps.")
def diff_command(
    *,
    file: _file,
    first: _turn,
    second: _turn,
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Say how much of a turn's request a later one begins with, and which entry or rule moved the rest.

    Ends with exit code 1 if something was moved.

    \b
    Examples:
      lorewright ledger diff chat.ledger 11 12
      lorewright ledger diff chat.ledger 11 12 --json
    """
    from lorewright.cli.ledgers import show_difference
    from lorewright.ledger.difference import compare_turns
    from lorewright.ledger.objects import difference_object
    from lorewright.ledger.replay import Replayer

    with _open(file, stream) as opened:
        found = compare_turns(opened, first, second, Replayer(opened).tools(second).counter)
    if as_json:
        print_json(difference_object(found))
    else:
        show_difference(found, Screen())
    if found.kept.first_difference is not None:
        raise typer.Exit(FINDINGS)


@ledger.command("replay", short_help="Assemble the turns again, and compare.")
def replay_command(
    *,
    file: _file,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="Only this turn. [default: all]")] = None,
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Assemble the turns again from what went in, and compare with the hash of what was sent.

    Ends with exit code 1 if a turn comes out differently.

    \b
    Examples:
      lorewright ledger replay chat.ledger
      lorewright ledger replay chat.ledger --turn 12 --json
    """
    from lorewright.cli.ledgers import show_replayed
    from lorewright.ledger.objects import replayed_object
    from lorewright.ledger.replay import Replayer

    with _open(file, stream) as opened:
        replayer = Replayer(opened)
        found = list(replayer.run()) if turn is None else [replayer.replay(turn)]
    if as_json:
        print_json([replayed_object(one) for one in found])
    else:
        show_replayed(found, Screen())
    if any(one.outcome == "different" for one in found):
        raise typer.Exit(FINDINGS)


@ledger.command("verify", short_help="Check everything against the chain of hashes.")
def verify_command(
    *,
    file: _file,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="HASH", help="A hash that was noted earlier; it must still be in the chain."),
    ] = None,
    as_json: options.as_json_option = False,
) -> None:
    """Check every event, text and node of all streams against the chain of hashes.

    Ends with exit code 1 if anything is not as it was recorded; the event that it shows at is named.

    \b
    Examples:
      lorewright ledger verify chat.ledger
      lorewright ledger verify chat.ledger --head 5f3c…
    """
    from lorewright.cli.ledgers import show_verified, verified_object
    from lorewright.ledger.verify import verify

    with _open_whole(file) as opened:
        found = verify(opened.store, head)
    if as_json:
        print_json(verified_object(found))
    else:
        show_verified(found, Screen())
    if found.problems:
        raise typer.Exit(FINDINGS)


@ledger.command("export")
def export_command(
    *,
    file: _file,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The JSON file to write.")],
    redact: Annotated[
        bool, typer.Option("--redact", help="Without texts: what happened, but not what was said.")
    ] = False,
    spoilers: Annotated[
        bool, typer.Option("--spoilers", help="With --redact: show closed entries like the others.")
    ] = False,
    stream: _stream = _MAIN,
    force: options.force_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Write a stream as one file to share. Keys and passwords are removed.

    \b
    Examples:
      lorewright ledger export chat.ledger chat.json
      lorewright ledger export chat.ledger report.json --redact
    """
    from lorewright.cli.files import check_free, write_text
    from lorewright.formats.plain_json import as_json as to_json
    from lorewright.ledger.export import export, export_redacted

    check_free(out, force=force)
    with _open(file, stream) as opened:
        turns = opened.count_turns()
        made = export_redacted(opened, spoilers=spoilers) if redact else export(opened)
    write_text(out, to_json(made) + "\n")
    if as_json:
        print_json({"file": out, "turns": turns, "redacted": redact})
    else:
        Screen().line(f"{out}: {count(turns, 'turn')}{', redacted' if redact else ''}")


@ledger.command("erase")
def erase_command(
    *,
    file: _file,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="A turn; with --message or --reply.")] = None,
    message: Annotated[
        int | None, typer.Option("--message", metavar="M", help="The client's message at this place, from 0.")
    ] = None,
    reply: Annotated[bool, typer.Option("--reply", help="The replies to the turn.")] = False,
    entry: Annotated[
        str | None, typer.Option("--entry", metavar="ID", help="An entry (book.uid): all versions, wherever it stood.")
    ] = None,
    containing: Annotated[
        str | None, typer.Option("--containing", metavar="TEXT", help="Every text that contains this one.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it only say what would be erased.")] = False,
    stream: _stream = _MAIN,
    as_json: options.as_json_option = False,
) -> None:
    """Forget a text for good. The chain still verifies; turns that depend on the text can no longer be repeated.

    \b
    Examples:
      lorewright ledger erase chat.ledger --turn 3 --message 4
      lorewright ledger erase chat.ledger --containing "12 Mill Lane" --yes
    """
    from lorewright.cli.ledgers import erasure_object, show_erasure, wanted_texts
    from lorewright.ledger.erase import erase, plan

    with (_open_whole if containing else _open)(file, stream) as opened:
        texts = wanted_texts(opened, turn, message, reply, entry, containing)
        found = erase(opened, texts) if yes else plan(opened, texts)
    if as_json:
        print_json(erasure_object(found, done=yes))
    else:
        show_erasure(found, Screen(), done=yes)


ledger.add_typer(facts)
