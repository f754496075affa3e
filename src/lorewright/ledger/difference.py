"""Where two requests part, and whose text stands there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import Any, Final

from lorewright.core.policy import Policy
from lorewright.core.prefix import Kept, compare
from lorewright.core.protocols import Counter
from lorewright.core.record import Move
from lorewright.core.regex_script import RegexScript
from lorewright.core.woven import Piece, WovenMessage
from lorewright.ledger.events import TurnAssembled
from lorewright.ledger.ledger import Ledger

__all__ = ["Parting", "TurnDifference", "compare_turns", "find_parting"]

_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Parting:
    """The first place at which two requests differ.

    message: counted from 0. offset: in bytes of its content. was, now: the pieces there; None: there is none.
    """

    message: int
    offset: int
    role: str
    was: Piece | None
    now: Piece | None

    @property
    def entries(self) -> tuple[str, ...]:
        """The entries whose text stands there, in the one or in the other."""
        found = [piece.entry for piece in (self.was, self.now) if piece and piece.entry]
        return tuple(dict.fromkeys(found))


def find_parting(before: Sequence[WovenMessage], now: Sequence[WovenMessage]) -> Parting | None:
    """The first difference; None if the second begins with all of the first and both have equal length."""
    for number, (one, other) in enumerate(zip_longest(before, now)):
        if one is None or other is None or (one.role, one.name) != (other.role, other.name):
            was, new = (message.pieces[0] if message and message.pieces else None for message in (one, other))
            return Parting(number, 0, (other or one).role, was, new)
        if one.content != other.content:
            return _inside(number, one, other)
    return None


def _inside(number: int, one: WovenMessage, other: WovenMessage) -> Parting:
    ends = zip_longest(one.pieces, other.pieces)
    offset = 0
    for was, now in ends:
        if was is not None and now is not None and was.text == now.text:
            offset += len(was.text.encode("utf-8", "surrogatepass"))
            continue
        texts = [(piece.text if piece else "").encode("utf-8", "surrogatepass") for piece in (was, now)]
        same = next((at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
        return Parting(number, offset + same, other.role, was, now)
    return Parting(number, offset, other.role, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDifference:
    """What changed from one turn to a later one.

    kept: how much of the first stands at the beginning of the second, and what moved the rest. parting: where they
    part. moves: every change to standing text between them. came, went: entries that are active in only one of them.
    policy: switches and settings that differ, each with both values. entries: of the books, that were edited, added or
    removed.
    """

    first: int
    second: int
    kept: Kept
    parting: Parting | None
    moves: tuple[tuple[int, Move], ...]
    came: tuple[str, ...]
    went: tuple[str, ...]
    policy: tuple[tuple[str, Any, Any], ...]
    entries: tuple[str, ...]


def compare_turns(ledger: Ledger, first: int, second: int, counter: Counter) -> TurnDifference:
    """Compare what was sent in two turns.

    Raises:
        LedgerError: there is no such turn, or a text of it was erased.
    """
    one, other = ledger.turn(first)[1], ledger.turn(second)[1]
    before, now = (_sent(ledger, number) for number in (first, second))
    low, high = sorted((first, second))
    moves = tuple(
        (number, Move(_cause(move.cause), move.entry))
        for number in range(low + 1, high + 1)
        for move in ledger.moves(number)
    )
    return TurnDifference(
        first=first,
        second=second,
        kept=compare(before, now, counter, [move for _, move in moves]),
        parting=find_parting(before, now),
        moves=moves,
        came=tuple(entry for entry in other.active if entry not in one.active),
        went=tuple(entry for entry in one.active if entry not in other.active),
        policy=_policy_changes(ledger, one, other),
        entries=_edited(ledger, one, other),
    )


def _cause(cause: str) -> Any:
    return cause


def _sent(ledger: Ledger, number: int) -> list[WovenMessage]:
    return [ledger.texts.get_sent(line)[0] for line in ledger.lines(number).sent]


def _policy_changes(ledger: Ledger, one: TurnAssembled, other: TurnAssembled) -> tuple[tuple[str, Any, Any], ...]:
    if one.policy == other.policy:
        return ()
    return tuple(_field_changes(ledger.texts.get(one.policy), ledger.texts.get(other.policy)))


def _field_changes(one: Any, other: Any, above: str = "") -> Iterable[tuple[str, Any, Any]]:
    for field in fields(Policy if not above else one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if a == b:
            continue
        if field.name == "scripts" and not above:
            yield "scripts", _named(a), _named(b)
        elif hasattr(a, "__dataclass_fields__") and type(a) is type(b):
            yield from _field_changes(a, b, f"{above}{field.name}.")
        else:
            yield f"{above}{field.name}", a, b


def _named(scripts: Iterable[RegexScript]) -> tuple[str, ...]:
    return tuple(f"{script.name} ({script.id[:_DIGITS]})" for script in scripts)


def _edited(ledger: Ledger, one: TurnAssembled, other: TurnAssembled) -> tuple[str, ...]:
    if one.lore == other.lore:
        return ()
    before, now = (_entries(ledger, turn) for turn in (one, other))
    return tuple(sorted(entry for entry in {*before, *now} if before.get(entry, None) != now.get(entry, None)))


def _entries(ledger: Ledger, turn: TurnAssembled) -> dict[str, str]:
    """By the id of an entry the reference to its text."""
    found: dict[str, str] = {}
    for _, ref in turn.lore:
        book = ledger.texts.get_book(ref)
        refs = ledger.texts.entry_refs(ref)
        found |= {f"{book.name}.{e.uid}": r.commitment for e, r in zip(book.entries, refs, strict=True)}
    return found
