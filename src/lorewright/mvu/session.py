"""Playing: the variables of a conversation before a message -> those behind it (ADR 0028).

The record of a message is kept as variables of the conversation, so that macros, code in books and gates read it by the
names that the program has for it: `stat_data`, `display_data`, `delta_data`. The rules and the names of the books that
are in stand under `$mvu`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lorewright.core.model import Message, Report, Turn
from lorewright.core.protocols import KeeperContext, Kept, VariableChange
from lorewright.mvu.addons import OWN_CHECKS
from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.initial import EMPTY_RECORD, InitialBook, load_initial, with_greeting
from lorewright.mvu.keeper import TREE
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.record import Record
from lorewright.mvu.update import Update, update

__all__ = ["BOOKKEEPING", "keep_record", "play_message", "record_in", "start", "variables_of", "with_names"]

BOOKKEEPING: Final = "$mvu"
_DISPLAY, _DELTA = "display_data", "delta_data"
_NAME: Final = re.compile(r"\{\{(user|char)\}\}|<(USER|BOT|CHAR)>", re.IGNORECASE)


def record_in(variables: Mapping[str, object]) -> Record | None:
    """The record that variables hold; None if there is no tree among them."""
    tree = variables.get(TREE)
    if tree is None:
        return None
    kept = variables.get(BOOKKEEPING)
    stored = {
        "stat_data": tree,
        "display_data": variables.get(_DISPLAY),
        "delta_data": variables.get(_DELTA),
        "schema": None,
        **(kept if isinstance(kept, Mapping) else {}),
    }
    return Record.of(stored)


def variables_of(record: Record) -> dict[str, object]:
    """The variables that hold a record."""
    stored = record.stored()
    return {
        TREE: stored["stat_data"],
        _DISPLAY: stored.get("display_data", stored["stat_data"]),
        _DELTA: stored.get("delta_data", {}),
        BOOKKEEPING: {"schema": stored.get("schema"), "initialized_lorebooks": stored["initialized_lorebooks"]},
    }


def start(
    record: Record | None,
    books: Sequence[InitialBook],
    greeting: str | None = None,
    macros: Callable[[str], str] = str,
    behaviour: Behaviour = CAREFUL,
) -> tuple[Record | None, tuple[Report, ...]]:
    """The record with the initial values of books that are not in yet, and of a greeting if the chat begins with one.

    None: there is no tree before, and no book has one.
    """
    loaded = load_initial(record or EMPTY_RECORD, books, macros, behaviour)
    after = loaded.record if loaded.is_new else record
    if after is None or greeting is None:
        return after, loaded.reports
    greeted = with_greeting(after, greeting, books, macros, behaviour)
    return greeted.record, (*loaded.reports, *greeted.reports)


def play_message(record: Record, text: str, behaviour: Behaviour = CAREFUL, *, permissive: bool = False) -> Update:
    """The record behind a message, whose names are filled in already. The same message gives the same once more.

    permissive: the card checks its tree itself.
    """
    return (update_permissively if permissive else update)(record, text, behaviour)


def with_names(text: str, turn: Turn) -> str:
    """A text with the names of user and character in place of their macros. Nothing else that a model writes is run."""
    names = {"user": turn.user, "char": turn.character.name if turn.character else "", "bot": ""}
    names["bot"] = names["char"]
    return _NAME.sub(lambda found: names[(found[1] or found[2]).lower()], text)


def keep_record(
    record: Record | None,
    messages: Sequence[Message],
    books: Sequence[InitialBook],
    context: KeeperContext,
    behaviour: Behaviour = CAREFUL,
) -> Kept:
    """The variables behind messages, oldest first, with the initial values of books that are not in yet."""
    spoken = [at for at, one in enumerate(messages) if one.role in ("user", "assistant")]
    begins = context.starts and bool(spoken) and messages[spoken[0]].role == "assistant"
    greeting = with_names(messages[spoken[0]].text, context.turn) if begins else None
    before = record
    record, reports = start(before, books, greeting, context.render, behaviour)
    if record is None:
        return Kept(reports=reports)
    permissive = context.turn.variables.get(OWN_CHECKS) is True
    changes = [VariableChange(-1)] if record is not before else []
    found = list(reports)
    for at in spoken:
        played = play_message(record, with_names(messages[at].text, context.turn), behaviour, permissive=permissive)
        record = played.record
        found += played.reports
        if played.changes or played.refused:
            changes.append(_change(at, played))
    return Kept(variables_of(record), tuple(changes), tuple(found))


def _change(message: int, played: Update) -> VariableChange:
    return VariableChange(
        message,
        tuple((one.command, one.text) for one in played.changes),
        tuple((one.category, one.text) for one in played.refused),
    )
