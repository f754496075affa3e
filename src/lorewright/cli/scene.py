"""Everything one evaluation needs, read from the files that were named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from lorewright.cli.chat_state import missing_book, remember, with_chat_note
from lorewright.cli.completing import Completion, laid_anew
from lorewright.cli.files import about_file, read_object
from lorewright.cli.options import Request
from lorewright.cli.planning import read_plan
from lorewright.cli.presets import no_room, read_presets
from lorewright.cli.progress import unasked_progress
from lorewright.cli.scripting import about_card_scripts, choose_scripts, read_card_scripts, read_script_files
from lorewright.cli.trusting import about_changed, code_books
from lorewright.cli.turn import read_turn
from lorewright.core.engine import Assembly
from lorewright.core.layout.preset import Preset
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.lore import Lore
from lorewright.core.model import ActiveBook, Book, Report, Source, Turn
from lorewright.core.overlays import Delete, Upsert, apply_overlays
from lorewright.core.policy import PROFILES, Policy
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven, weave
from lorewright.errors import InputError
from lorewright.fast.tokens import make_counter
from lorewright.formats.card import Card, name_of_book
from lorewright.formats.chat import Chat
from lorewright.formats.imported import Imported
from lorewright.formats.read import read_book, read_card
from lorewright.formats.settings import read_settings
from lorewright.storage.state_file import Remembered
from lorewright.toolbox import load_lore, make_tools

__all__ = [
    "DEFAULT_CONTEXT_TOKENS",
    "Rules",
    "Scene",
    "place_reports",
    "read_card_of",
    "read_rules",
    "read_scene",
    "split_source",
]

DEFAULT_CONTEXT_TOKENS: Final = 8192
_SOURCES: Final[dict[str, Source]] = {
    "global": "global",
    "character": "character",
    "chat": "chat",
    "persona": "persona",
}
_WORD: Final = re.compile(r"[A-Za-z_]{2,}")


@dataclass(frozen=True, slots=True)
class Rules:
    """The policy with its settings, and the context size they refer to."""

    policy: Policy
    context_tokens: int
    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A turn and the lore for it. `reports` are those of reading; the entries in them are ids (`book.uid`).
    `completion`: a text is to be made of it, and not messages."""

    rules: Rules
    lore: Lore
    turn: Turn
    chat: Chat
    remembered: Remembered
    tools: Tools
    reports: tuple[Report, ...]
    completion: Completion | None = None

    def weave(self) -> Woven:
        return weave(self.turn, self.lore, self.remembered.memory, self.tools, self.remembered.state)

    def reports_about(self, assembly: Assembly, *, spoilers: bool) -> tuple[Report, ...]:
        """The reports of reading, without those about entries that are closed to this reader."""
        closed = () if spoilers else assembly.trace.lore.closed
        return tuple(report for report in self.reports if report.entry not in closed)


def read_rules(profile: str, settings: str | None, context_tokens: int | None) -> Rules:
    """The profile with the settings of a file over its own. An explicit context size goes before the file's."""
    policy = PROFILES[profile]
    if settings is None:
        return Rules(policy, context_tokens or DEFAULT_CONTEXT_TOKENS, ())
    mapping = read_object(settings)
    with about_file(settings):
        changed, stated, reports = read_settings(mapping, policy.settings)
    tokens = context_tokens or (DEFAULT_CONTEXT_TOKENS if stated is None else stated)
    return Rules(policy.with_settings(changed), tokens, reports)


