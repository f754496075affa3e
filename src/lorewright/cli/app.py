"""The commands and what they share: options in, exit code out.

Exit codes: 0 done; 1 `check` found something, `diff` a difference, `format --check`
a file to change, or a case failed; 2 something that was given cannot be used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lorewright.cli import book_commands, ledger_commands, options, preset_commands, rules_commands
from lorewright.cli.exit_codes import BAD_INPUT, FINDINGS
from lorewright.cli.forget_commands import forget_command, gc_command
from lorewright.cli.mvu_commands import vars_command
from lorewright.cli.options import Request, asking
from lorewright.cli.render_command import render_command
from lorewright.cli.screen import Screen, forget_output, prepare_streams, print_error, print_json
from lorewright.cli.serve_commands import doctor_command, serve_command, status_command
from lorewright.cli.task_commands import task_prompt_command
from lorewright.cli.trust_command import trust_command
from lorewright.errors import InputError, LorewrightError

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """Runs a command; what it cannot use ends in a sentence and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        prepare_streams()
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:  # a program that is started without an output has none
                sys.stdout.flush()
        except typer.BadParameter as error:
            error.message = error.message.replace("Value error, ", "", 1)  # the parser's word, of no use to a person
            raise
        except LorewrightError as error:
            print_error(error.message)
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            # Whoever reads the output has seen enough. What is still in the buffer must not raise at exit.
            forget_output()
            raise typer.Exit(0) from None
        return result


app = typer.Typer(
    cls=_Commands,
    name="lorewright",
    help="Which lorebook entries enter a prompt, where they stand, and why.",
    epilog="`lorewright COMMAND --help` shows the options of a command, with examples.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (without the program's name; that of the process by default) and return its exit code."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="lorewright")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except OSError as error:  # what is wrong with a file that is read or written is an InputError
        forget_output()
        print_error(f"The output cannot be written: {error.strerror or error}. Make room, or send it elsewhere.")
        return BAD_INPUT
    return 0


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Which lorebook entries enter a prompt, where they stand, and why."""
    if version:
        from lorewright import __version__

        print(__version__)
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command("weave", short_help="Print the texts that enter the prompt, by position.")
@asking()
def weave_command(
    request: Request,
    *,
    ledger: options.ledger_option = None,
    full: options.full_option = False,
    save_chat: options.save_chat_option = None,
    force: options.force_option = False,
    spoilers: options.spoilers_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Print the texts that enter the prompt, by position; with a preset all of the prompt.

    \b
    Examples:
      lorewright weave world.json --chat chat.jsonl
      lorewright weave world.json --chat chat.jsonl --card hero.png --profile sillytavern
      lorewright weave --book character:a.json --book chat:b.json --chat request.json --json
      lorewright weave world.json --chat chat.jsonl --settings settings.json --state chat.state.json
      lorewright weave world.json --chat chat.jsonl --ledger chat.ledger
      lorewright weave world.json --chat chat.jsonl --save-chat chat.jsonl
      lorewright weave world.json --chat chat.jsonl --card hero.png --preset Default.json
    """
    from lorewright.cli.scene import read_scene
    from lorewright.cli.weaving import show_weaving, weave, weaving_object

    if ledger is not None and request.state is not None:
        raise InputError("Give --state or --ledger, not both: a ledger remembers the conversation, too.")
    if ledger is not None and save_chat is not None:
        raise InputError("Give --save-chat or --ledger, not both: a ledger does not begin with what the chat keeps.")
    scene = read_scene(request)
    if ledger is not None and scene.completion is not None:
        raise InputError("--ledger: a ledger holds messages, and a text completion has none. Leave --ledger out.")
    if save_chat is not None:
        from lorewright.cli.chat_saving import check_saving

        check_saving(scene, request.chat, save_chat, force=force)
    if ledger is not None:
        from lorewright.cli.recording import record_scene, recorded_object, show_recorded

        recorded = record_scene(scene, ledger, engine=request.engine, full=full)
        weaving = weave(scene, recorded.woven, spoilers=spoilers)
        if as_json:
            print_json(weaving_object(weaving) | {"ledger": recorded_object(recorded)})
        else:
            screen = Screen()
            show_weaving(weaving, screen)
            show_recorded(recorded, screen)
        return
    weaving = weave(scene, None, spoilers=spoilers)
    if request.state is not None:
        from lorewright.storage.state_file import write_state

        write_state(request.state, weaving.scene.remembered.after(weaving.woven))
    if save_chat is not None:
        from lorewright.cli.chat_saving import save_chat as save

        save(scene, weaving.woven, request.chat, save_chat)
    if as_json:
        print_json(weaving_object(weaving))
    else:
        show_weaving(weaving, Screen())


