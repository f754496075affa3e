"""The commands that turn files into books, and books into files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from lorewright.cli import options
from lorewright.cli.exit_codes import BAD_INPUT, FINDINGS
from lorewright.cli.screen import Screen, print_json
from lorewright.errors import InputError

__all__ = ["books"]

books = typer.Typer(rich_markup_mode=None)


@books.command("new")
def new_command(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, ending in .yaml, .json or .md.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="The book's name. [default: the file's name]")
    ] = None,
    force: options.force_option = False,
) -> None:
    """Write a lorebook with one example entry, to start from.

    \b
    Examples:
      lorewright new isles.yaml
      lorewright new isles.md --name "The Lantern Isles"
    """
    from lorewright.cli.native_books import make_book

    make_book(file, name, force=force)
    Screen().line(f"Written: {file}")


@books.command("format")
def format_command(
    *,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Books, presets, cards or personas in our own formats.")
    ],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a file would change.")] = False,
) -> None:
    """Lay out files in our own formats in the usual way. Comments stay; no value changes.

    \b
    Examples:
      lorewright format isles.yaml
      lorewright format *.yaml --check
    """
    from lorewright.cli.native_books import format_files

    changed = format_files(files, check=check)
    screen = Screen()
    for path, is_changed in changed.items():
        screen.line(f"{path}: {('would change' if check else 'changed') if is_changed else 'unchanged'}")
    if check and any(changed.values()):
        raise typer.Exit(FINDINGS)


@books.command("migrate")
def migrate_command(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A lorebook of any format, or a card with one in it.")],
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write, ending in .yaml or .json.")],
    to: Annotated[Literal["native"], typer.Option("--to", help="The format to write.")] = "native",  # noqa: ARG001
    force: options.force_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Make a Lorewright book of a lorebook of another program.

    Says what became of every entry, and which fields have no place of their own in our format.

    \b
    Examples:
      lorewright migrate world.json --to native world.yaml
      lorewright migrate hero.png hero.yaml --json
    """
    from lorewright.cli.native_books import migrate, migration_object, show_migration

    done = migrate(file, out, force=force)
    if as_json:
        print_json(migration_object(done))
    else:
        show_migration(done, Screen())


@books.command("inspect")
def inspect_command(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Any file: a lorebook, a card, a preset, a script.")],
    as_json: options.as_json_option = False,
) -> None:
    """Say what a file is, what is in it, and what is odd about it.

    Nothing is written.

    \b
    Examples:
      lorewright inspect hero.png
      lorewright inspect world.json --json
    """
    from lorewright.cli.files import about_file
    from lorewright.cli.importing import inspection_object, show_inspection
    from lorewright.fast.regexes import default_regexes
    from lorewright.formats.inspect import inspect_file

    with about_file(file):
        found = inspect_file(file, regexes=default_regexes())
    if as_json:
        print_json(inspection_object(found))
    else:
        show_inspection(file, found, Screen())


@books.command("import")
def import_command(
    *,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Lorebooks, cards, presets, scripts; or folders of them.")
    ],
    into: Annotated[str, typer.Option("--into", metavar="DIR", help="The folder to write to; it is made.")] = ".",
    authority: options.authority_option = None,
    with_secrets: options.with_secrets_option = False,
    as_json: options.as_json_option = False,
) -> None:
    """Bring in files of other programs, and account for each.

    Lorebooks, cards, presets and personas become files of our own formats, and the file of a card is kept beside; anything else is kept as it is. Nothing is written over. Ends with exit code 2 if a file could not be imported; the others are.

    \b
    Examples:
      lorewright import world.json --into books
      lorewright import worlds characters --into books
      lorewright import *.png *.json --into books --json
      lorewright import rumours.json --into books --authority unverified
    """
    from lorewright.cli.importing import import_files, import_object, show_imports

    imported = import_files(files, into, authority, with_secrets=with_secrets)
    if as_json:
        print_json(import_object(imported))
    else:
        show_imports(imported, Screen())
    if any(one.problem for one in imported):
        raise typer.Exit(BAD_INPUT)


