"""What the program does with a chat on request: read a message again, repeat, restore, forget (spec mvu-vars §10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lorewright.mvu.chat import Line, Lines, Player, handle, last_record
from lorewright.mvu.edits import merged, put
from lorewright.mvu.initial import EMPTY_RECORD, InitialBook, load_initial
from lorewright.mvu.record import MEMBERS, Record
from lorewright.mvu.schema import reconcile
from lorewright.mvu.values import Json, described

__all__ = ["SNAPSHOT", "Keeping", "clean_up", "forget_old", "replay", "reprocess", "reread_initial", "restore"]

SNAPSHOT: Final = "snapshot"
"""A member that marks a record to be kept."""
_CLEANED_EVERY: Final = 5


@dataclass(frozen=True, slots=True)
class Keeping:
    """Which records are kept: those of the `newest` messages, and of every `interval`-th one. A deletion restores if
    one of the `watched` newest messages lacks its record."""

    cleans: bool = True
    newest: int = 20
    interval: int = 50
    watched: int = 10


def reprocess(lines: Lines, player: Player) -> Lines:
    """Read the last message again, as if it had no record."""
    if len(lines) < 2:
        return lines
    bare = lines[-1].with_stored(_without_members(lines[-1].stored))
    return handle((*lines[:-1], bare), len(lines) - 1, player).lines


def replay(lines: Lines, target: int, start: int, player: Player) -> Lines:
    """Carry out the commands of all messages behind `start` up to `target` on the record of `start`, and keep the
    outcome with `target` alone. Places from the end are negative.

    Raises:
        IndexError: there is no such message.
    """
    places = range(len(lines))
    target, start = places[target], places[start]
    record = Record.of(lines[start].stored)
    if record is None:
        return lines
    for line in lines[start + 1 : target + 1]:
        record = player.carry_out(record, line.text).record
    return _stored(lines, target, record)


def restore(lines: Lines, keeping: Keeping, player: Player) -> Lines:
    """After a deletion: give the newest messages their records again, from the last one that is left before them."""
    last = len(lines) - 1
    bare = max((at for at, line in enumerate(lines) if Record.of(line.stored) is None), default=-1)
    if max(1, last - keeping.watched) > bare:
        return lines
    first = max(1, last - keeping.newest)
    start = max((at for at in range(first) if Record.of(lines[at].stored)), default=-1)
    record = Record.of(lines[start].stored) if start >= 0 else None
    if record is None:
        return lines
    for at in range(start + 1, bare + 1):
        record = player.carry_out(record, lines[at].text).record
        if at >= first and Record.of(lines[at].stored) is None:
            lines = _stored(lines, at, record)
    return lines


def forget_old(lines: Lines, newest: int, keeping: Keeping) -> Lines:
    """Without the records of old messages, but for the first message, those that are marked, and those of every `interval`-th message."""
    return _forgotten(lines, 1, len(lines) - 1 - newest, keeping)


def clean_up(lines: Lines, at: int, keeping: Keeping) -> Lines:
    """What happens when message `at` comes in: after every fifth one old records go."""
    old = at - keeping.newest
    if not keeping.cleans or len(lines) % _CLEANED_EVERY or old <= 0:
        return lines
    return _forgotten(lines, max(1, old - 2 - 2 * keeping.newest), old, keeping)


def reread_initial(lines: Lines, books: Sequence[InitialBook], player: Player) -> Lines:
    """The initial values as they are now, with the values that were played over them; descriptions are the new ones."""
    played = last_record(lines, len(lines))
    loaded = load_initial(EMPTY_RECORD, books, player.macros, player.behaviour)
    if played is None or not loaded.is_new:
        return lines
    fresh = loaded.record
    tree = _with_descriptions(merged(fresh.tree, played.tree), fresh.tree)
    schema = reconcile(tree, merged(played.schema or {}, fresh.schema))
    books_in = tuple(dict.fromkeys((*fresh.books, *played.books)))
    record = replace(played, tree=tree, schema=schema, books=books_in, display=tree)
    return _stored(lines, len(lines) - 1, record)


def _with_descriptions(tree: Json, fresh: Json) -> Json:
    """The tree with the descriptions of fresh values: the second item of a pair, and members named `description`."""
    if isinstance(tree, list) and isinstance(fresh, list):
        if described(fresh) and described(tree):
            return [_with_descriptions(tree[0], fresh[0]), fresh[1]]
        paired = [_with_descriptions(old, new) for old, new in zip(tree, fresh, strict=False)]
        return [*paired, *tree[len(paired) :]]
    if not (isinstance(tree, dict) and isinstance(fresh, dict)):
        return tree
    made = {name: _with_descriptions(value, fresh[name]) if name in fresh else value for name, value in tree.items()}
    described_by = fresh.get("description")
    return put(made, ["description"], described_by) if isinstance(described_by, str) and "description" in made else made


def _forgotten(lines: Lines, first: int, last: int, keeping: Keeping) -> Lines:
    return tuple(
        _bare(line) if first <= at <= last and at % keeping.interval and not _is_marked(line) else line
        for at, line in enumerate(lines)
    )


def _is_marked(line: Line) -> bool:
    return any(isinstance(stored, dict) and stored.get(SNAPSHOT) for stored in line.records)


def _bare(line: Line) -> Line:
    return replace(line, records=tuple(map(_without_members, line.records)))


def _without_members(stored: Json) -> Json:
    return {name: value for name, value in (stored or {}).items() if name not in MEMBERS} or None


def _stored(lines: Lines, at: int, record: Record) -> Lines:
    others = _without_members(lines[at].stored) or {}
    line = lines[at].with_stored({**others, **replace(record, others={}).stored()})
    return (*lines[:at], line, *lines[at + 1 :])