@app.command("explain")
@asking()
def explain_command(
    request: Request,
    *,
    entries: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENTRY...", help="Each an entry's id (book.uid), uid or title. Not needed with --all."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain every entry.")] = False,
    spoilers: options.spoilers_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Say why entries are in the prompt, or why not.

    \b
    Examples:
      lorewright explain world.json dragon --chat chat.jsonl
      lorewright explain world.json world.17 "The old mill" --chat chat.jsonl
      lorewright explain world.json --all --chat chat.jsonl --json
      lorewright explain --card hero.png "The old mill" --chat chat.jsonl
    """
    from lorewright.cli.explaining import nearly, show_verdicts
    from lorewright.cli.files import looks_like_file
    from lorewright.cli.lookup import find_entry
    from lorewright.cli.scene import read_scene
    from lorewright.cli.weaving import show_settings
    from lorewright.ledger.objects import verdict_object

    wanted, book = entries or [], request.book
    has_others = request.books or request.card is not None
    if book is not None and not every and has_others and not (wanted and looks_like_file(book)):
        wanted = [book, *wanted]  # with --book or --card all arguments may be entries
        request = replace(request, book=None)
    if every and wanted:
        raise InputError(f"Give either the entry `{wanted[0]}` or --all, not both.")
    if not every and not wanted:
        raise InputError("Name the entry to explain (id, uid or title), or give --all.")
    scene = read_scene(request)
    woven = scene.weave()
    assembly = woven.assembly
    found = dict.fromkeys(find_entry(name, assembly.trace.lore, spoilers=spoilers) for name in wanted)
    verdicts = list(assembly.trace.all()) if every else [assembly.trace.why(entry) for entry in found]
    if spoilers:
        verdicts = [assembly.trace.spoil(verdict, woven.turn) for verdict in verdicts]
    if as_json:
        print_json([verdict_object(verdict, nearly(verdict, assembly)) for verdict in verdicts])
        return
    screen = Screen()
    show_settings(scene, assembly, screen)
    show_verdicts(verdicts, scene, assembly, screen)
    screen.reports((*scene.reports_about(assembly, spoilers=spoilers), *assembly.reports))


@app.command("check")
def check_command(
    *,
    books: Annotated[list[str], typer.Argument(metavar="BOOK...", help="Lorebooks, or cards with one in them.")],
    profile: options.profile_option = "native",
    settings: options.settings_option = None,
    context_tokens: options.context_option = None,
    counter: options.counter_option = "estimate",
    as_json: options.as_json_option = False,
) -> None:
    """Look for what cannot work as it is written.

    That is: keys that never match, entries that stand nowhere, and the like. Ends with exit code 1 if there is a finding of level warning or error.

    \b
    Examples:
      lorewright check world.json
      lorewright check *.json --profile sillytavern --json
    """
    from lorewright.cli.checking import check_files, show_findings
    from lorewright.cli.plain_json import report_object

    found = check_files(books, profile, settings, context_tokens, counter)
    if as_json:
        print_json([report_object(finding) for findings in found.values() for finding in findings])
    else:
        show_findings(found, Screen())
    if any(finding.level != "info" for findings in found.values() for finding in findings):
        raise typer.Exit(FINDINGS)


@app.command("cache-sim", short_help="Count how much of each prompt a provider's cache could keep.")
@asking(
    without=("placement", "state"),
    chat=Annotated[str, typer.Argument(metavar="CHAT", help="A recorded chat; each message of the user is a request.")],
)
def cache_sim_command(
    request: Request,
    *,
    svg: Annotated[str | None, typer.Option("--svg", metavar="FILE", help="Write a chart too.")] = None,
    as_json: options.as_json_option = False,
) -> None:
    """Send a recorded chat turn by turn and compare how much of the prompt cache each placement keeps.

    \b
    Examples:
      lorewright cache-sim chat.jsonl world.json
      lorewright cache-sim chat.jsonl world.json --svg kept.svg --json
    """
    from lorewright.cli.chart import draw_chart
    from lorewright.cli.files import write_text
    from lorewright.cli.scene import read_scene
    from lorewright.cli.simulating import run_simulation, show_simulation, simulation_object

    simulation = run_simulation(read_scene(request))
    if svg is not None:
        write_text(svg, draw_chart(simulation.runs))
    if as_json:
        print_json(simulation_object(simulation))
    else:
        show_simulation(simulation, Screen())


@app.command("conformance")
def conformance_command(
    *,
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Case files, or folders of them.")],
    engine: options.engine_option = "fast",
    list_failures: Annotated[
        bool, typer.Option("--list", help="Print the failing cases with their differences.")
    ] = False,
    as_json: options.as_json_option = False,
) -> None:
    """Run recorded cases and compare the answers.

    \b
    Examples:
      lorewright conformance cases/world-info
      lorewright conformance cases/world-info/budget.json --engine core --list
    """
    from lorewright.conformance.runner import main as run_cases

    raise typer.Exit(run_cases(paths, engine=engine, list_failures=list_failures, as_json=as_json))


app.command("render", short_help="Print what the macros of a text or of a book become.")(render_command)
app.command("trust", short_help="Let the code in a book's entries run from now on.")(trust_command)
app.command("task-prompt", short_help="Print the prompt of a task over world books.")(task_prompt_command)
app.command("vars", short_help="Print what an MVU card's commands do to its variables.")(vars_command)
app.command("serve", short_help="Answer chat clients, and pass their requests on to a model.")(serve_command)
app.command("status", short_help="Say how the server does.")(status_command)
app.command("doctor", short_help="Find model servers on this computer.")(doctor_command)
app.command("forget", short_help="Forget a conversation that the server has recorded.")(forget_command)
app.command("gc", short_help="Forget old turns by a rule.")(gc_command)
app.add_typer(book_commands.books)
app.add_typer(ledger_commands.ledger, name="ledger", short_help="What was sent, why, and whether it can be proved.")
app.add_typer(preset_commands.presets, name="preset", short_help="What a preset sends, and what it costs in cache.")
app.add_typer(rules_commands.rules, name="rules")