def read_scene(request: Request) -> Scene:
    """Read every file of a request.

    Raises:
        InputError: a file cannot be used, or no book is named.
    """
    if not request.all_books and request.card is None and not request.presets:
        raise InputError("No lorebook is named. Give one by --book, or a card by --card.")
    if request.members and not request.presets:
        raise InputError("--member: further cards of a group take part with a preset only; give it by --preset.")
    told: list[Report] = []
    preset = read_presets(request.presets, told)
    stated = preset.limits.context_tokens if isinstance(preset, Preset) else None
    rules = read_rules(request.profile, request.settings, request.context_tokens or stated)
    if preset is not None:
        preset = replace(preset, limits=replace(preset.limits, context_tokens=rules.context_tokens))
        told += no_room(preset.limits)
    if request.placement is not None:
        rules = replace(rules, policy=replace(rules.policy, placement=request.placement))
    if isinstance(preset, TextPreset):
        rules = replace(rules, policy=laid_anew(rules.policy, told))
    tools = make_tools(engine=request.engine, counter=make_counter(request.counter))
    reports = [*rules.reports, *told]
    books: list[ActiveBook] = []
    files: list[tuple[str, str]] = []
    for named in request.all_books:
        source, path = split_source(named)
        if not path:
            raise InputError(f"`{named}` names no book. Give a file, as in character:world.json.", book=named)
        with about_file(path, "book"):
            book = read_book(path)
        books.append(ActiveBook(book.value, source))
        files.append((path, book.format))
        reports += place_reports(about_card_scripts(book.reports, allowed=request.card_regex))
    card = None
    if request.card is not None:
        card = read_card_of(request.card, reports, regex=request.card_regex)
        if card.book is not None:
            books.append(ActiveBook(card.book, "character"))
        elif not books and preset is None:
            message = f"The card `{card.name}` has no lorebook in it, and no other book is given."
            reports.append(Report(code="card_without_book", message=message))
    for path in request.overlays:
        _lay_over(books, path, reports)
    of_files = read_script_files(request.regex, reports)
    turn, chat, chat_format, variables, user = read_turn(request, rules.context_tokens, card, reports)
    completion = None
    if isinstance(preset, Preset):
        turn = replace(turn, plan=read_plan(request, preset, chat, card, user.persona, reports))
    elif preset is not None:
        completion = Completion(preset, read_plan(request, Preset(), chat, card, user.persona, reports))
    reports += (*unasked_progress(turn, books), *missing_book(chat, books))
    of_cards = read_card_scripts(files, card) if request.card_regex else ()
    scripts = choose_scripts(of_files, of_cards, chat_format, tools.regexes, raw_chat=request.raw_chat, reports=reports)
    trusted = code_books((active.book for active in books), request.trust)
    places = (*(path for path, _ in files), request.card or "")
    reports += about_changed(((active.book, file) for active, file in zip(books, places, strict=False)), trusted)
    rules = replace(rules, policy=replace(rules.policy, scripts=scripts, code_books=trusted))
    if trusted:
        from lorewright.templates.ejs import Sandbox

        tools = make_tools(engine=request.engine, counter=tools.counter, sandbox=Sandbox())
    lore = load_lore(books, tools, rules.policy)
    remembered = remember(request.state, chat, variables, lore, reports)
    return Scene(
        rules=rules,
        lore=lore,
        turn=with_chat_note(turn, chat, lore, tools, remembered.state, reports),
        chat=chat,
        remembered=remembered,
        tools=tools,
        reports=tuple(reports),
        completion=completion,
    )


def _lay_over(books: list[ActiveBook], path: str, reports: list[Report]) -> None:
    """Put the changes in a file over the book that they are called after."""
    with about_file(path, "book"):
        changes = read_book(path)
    name = changes.value.name
    found = [place for place, active in enumerate(books) if active.book.name == name]
    if not found:
        known = ", ".join(f"`{active.book.name}`" for active in books)
        raise InputError(f"--overlay {path}: it is called `{name}`, and no book of this name takes part: {known}.")
    reports += place_reports(changes.reports)
    overlays = [Delete(entry.uid) if entry.enabled is False else Upsert(entry) for entry in changes.value.entries]
    for place in found:
        book, told = apply_overlays(books[place].book, overlays)
        books[place] = replace(books[place], book=book)
        reports += place_reports(told)


def split_source(named: str) -> tuple[Source, str]:
    """The source and the path in `source:path`. A drive letter (`C:\\…`) and any other text is part of the path.

    Raises:
        InputError: what stands before the colon looks like a source but is none.
    """
    word, colon, path = named.partition(":")
    if colon and word in _SOURCES:
        return _SOURCES[word], path
    if colon and _WORD.fullmatch(word) and not _exists(named):
        known = ", ".join(_SOURCES)
        raise InputError(f"--book {named}: there is no source `{word}`. Known sources: {known}.", source=word)
    return "global", named


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def place_reports(reports: Iterable[Report]) -> Iterator[Report]:
    """Reports of a reader with the entry's full id in place of its uid."""
    for report in reports:
        prefix = f"{report.book}."
        bare = report.book and report.entry and not report.entry.startswith(prefix)
        yield replace(report, entry=prefix + report.entry) if bare else report


def read_card_of(path: str, reports: list[Report], *, regex: bool) -> Card:
    """A card, its book under the name that it has there. What is odd about it is added to `reports`; `regex`: its
    scripts may run."""
    with about_file(path, "card"):
        imported = read_card(path)
    card, book_reports = _name_book(imported)
    reports += place_reports(
        report if report.book else replace(report, message=f"Card: {report.message}")
        for report in about_card_scripts(book_reports, allowed=regex)
    )
    return card


def _name_book(imported: Imported[Card]) -> tuple[Card, tuple[Report, ...]]:
    """The card with its book called as it is to be called, in the reports, too."""
    card = imported.value
    if card.book is None or card.book.name == name_of_book(card):
        return card, imported.reports
    book: Book = replace(card.book, name=name_of_book(card))
    reports = (replace(report, book=book.name) if report.book else report for report in imported.reports)
    return replace(card, book=book), tuple(reports)
