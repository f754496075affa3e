"""Which turns of a stream are one conversation: its branches, its repeated requests, and what its client names alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.chain import digest
from lorewright.errors import LedgerError
from lorewright.ledger.events import ReplyReceived, TurnAssembled
from lorewright.ledger.ledger import FAILED, Ledger
from lorewright.storage.image import Ref

__all__ = ["Conversation", "beyond_newest", "conversations", "cut_off", "older_than"]

_USER: Final = "user"
_CUT: Final = frozenset({FAILED, "interrupted", "client_gone"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """turns: their numbers in the stream, in order. name: what the client called it, empty if it did not. first_at,
    last_at: when the first and the last turn were assembled, in seconds since 1970."""

    turns: tuple[int, ...]
    name: str
    first_at: float
    last_at: float


def conversations(ledger: Ledger) -> tuple[Conversation, ...]:
    """The conversations of a stream, in the order of their first turns.

    Turns belong together if they have a message of the user in common, at one place of the chain: branches, requests
    that were sent again, and what goes on from them. Those that the client gave one name do, too; those with two names
    do not. A greeting that many chats begin with joins nobody.
    """
    turns = {turn.turn: turn for turn in ledger.turns()}
    reader = _Reader(ledger, turns)
    groups = _Groups()
    for number in turns:
        for mark in reader.marks(number):
            groups.join(number, mark)
    found: dict[Hashable, list[int]] = {}
    for number in turns:
        found.setdefault(groups.of(number), []).append(number)
    return tuple(
        Conversation(
            tuple(numbers),
            next(filter(None, map(reader.name, numbers)), ""),
            min(turns[number].at for number in numbers),
            max(turns[number].at for number in numbers),
        )
        for numbers in found.values()
    )


def older_than(ledger: Ledger, seconds: float) -> set[int]:
    """The turns of conversations whose last turn was assembled before this moment (seconds since 1970)."""
    return {turn for one in conversations(ledger) if one.last_at < seconds for turn in one.turns}


def beyond_newest(ledger: Ledger, count: int) -> set[int]:
    """The turns of each conversation but for its newest ones."""
    return {turn for one in conversations(ledger) for turn in one.turns[: len(one.turns) - count if count else None]}


def cut_off(ledger: Ledger) -> set[int]:
    """The turns whose reply broke off or failed, and which nothing went on from."""
    endings = {reply.turn: reply.ending for reply in ledger.of_kind(ReplyReceived)}
    parents = {turn.parent for turn in ledger.turns()}
    return {turn for turn, ending in endings.items() if ending in _CUT and turn not in parents}


class _Reader:
    """What turns of one conversation have in common."""

    def __init__(self, ledger: Ledger, turns: Mapping[int, TurnAssembled]) -> None:
        self._ledger = ledger
        self._turns = turns
        self._digests: dict[Any, str] = {}

    def marks(self, number: int) -> Iterator[Hashable]:
        """Things that join a turn to others that have them; a number is another turn."""
        turn = self._turns[number]
        session, said = self._session_of(number), self._said(number)
        if session:
            yield session
        if turn.parent and session in ("", self._session_of(turn.parent)) and said & self._said(turn.parent):
            yield turn.parent
        if self._ledger.store.text(turn.trail.commitment) is not None:
            digests = {self._digest(line) for line in said} - {""}
            nodes = self._ledger.trail(turn.trail)[2]
            yield from ((session, node.key) for node in nodes if node.digest in digests)

    def name(self, number: int) -> str:
        """What the client called the conversation; empty if it did not, or the name was erased."""
        session = self._session_of(number)
        return str(self._ledger.texts.get(Ref(session))) if session and self._ledger.store.text(session) else ""

    def _session_of(self, number: int) -> str:
        """The commitment of the name."""
        found = dict(self._turns[number].scene).get("session")
        return found.commitment if found is not None else ""

    def _said(self, number: int) -> set[Any]:
        """The user's messages."""
        lines: tuple[Any, ...] = self._ledger.lines(number).messages
        return {line for line in lines if line[0] == _USER}

    def _digest(self, line: Any) -> str:
        """What the chain knows a message by; empty if it was erased."""
        if line not in self._digests:
            try:
                self._digests[line] = digest(self._ledger.texts.get_message(line))
            except LedgerError:
                self._digests[line] = ""
        return self._digests[line]


class _Groups:
    """Things that were joined, directly or not."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def of(self, thing: Hashable) -> Hashable:
        """What stands for the group of a thing."""
        above = self._above.setdefault(thing, thing)
        while above != (higher := self._above[above]):
            self._above[thing] = higher
            thing, above = above, higher
        return above

    def join(self, one: Hashable, other: Hashable) -> None:
        self._above[self.of(one)] = self.of(other)
