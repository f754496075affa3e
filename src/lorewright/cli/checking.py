"""The answer of `check`: findings by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lorewright.cli.files import about_file
from lorewright.cli.scene import place_reports, read_rules
from lorewright.cli.screen import Screen, count
from lorewright.core.model import Report
from lorewright.core.prepared import prepare_book
from lorewright.core.protocols import Regexes
from lorewright.fast.regexes import FallbackRegexes
from lorewright.fast.tokens import make_counter
from lorewright.formats.read import read_book
from lorewright.lint import Subject, check_book
from lorewright.templates.ejs import Sandbox
from lorewright.templates.ejs.compiling import CodeCheck
from lorewright.toolbox import make_tools

__all__ = ["check_files", "show_findings"]


def check_files(
    paths: Iterable[str], profile: str, settings: str | None, context_tokens: int | None, counter: str
) -> dict[str, tuple[Report, ...]]:
    """The findings about every file, in the order given.

    Raises:
        InputError: a file cannot be used.
    """
    rules = read_rules(profile, settings, context_tokens)
    tools = make_tools(counter=make_counter(counter))
    found: dict[str, tuple[Report, ...]] = {}
    with Sandbox() as sandbox, CodeCheck(sandbox) as code:
        for path in paths:
            with about_file(path, "book"):
                imported = read_book(path)
            subject = Subject(
                book=prepare_book(imported.value, rules.policy, tools.regexes, tools.renderer),
                regexes=tools.regexes,
                backtracking=_backtracking(),
                code=code,
                counter=tools.counter,
                context_tokens=rules.context_tokens,
            )
            found[path] = check_book(subject, place_reports(imported.reports))
    return found


def _backtracking() -> Regexes | None:
    try:
        return FallbackRegexes()
    except ImportError:
        return None


def show_findings(found: Mapping[str, tuple[Report, ...]], screen: Screen) -> None:
    for path, findings in found.items():
        screen.line((f"== {path}: {count(len(findings), 'finding')}", "bold cyan"))
        screen.findings(findings)
