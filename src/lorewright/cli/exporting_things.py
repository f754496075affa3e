"""The commands `export` and `convert` for presets, cards and personas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lorewright.cli.exporting import refuse_lost_gates
from lorewright.cli.files import about_file, check_free, write_bytes
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.formats.kinds import KINDS
from lorewright.formats.native.write import Form
from lorewright.formats.opened import Opened
from lorewright.formats.write_thing import WrittenThing, convert_thing

__all__ = ["ThingExport", "export_thing", "show_thing_export", "thing_export_object"]


@dataclass(frozen=True, slots=True)
class ThingExport:
    """What was read, what was written, and what was left out."""

    source: str
    target: str
    read_as: str
    made: WrittenThing


def export_thing(
    file: Opened, source: str, target: str, to: str, *, force: bool, with_secrets: bool, without_gates: bool
) -> ThingExport:
    """Write the file as another one, see `convert_thing`. Our own format is JSON if the name of the target ends so, else YAML.

    Raises:
        InputError: it cannot be read or written so, the target is there, or gates would be lost and nobody said that this
            does not matter.
    """
    form: Form = "json" if Path(target).suffix.lower() == ".json" else "yaml"
    with about_file(source):
        made = convert_thing(file, to, form, with_secrets=with_secrets)
    refuse_lost_gates(made.reports, without_gates=without_gates)
    check_free(target, force=force)
    write_bytes(target, made.data)
    return ThingExport(source, target, file.found.format, made)


def show_thing_export(done: ThingExport, screen: Screen) -> None:
    screen.line((f"== {done.source}: {KINDS[done.read_as].title}", "bold cyan"))
    screen.line(f"Written: {done.target}, {KINDS[done.made.format].title} with {count(done.made.parts, 'part')}")
    screen.findings(done.made.reports)


def thing_export_object(done: ThingExport) -> dict[str, object]:
    return {
        "read_as": done.read_as,
        "format": done.made.format,
        "written": done.target,
        "parts": done.made.parts,
        "reports": [report_object(report) for report in done.made.reports],
    }
