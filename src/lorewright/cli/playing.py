"""The answer of `vars`: the tree of an MVU card behind each message of a chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count as numbers
from typing import Any, NamedTuple

from lorewright.cli.files import about_file
from lorewright.cli.options import Request
from lorewright.cli.plain_json import report_object
from lorewright.cli.scene import DEFAULT_CONTEXT_TOKENS, place_reports, read_card_of, split_source
from lorewright.cli.screen import Screen, count
from lorewright.cli.turn import read_turn
from lorewright.core.draw import HashDraw
from lorewright.core.model import ActiveBook, Report, Turn
from lorewright.core.protocols import RenderContext
from lorewright.errors import InputError
from lorewright.formats.read import read_book, read_chat
from lorewright.mvu.addons import OWN_CHECKS
from lorewright.mvu.behaviour import CAREFUL, RECORDED
from lorewright.mvu.chat import Line, Lines, Player, handle
from lorewright.mvu.initial import EMPTY_RECORD, initial_books
from lorewright.mvu.record import Record
from lorewright.mvu.session import start, with_names
from lorewright.mvu.stored_chat import first_stored, read_lines, without_records
from lorewright.mvu.update import Update
from lorewright.mvu.values import Json, deep_equal
from lorewright.templates.dialects import DialectRenderer
from lorewright.templates.message_variables import as_yaml

__all__ = ["Played", "Playing", "newest_record", "play_chat", "playing_object", "show_playing"]


@dataclass(frozen=True, slots=True)
class Played:
    """A message: the record behind it, and what its commands did; None: it was not read. `agrees`: whether the record
    that the chat keeps with it has the same tree, None without such a record."""

    at: int
    name: str
    by_user: bool
    record: Record
    update: Update | None
    agrees: bool | None

    @property
    def tree(self) -> Json:
        """The variables."""
        return self.record.tree


@dataclass(frozen=True, slots=True)
class Playing:
    """All messages from the first one on that has a tree."""

    messages: tuple[Played, ...]
    reports: tuple[Report, ...]


def play_chat(request: Request, *, as_recorded: bool) -> Playing:
    """Carry out the commands of all messages of a chat.

    Raises:
        InputError: a file cannot be used.
    """
    reports: list[Report] = []
    books = list(_read_books(request, reports))
    card = None if request.card is None else read_card_of(request.card, reports, regex=False)
    if card is not None and card.book is not None:
        books.append(ActiveBook(card.book, "character"))
    turn, *_ = read_turn(request, DEFAULT_CONTEXT_TOKENS, card, reports)
    player = _player(turn, as_recorded=as_recorded)
    stored = _read_lines(turn, request.chat)
    begin = _begin(stored if as_recorded else _with_rules(stored), tuple(books), player, turn, reports)
    return Playing(tuple(_play(begin, stored, player)) if begin else (), tuple(reports))


def newest_record(turn: Turn, chat: str, books: tuple[ActiveBook, ...], reports: list[Report]) -> Record | None:
    """The record behind the newest message: the last one that the chat keeps, else that of `play_chat`'s beginning, with
    the commands of all later messages carried out. None: there is no tree."""
    player, stored = _player(turn, as_recorded=False), _with_rules(_read_lines(turn, chat))
    kept = [at for at, line in enumerate(stored) if Record.of(line.stored)]
    begin = _Begin(stored, kept[-1], kept[-1] + 1) if kept else _begin(stored, books, player, turn, reports)
    played = list(_play(begin, stored, player)) if begin else []
    return played[-1].record if played else None


def _player(turn: Turn, *, as_recorded: bool) -> Player:
    return Player(
        character=turn.character.name if turn.character else "",
        reads_other_names=not as_recorded,
        macros=partial(with_names, turn=turn),
        behaviour=RECORDED if as_recorded else CAREFUL,
        permissive=turn.variables.get(OWN_CHECKS) is True,
    )


def _read_lines(turn: Turn, chat: str) -> Lines:
    return read_lines(turn.messages, read_chat(chat).value.originals)


def _with_rules(lines: Lines) -> Lines:
    """A tree that is kept without rules has none; the script would not read it at all."""
    return tuple(
        line.with_stored({"schema": None, **line.stored}) if _kept_tree(line) is not None else line for line in lines
    )


def _kept_tree(line: Line) -> Json:
    """The tree that the chat keeps with a message, with its rules or without; None: there is none."""
    return line.stored.get("stat_data") if isinstance(line.stored, Mapping) else None


def _read_books(request: Request, reports: list[Report]) -> Iterator[ActiveBook]:
    for named in request.all_books:
        source, path = split_source(named)
        with about_file(path, "book"):
            book = read_book(path)
        reports += place_reports(book.reports)
        yield ActiveBook(book.value, source)


class _Begin(NamedTuple):
    """The lines with the record that play begins with: where it is, and the first message whose commands are not in."""

    lines: Lines
    first: int
    unread: int


def _begin(
    stored: Lines, books: tuple[ActiveBook, ...], player: Player, turn: Turn, reports: list[Report]
) -> _Begin | None:
    """Begin with the initial values of the books, else with the first record that the chat keeps."""
    if not stored:
        return None
    renderer, chance = DialectRenderer("sillytavern"), HashDraw(turn.session)
    draws = map(partial(chance.number, "", "initial"), numbers())

    def render(text: str) -> str:
        return renderer.render(text, RenderContext(turn, partial(next, draws))).text

    greeting = None if stored[0].by_user else with_names(stored[0].text, turn)
    record, found = start(None, initial_books(books), greeting, render, player.behaviour)
    reports += found
    lines, first = without_records(stored), 0 if record else first_stored(stored)
    if first is None:
        return None
    line = lines[first].with_stored(record.stored() if record else stored[first].stored)
    return _Begin((*lines[:first], line, *lines[first + 1 :]), first, first if record else first + 1)


def _play(begin: _Begin, stored: Lines, player: Player) -> Iterator[Played]:
    lines, before = begin.lines, EMPTY_RECORD
    for at in range(begin.first, len(lines)):
        done = None
        if at >= begin.unread:
            lines, done, _ = handle(lines, at, player)
        before = Record.of(lines[at].stored) or before
        yield Played(at, lines[at].name, lines[at].by_user, before, done, _agrees(stored[at], before.tree))


def _agrees(stored: Line, tree: Json) -> bool | None:
    kept = _kept_tree(stored)
    return None if kept is None else deep_equal(kept, tree)


def _chosen(playing: Playing, message: int | None) -> list[Played]:
    if message is None:
        return list(playing.messages)
    found = [one for one in playing.messages if one.at == message]
    if not found:
        known = f"{playing.messages[0].at} to {playing.messages[-1].at}" if playing.messages else "none"
        raise InputError(f"--message {message}: there is no tree behind this message. Messages with one: {known}.")
    return found


def playing_object(playing: Playing, message: int | None = None) -> dict[str, Any]:
    """The answer for programs.

    Raises:
        InputError: there is no such message.
    """
    return {
        "messages": [_message_object(one) for one in _chosen(playing, message)],
        "reports": [report_object(report) for report in playing.reports],
    }


def _message_object(one: Played) -> dict[str, Any]:
    done = one.update.changes if one.update else ()
    refused = one.update.refused if one.update else ()
    return {
        "message": one.at,
        "name": one.name,
        "by_user": one.by_user,
        "tree": one.tree,
        "done": [
            {"command": change.command, "path": change.path, "change": change.text.rstrip(), "reason": change.reason}
            for change in done
        ],
        "refused": [
            {"code": f"mvu_{refusal.category}", "path": refusal.path, "message": refusal.message, "text": refusal.text}
            for refusal in refused
        ],
        "agrees": one.agrees,
    }


def show_playing(playing: Playing, message: int | None, screen: Screen) -> None:
    """The answer for people: the messages that did something, and the first one.

    Raises:
        InputError: there is no such message.
    """
    chosen = _chosen(playing, message)
    if not chosen:
        screen.line(
            "There is no tree: no book has initial values, and the chat keeps no record. Name books by --book or --card."
        )
    shown = [one for at, one in enumerate(chosen) if at == 0 or _does_something(one)]
    for one in shown:
        screen.heading(f"message {one.at}, {one.name}")
        for change in one.update.changes if one.update else ():
            screen.line(("done   ", "dim"), f"{change.path}: {change.text.rstrip() or change.command}")
        screen.findings(one.update.reports if one.update else ())
        if one.agrees is False:
            screen.line(("note   ", "dim"), "The record that the chat keeps with this message has another tree.")
        screen.text(as_yaml(one.tree))
    if silent := len(chosen) - len(shown):
        screen.line()
        screen.line(f"{count(silent, 'more message')} changed nothing.")
    screen.reports(playing.reports)


def _does_something(one: Played) -> bool:
    return one.agrees is False or bool(one.update and (one.update.changes or one.update.refused))