def _export(
    source: str,
    out: str,
    to: str | None,
    *,
    is_named: bool,
    overlays: list[str] | None,
    force: bool,
    without_gates: bool,
    with_secrets: bool,
    as_json: bool,
) -> None:
    """`is_named`: for a book the format must be given."""
    from lorewright.cli.exporting import export_book, export_object, show_export
    from lorewright.cli.exporting_things import export_thing, show_thing_export, thing_export_object
    from lorewright.cli.files import about_file
    from lorewright.formats.opened import open_file
    from lorewright.formats.overlaid import overlaid
    from lorewright.formats.write_thing import thing_format

    with about_file(source):
        file = overlaid(source, overlays) if overlays else open_file(source)
    wanted = thing_format(file.found.format, to, Path(out).suffix.lower())
    if wanted is not None:
        made = export_thing(
            file, source, out, wanted, force=force, with_secrets=with_secrets, without_gates=without_gates
        )
        if as_json:
            print_json(thing_export_object(made))
        else:
            show_thing_export(made, Screen())
        return
    if to is None and is_named:
        raise InputError(_NAME_ONE)
    done = export_book(file, source, out, to, force=force, without_gates=without_gates)
    if as_json:
        print_json(export_object(done))
    else:
        show_export(done, Screen())


_NAME_ONE: Final = "Give either --to with a format, or --into with the card that the book goes into."


@books.command("export", short_help="Write a book for another program, and say what is lost.")
def export_command(
    *,
    book: Annotated[str, typer.Argument(metavar="BOOK", help="A lorebook, a card, a preset or a persona.")],
    out: Annotated[
        str | None, typer.Argument(metavar="OUT", help="The file to write. [with --into and --force: the card itself]")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format to write; see above.")] = None,
    into: Annotated[
        str | None, typer.Option("--into", metavar="CARD", help="The card whose book this is; OUT is a copy of it.")
    ] = None,
    force: options.force_option = False,
    without_gates: options.without_gates_option = False,
    with_secrets: options.with_secrets_option = False,
    overlay: options.changes_option = None,
    as_json: options.as_json_option = False,
) -> None:
    """Write a book for another program, and say what is lost; or into a card, where only what was edited changes.

    FORMAT is st_worldinfo, character_book, card_v2, card_v3, lorebook_v3, risu_lorebook, risu_module, risum,
    novelai_lorebook, chub_lorebook, janitor_lorebook, agnai_book, kobold_story, aidungeon_wi, markdown_lorebook,
    agent_rules, native, or another one of the page of formats.
    A preset, a card or a persona of ours goes back into the format that it came from; --to native_card makes one of a card.

    \b
    Examples:
      lorewright export isles.yaml --to st_worldinfo isles.json
      lorewright export isles.yaml --to novelai_lorebook isles.lorebook --json
      lorewright export hero.yaml --into hero.png hero-new.png
      lorewright export preset.yaml preset.json
    """
    if to is not None and into is not None:
        raise InputError(_NAME_ONE)
    if into is not None:
        from lorewright.cli.into_card import export_into, into_object, show_into

        made = export_into(book, into, out, force=force, without_gates=without_gates)
        if as_json:
            print_json(into_object(made))
        else:
            show_into(made, Screen())
        return
    if out is None:
        raise InputError("Name the file to write (OUT).")
    _export(
        book,
        out,
        to,
        is_named=True,
        overlays=overlay,
        force=force,
        without_gates=without_gates,
        with_secrets=with_secrets,
        as_json=as_json,
    )


@books.command("convert")
def convert_command(
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A lorebook of any format, or a card with one in it.")],
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write.")],
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="The format to write. [default: by the name of OUT]")
    ] = None,
    force: options.force_option = False,
    without_gates: options.without_gates_option = False,
    with_secrets: options.with_secrets_option = False,
    overlay: options.changes_option = None,
    as_json: options.as_json_option = False,
) -> None:
    """Turn a lorebook of one program into one of another.

    The ending of OUT says the format: .yaml (Lorewright), .json (SillyTavern), .md (Markdown), .lorebook (NovelAI),
    .risum (RisuAI). Any other needs --to, with a FORMAT as for `export`.

    \b
    Examples:
      lorewright convert world.json world.yaml
      lorewright convert hero.png hero.md
      lorewright convert world.yaml world.json --to risu_lorebook
    """
    _export(
        file,
        out,
        to,
        is_named=False,
        overlays=overlay,
        force=force,
        without_gates=without_gates,
        with_secrets=with_secrets,
        as_json=as_json,
    )


@books.command("diff")
def diff_command(
    *,
    before: Annotated[str, typer.Argument(metavar="BOOK", help="A lorebook, or a card with one in it.")],
    after: Annotated[str, typer.Argument(metavar="BOOK", help="The one to compare it with, of any format.")],
    as_json: options.as_json_option = False,
) -> None:
    """Compare two books, entry by entry and field by field.

    Ends with exit code 1 if they differ.

    \b
    Examples:
      lorewright diff old.json new.json
      lorewright diff world.json world.yaml --json
    """
    from lorewright.cli.exporting import compare_files, difference_object, show_difference

    found = compare_files(before, after)
    if as_json:
        print_json(difference_object(found))
    else:
        show_difference(found, Screen())
    if found:
        raise typer.Exit(FINDINGS)
