"""A chat with a record for every swipe of every message, as the program keeps it (spec mvu-vars §9, §10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

from lorewright.core.model import Report
from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.edits import merged
from lorewright.mvu.initial import EMPTY_RECORD, InitialBook, Macros, load_initial, with_greeting
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.record import MEMBERS, Record
from lorewright.mvu.update import Update, update
from lorewright.mvu.values import Json

__all__ = ["PLACEHOLDER", "Handled", "Line", "Lines", "Player", "check_initial", "handle", "last_record"]

PLACEHOLDER: Final = "<StatusPlaceHolderImpl/>"
_STATUS_OPEN: Final = "<status_current_variable>"
_STATUS_TAG: Final = re.compile(r"<(/?)(?:status_current_variable)?>", re.IGNORECASE)
_SHORTEST_REPLY: Final = 5
"""In UTF-16 units."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message: its swipes with the record of each, as it is stored, and which one is shown."""

    name: str
    swipes: tuple[str, ...]
    by_user: bool = False
    shown: int = 0
    records: tuple[Json, ...] = ()

    @property
    def text(self) -> str:
        """The text of the swipe that is shown."""
        return self.swipes[self.shown]

    @property
    def stored(self) -> Json:
        """The record of the swipe that is shown, as it is stored; None if there is none."""
        return self.records[self.shown] if self.shown < len(self.records) else None

    def with_stored(self, stored: Json, swipe: int | None = None) -> Line:
        """With another record for a swipe, by default for the one that is shown."""
        at = self.shown if swipe is None else swipe
        records = [*self.records, *([None] * (at + 1 - len(self.records)))]
        records[at] = stored
        return replace(self, records=tuple(records))

    def with_text(self, text: str) -> Line:
        """With another text for the swipe that is shown."""
        return replace(self, swipes=(*self.swipes[: self.shown], text, *self.swipes[self.shown + 1 :]))


Lines: TypeAlias = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """How a chat is played: who replies, whether replies under other names are read, what replaces macros; permissive:
    its card checks the tree itself."""

    character: str = ""
    reads_other_names: bool = False
    macros: Macros = str
    behaviour: Behaviour = CAREFUL
    permissive: bool = False

    def carry_out(self, record: Record, text: str) -> Update:
        """The record behind a message."""
        how = update_permissively if self.permissive else update
        return how(record, self.macros(text), self.behaviour)


class Handled(NamedTuple):
    """The chat behind a message, and what its commands did; None: the message was not read."""

    lines: Lines
    update: Update | None = None
    reports: tuple[Report, ...] = ()


def last_record(lines: Sequence[Line], before: int) -> Record | None:
    """The last record of the messages before a place, each by its shown swipe."""
    return next((found for line in reversed(lines[:before]) if (found := Record.of(line.stored))), None)


def check_initial(lines: Lines, books: Sequence[InitialBook], player: Player) -> Handled:
    """Read the initial values of books that are not in yet; at the first message each greeting gets a record of its
    own, later the newest message does."""
    if not lines:
        return Handled(lines)
    base = last_record(lines, len(lines)) or EMPTY_RECORD
    loaded = load_initial(base, books, player.macros, player.behaviour)
    if not loaded.is_new:
        return Handled(lines, None, loaded.reports)
    if len(lines) > 1:
        newest = lines[-1].with_stored(loaded.record.stored())
        return Handled((*lines[:-1], newest), None, loaded.reports)
    line, reports = lines[0], list(loaded.reports)
    for swipe, text in enumerate(line.swipes):
        before: Mapping[str, Any] = (line.records[swipe] if swipe < len(line.records) else None) or {}
        record = Record.of(merged(before, loaded.record.stored(), "whole")) or loaded.record
        greeted = with_greeting(record, text, books, player.macros, player.behaviour)
        reports += greeted.reports
        changed = player.carry_out(greeted.record, text)
        reports += changed.reports
        line = line.with_stored(changed.record.stored(), swipe)
    return Handled((line,), None, tuple(reports))


def handle(lines: Lines, at: int, player: Player) -> Handled:
    """Read a message: its record is that of the messages before it with its own commands carried out.

    A reply that is too short, or of somebody else, is not read. Reading a message again gives the same record.
    """
    line = lines[at]
    if not line.by_user and not _is_read(line, player):
        return Handled(lines)
    base = last_record(lines, at or 1)
    if base is None:
        return Handled(lines)
    changed = player.carry_out(base, line.text)
    line = line.with_stored(_with_members(line.stored or {}, changed.record))
    if not line.by_user:
        line = line.with_text(_told(line.text))
    return Handled((*lines[:at], line, *lines[at + 1 :]), changed, changed.reports)


def _with_members(before: Mapping[str, Json], record: Record) -> dict[str, Json]:
    """A stored record with the program's members of another one; those of others stay."""
    own = {name: value for name, value in record.stored().items() if name in MEMBERS}
    return {**{name: value for name, value in before.items() if name not in MEMBERS}, **own}


def _is_read(line: Line, player: Player) -> bool:
    is_own = player.reads_other_names or not player.character or line.name == player.character
    return is_own and len(line.text.encode("utf-16-le", "surrogatepass")) >= 2 * _SHORTEST_REPLY


def _told(text: str) -> str:
    """A reply with the mark for the status bar at its end, and without a status block that the model repeated."""
    if PLACEHOLDER not in text:
        text = f"{text}\n\n{PLACEHOLDER}"
    return _without_status(text) if _STATUS_OPEN in text else text


def _without_status(text: str) -> str:
    """Without what stands between an opening tag and the last closing one before the next opening one."""
    spans: list[tuple[int, int]] = []
    begin: int | None = None
    for tag in _STATUS_TAG.finditer(text):
        if tag[0].lower() == _STATUS_OPEN:
            begin = tag.start()
        elif tag[1] and begin is not None:
            if spans and spans[-1][0] == begin:
                spans.pop()
            spans.append((begin, tag.end()))
    kept: list[str] = []
    at = 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])
