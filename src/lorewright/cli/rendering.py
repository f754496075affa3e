"""The answer of `render`: texts with their macros run, and what they touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from lorewright.cli.files import about_file, looks_like_file, read_object
from lorewright.cli.options import Request
from lorewright.cli.plain_json import report_object
from lorewright.cli.scene import DEFAULT_CONTEXT_TOKENS, place_reports, read_card_of
from lorewright.cli.screen import Screen
from lorewright.cli.turn import read_turn
from lorewright.core.decorators import read_decorators
from lorewright.core.draw import HashDraw
from lorewright.core.model import ABSENT, Character, Report, Turn
from lorewright.core.protocols import RenderContext, Rendered
from lorewright.core.variables import Values
from lorewright.errors import InputError
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_book
from lorewright.formats.strict_json import parse_json
from lorewright.templates.code import has_code
from lorewright.templates.dialects import Dialect, DialectRenderer
from lorewright.templates.variables import json_text

__all__ = ["Shown", "read_host", "read_texts", "read_variables", "render_texts", "rendering_object", "show_rendering"]

_GLOBAL = "global:"
_WITH_CODE: Final = frozenset({"sillytavern", "sillytavern-legacy"})
"""Dialects in whose books `<%` is code."""
_CODE: Final = Report(
    code="code_not_rendered",
    message="The text holds code (`<% %>`), which `render` does not run; `weave` does, in a book that is trusted.",
    level="info",
)


class Shown(NamedTuple):
    """A text and what became of it. `entry` is empty for a text of the command line."""

    entry: str
    text: str
    rendered: Rendered


def read_texts(given: str) -> tuple[list[tuple[str, str]], tuple[Report, ...]]:
    """The texts with the ids of their entries; of a text that names no file, the text itself.

    Raises:
        InputError: it names a file that cannot be used.
    """
    if not given or "{{" in given or not looks_like_file(given):
        return [("", given)], ()
    with about_file(given, "book"):
        book = read_book(given)
    texts = [
        (f"{book.value.name}.{entry.uid}", read_decorators(entry.content).content)
        for entry in book.value.entries
        if isinstance(entry.content, str)
    ]
    return texts, tuple(place_reports(book.reports))


def read_variables(given: str | None) -> Values:
    """The variables of a JSON object, or of a file with one.

    Raises:
        InputError: it is no JSON object.
    """
    if given is None:
        return Values()
    if given.lstrip().startswith("{"):
        with about_file("--vars"):
            value = parse_json(given, Notes())
    else:
        value = read_object(given)
    if not isinstance(value, Mapping):
        raise InputError('--vars: write a JSON object such as {"mood": "calm"}.')
    return Values(
        {name: item for name, item in value.items() if not name.startswith(_GLOBAL)},
        {name.removeprefix(_GLOBAL): item for name, item in value.items() if name.startswith(_GLOBAL)},
    )


def read_host(request: Request, char: str | None, given: Values) -> tuple[Turn, Values, tuple[Report, ...]]:
    """The turn that texts are rendered in, the given variables over those of the chat, and what is odd about its card and chat. `char`: the character's name.

    Raises:
        InputError: a file cannot be used.
    """
    reports: list[Report] = []
    card = None if request.card is None else read_card_of(request.card, reports, regex=False)
    turn, _, _, variables, _ = read_turn(request, DEFAULT_CONTEXT_TOKENS, card, reports)
    character = turn.character or Character(name="Character")
    turn = replace(turn, character=replace(character, name=char) if char else character)
    return turn, replace(given, local={**variables, **given.local}), tuple(reports)


def render_texts(texts: Iterable[tuple[str, str]], dialect: Dialect, variables: Values, turn: Turn) -> list[Shown]:
    """Every text by itself, in the same turn and with the same variables."""
    renderer = DialectRenderer(dialect)
    chance = HashDraw(turn.session)
    found = []
    for entry, text in texts:
        draws = map(partial(chance.number, entry, "macro"), count())
        rendered = renderer.render(text, RenderContext(turn, partial(next, draws), variables=variables))
        reports = tuple(replace(report, entry=entry) for report in rendered.reports)
        if has_code(text) and dialect in _WITH_CODE:
            reports += (replace(_CODE, entry=entry),)
        found.append(Shown(entry, text, rendered._replace(reports=reports)))
    return found


def rendering_object(dialect: str, found: Iterable[Shown], reports: Iterable[Report]) -> dict[str, object]:
    """The answer for programs. `kinds` is empty for a text that is the same in every turn."""
    return {
        "dialect": dialect,
        "texts": [
            {
                "entry": one.entry,
                "text": one.rendered.text,
                "kinds": sorted(one.rendered.kinds),
                "reads": sorted(one.rendered.reads),
                "writes": {
                    f"{scope}:{name}": None if value is ABSENT else value for scope, name, value in one.rendered.writes
                },
                "reports": [report_object(report) for report in one.rendered.reports],
            }
            for one in found
        ],
        "reports": [report_object(report) for report in reports],
    }


def show_rendering(found: Sequence[Shown], reports: Iterable[Report], screen: Screen) -> None:
    """The answer for people. Of a book only the texts that have macros or code are shown."""
    shown = [
        one for one in found if not one.entry or one.text != one.rendered.text or one.rendered[1:] != Rendered("")[1:]
    ]
    for one in shown:
        rendered = one.rendered
        if one.entry:
            screen.heading(one.entry)
        screen.text(rendered.text)
        kinds = sorted(rendered.kinds) or ([] if _has_code(one) else ["constant"])
        screen.line(("kind   ", "dim"), ", ".join([*kinds, *(["code, not run"] if _has_code(one) else [])]))
        if rendered.reads:
            screen.line(("reads  ", "dim"), ", ".join(sorted(rendered.reads)))
        for scope, name, value in rendered.writes:
            what = f"{scope}:{name} removed" if value is ABSENT else f"{scope}:{name} = {json_text(value)}"
            screen.line(("writes ", "dim"), what)
        screen.findings(rendered.reports)
    if plain := len(found) - len(shown):
        screen.line()
        screen.line(f"{plain} of {len(found)} texts have no macros and no code.")
    screen.reports(list(reports))


def _has_code(one: Shown) -> bool:
    return any(report.code == _CODE.code for report in one.rendered.reports)
