"""A stream of events in a file, with what they refer to.

A stream is one scope: its conversations know each other. Every append is one transaction; what `record` and the other
methods have returned from is there to stay.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from time import time
from typing import Any, Final, Self, Unpack

from lorewright.core.model import ActiveBook, Message
from lorewright.core.policy import Policy
from lorewright.core.weave import Woven
from lorewright.fast.memo import KeptTexts
from lorewright.ledger.events import (
    EVENTS,
    BookStored,
    Event,
    MemoryKept,
    PlacementMoved,
    PolicyStored,
    ReplyReceived,
    Rewritten,
    SessionOpened,
    ThingStored,
    TurnAssembled,
    VariablesChanged,
)
from lorewright.ledger.events.reply_received import Said
from lorewright.ledger.given_up import GivenUp, LateReplacement
from lorewright.ledger.outside import Outside
from lorewright.ledger.plans import Kind, things_in
from lorewright.ledger.sent import sent_hash, with_attachments
from lorewright.ledger.texts import Stored, Texts
from lorewright.ledger.turns import Lines, Turns
from lorewright.ledger.window import write_steps
from lorewright.storage.image import Image, Ref
from lorewright.storage.memory import StoreMemory, pack_nodes
from lorewright.storage.sqlite import EventRow, Store, open_store

__all__ = ["FAILED", "IMAGE", "MAIN", "NODES_FROM", "Beside", "Ledger", "open_ledger"]

MAIN: Final = "main"
FAILED: Final = "failed"
"""The ending of a reply that was none."""
Beside = Callable[[int], Event]
"""Makes an event of the number of the turn that it goes with."""
IMAGE: Final = Image((*EVENTS, Rewritten, GivenUp, LateReplacement, Outside))
_SEAL_BYTES: Final = 16
NODES_FROM: Final = 2
"""In a trail: behind the seal and the turn's number."""


class Ledger:
    """One stream of one file. `clock` gives seconds since 1970."""

    def __init__(self, store: Store, stream: str = MAIN, clock: Callable[[], float] = time) -> None:
        self.store = store
        self.stream = stream
        self.clock = clock
        self.texts = Texts(store, IMAGE)
        self.memory = StoreMemory(store, stream, IMAGE)
        self.generation = 0
        """Changes when the stream has been changed by somebody else, or texts were erased."""
        self._revision = store.revision()
        self.erasures = store.erasures()
        """How often texts had been erased from the file when it was looked at last."""
        self._head = _number(store.head(stream))
        self._count: int | None = None
        """Of turns, where it is known."""
        self._turns = Turns(store, stream, IMAGE)
        self._policy: tuple[Policy, Ref] | None = None
        """That of the last turn, where it is known."""
        self._bytes = KeptTexts()
        self._things: set[ThingStored] = set()
        """Those that the file surely has."""

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing -----------------------------------------------------------------------------------------------------

    def open_session(self, counter: str, engine: str) -> None:
        """Say how tokens are counted and keys searched from here on, unless that is so already."""
        with self.store.transaction():
            last = self.last(SessionOpened)
            opened = SessionOpened(
                at=self.clock(), program=f"lorewright {version('lorewright')}", counter=counter, engine=engine
            )
            if last is None or (last.program, last.counter, last.engine) != (opened.program, counter, engine):
                self._append(opened)

    def record(
        self,
        woven: Woven,
        client: Any,
        books: Sequence[ActiveBook],
        policy: Policy,
        outside: Outside | None = None,
        seen: int | None = None,
        beside: Beside | None = None,
    ) -> int:
        """Append a turn, and give its number in the stream.

        `client` is the turn as the client asked for it, `woven` what became of it with these books and this policy,
        `outside` what came from outside meanwhile (`Recorder.take`). `seen`: the `generation` that was looked at
        for it; if it is another one by now, nothing is appended, and the number is 0. `beside` gives an event that goes
        with the turn; it is asked last, and what it raises undoes all.
        """
        texts = self.texts
        with self.writing():
            if seen not in (None, self.generation):
                return 0
            lore, new_books = texts.put_books(books)
            for ref, entries in new_books:
                if not self._knows(BookStored, ref):
                    self._append(BookStored(book=ref, entries=entries))
            policy_ref = self._put_policy(policy)
            for kind, name, thing in things_in(client.plan) if client.plan else ():
                self.store_thing(kind, name, thing)
            number = self.count_turns() + 1
            parent = self._find_parent(woven)
            before = self.lines(parent)
            sent = with_attachments(woven.messages, client)
            lines = Lines(texts.put_messages(client.messages), texts.put_sent(sent))
            seal = secrets.token_bytes(_SEAL_BYTES)
            trail = texts.put((seal, number, *pack_nodes(woven.nodes, texts.put)))
            self.memory.put(trail.commitment, woven.nodes, NODES_FROM)
            turn = TurnAssembled(
                turn=number,
                parent=parent,
                at=self.clock(),
                lore=lore,
                policy=policy_ref,
                scene=texts.put_scene(client),
                messages=write_steps(before.messages, lines.messages),
                reads=None if outside is None else texts.put(outside),
                number=woven.turn.number or 0,
                sent=write_steps(before.sent, lines.sent),
                hash=sent_hash(seal, sent, self._bytes),
                trail=trail,
                active=tuple(item.entry.id for item in woven.assembly.activated),
                waiting=tuple((item.entry, item.reason) for item in woven.waiting),
            )
            row = self._append(turn)
            for move in woven.moves:
                self._append(PlacementMoved(turn=number, cause=move.cause, entry=move.entry))
            for change in woven.changes:
                self._append(
                    VariablesChanged(
                        turn=number,
                        message=change.message,
                        done=len(change.done),
                        refused=len(change.refused),
                        commands=texts.put((change.done, change.refused)),
                    )
                )
            if beside is not None:
                self._append(beside(number))
        self._policy, self._count = (policy, policy_ref), number
        self._turns.keep(row, turn, lines)
        return number

    def reply(
        self,
        turn: int,
        text: str | None = None,
        messages: Sequence[Message] = (),
        changed: Iterable[tuple[str, str]] = (),
        **said: Unpack[Said],
    ) -> None:
        """Append what the model answered to a turn, and what is said of it. messages: the answer as messages, where it is
        more than its text. changed: texts that the client got in other words, each with those.

        A turn that failed is remembered no more: what comes next goes on from what was before it. Of a turn that was
        erased meanwhile the text is not kept.
        """
        with self.writing():
            if self.is_erased(turn):
                text, messages, changed = None, (), ()
            self._append(
                ReplyReceived(
                    turn=turn,
                    at=self.clock(),
                    text=None if text is None else self.texts.put(text),
                    messages=self.texts.put_messages(messages),
                    changed=tuple((self.texts.put(kept), self.texts.put(shown)) for kept, shown in changed),
                    **said,
                )
            )
            if said.get("ending") == FAILED:
                self.place_nodes()

    def store_thing(self, kind: Kind, name: str, thing: Stored) -> Ref:
        """Store what a turn is laid out from, and append that it was seen if it is new. Only inside of a transaction.

        What comes back is for the event of the turn; `texts.get_thing` finds the thing again.
        """
        ref = self.texts.put_thing(thing)
        stored = ThingStored(kind=kind, name=self.texts.put(name), thing=ref)
        if stored not in self._things:
            if all(event != stored for event in self.of_kind(ThingStored)):
                self._append(stored)
            self._things.add(stored)
        return ref

    def append(self, event: Event) -> EventRow:
        """Append an event. Only inside of a transaction of the store."""
        return self._append(event)

    def place_nodes(self) -> None:
        """Find all nodes anew in the trails that are left. Only inside of a transaction."""
        failed = {turn for _, turn in self.failures()}
        left = [
            ref
            for turn, ref in self.trails().items()
            if turn not in failed and not self.store.is_erased(ref.commitment)
        ]
        self.memory.place_anew(((ref.commitment, self.trail(ref)[2]) for ref in left), NODES_FROM)

    def refresh(self) -> None:
        """Forget what is kept beside the file if it is not so any more: another program has gone on with the stream,
        somebody has erased texts, or a transaction was undone. What a turn was and what it was written against stays."""
        revision = self.store.revision()
        if revision == self._revision:
            return
        is_undone = revision[1] != self._revision[1]
        self._revision = revision
        erasures, head = self.store.erasures(), _number(self.store.head(self.stream))
        are_erased = erasures != self.erasures
        if is_undone or are_erased:
            self.texts.forget()
            self._bytes = KeptTexts()
            self._things.clear()
        if is_undone or are_erased or head != self._head:
            self.generation += 1
            self.memory.forget()
            self._count = self._policy = None
        self.erasures, self._head = erasures, head

    # -- reading -----------------------------------------------------------------------------------------------------

    def events(self, first: int = 1) -> Iterator[tuple[EventRow, Event]]:
        """The events from a number on, each as it is stored and as what it says."""
        return ((row, IMAGE.decode(row.body)) for row in self.store.events(self.stream, first))

    def of_kind(self, kind: type[Any]) -> Iterator[Any]:
        """The events of one kind, in order."""
        return (IMAGE.decode(row.body) for row in self.store.events_of(self.stream, kind.__name__))

    def last(self, kind: type[Any], before: int | None = None) -> Any:
        """The last event of a kind, or the last one with a number below `before`; None if there is none."""
        row = self.store.last_event_of(self.stream, kind.__name__, before)
        return None if row is None else IMAGE.decode(row.body)

    def count_turns(self) -> int:
        if self._count is None or self._revision != self.store.revision():
            return self._turns.count()
        return self._count

    def turn(self, number: int) -> tuple[EventRow, TurnAssembled]:
        """A turn by its number.

        Raises:
            LedgerError: there is none.
        """
        return self._turns.get(number)

    def turns(self) -> Iterator[TurnAssembled]:
        return self.of_kind(TurnAssembled)

    def lines(self, number: int) -> Lines:
        """The messages of a turn; of 0: none.

        Raises:
            LedgerError: there is no such turn, or what it is written against is missing.
        """
        return self._turns.lines(number)

    def moves(self, turn: int) -> tuple[PlacementMoved, ...]:
        """What was moved in a turn."""
        row, _ = self.turn(turn)
        found: list[PlacementMoved] = []
        for _, event in self.events(row.number + 1):
            if not isinstance(event, PlacementMoved):
                break
            found.append(event)
        return tuple(found)

    def trails(self) -> dict[int, Ref]:
        """The trail of each turn, in order; what is left of it, if an entry was erased since. It may be erased."""
        found = {turn.turn: turn.trail for turn in self.turns()}
        return found | {kept.turn: kept.trail for kept in self.of_kind(MemoryKept)}

    def failures(self) -> tuple[tuple[int, int], ...]:
        """The turns whose requests failed, each behind the number of the event that says so."""
        rows = self.store.events_of(self.stream, ReplyReceived.__name__)
        replies = ((row.number, IMAGE.decode(row.body)) for row in rows)
        return tuple((number, reply.turn) for number, reply in replies if reply.ending == FAILED)

    def is_erased(self, turn: int) -> bool:
        """Whether a text that a turn depends on was erased, or all of it forgotten.

        Raises:
            LedgerError: there is no such turn.
        """
        return self.store.is_erased(self.turn(turn)[1].trail.commitment)

    def has_forgotten(self) -> bool:
        """Whether nothing is left of what a turn was remembered by."""
        return any(self.store.is_erased(ref.commitment) for ref in self.trails().values())

    def trail(self, ref: Ref) -> tuple[bytes, int, tuple[Any, ...]]:
        """Seal, turn and packed nodes."""
        seal, turn, *nodes = self.texts.get(ref)
        return seal, turn, tuple(nodes)

    # -- inside ------------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction. What is kept beside the file is looked at once nobody else can write: a text that another
        process has erased must be stored again."""
        with self.store.transaction():
            self.refresh()
            yield

    def _append(self, event: Event) -> EventRow:
        row = self.store.append(self.stream, type(event).__name__, IMAGE.encode(event))
        self._head = row.number
        return row

    def _put_policy(self, policy: Policy) -> Ref:
        """Store a policy, and append that it is in use from here on if it was not."""
        if self._policy and (policy is self._policy[0] or policy == self._policy[0]):
            return self._policy[1]
        ref = self.texts.put(policy)
        last = self.last(PolicyStored)
        if last is None or last.policy != ref:
            self._append(PolicyStored(name=policy.name, policy=ref))
        return ref

    def _knows(self, kind: type[Any], ref: Ref) -> bool:
        return any(event.book == ref for event in self.of_kind(kind))

    def _find_parent(self, woven: Woven) -> int:
        """The turn whose request went as far along this conversation as any."""
        for key in reversed(woven.path):
            holder = self.memory.holder(key) if key else None
            if holder is not None:
                return self._turns.with_trail(holder) or self.trail(Ref(holder))[1]
        return 0


def _number(head: tuple[int, bytes] | None) -> int:
    """The number of the last event; 0 if there is none."""
    return head[0] if head else 0


def open_ledger(
    path: str | Path,
    stream: str = MAIN,
    *,
    full: bool = False,
    create: bool = True,
    shared: bool = False,
    clock: Callable[[], float] = time,
) -> Ledger:
    """Open a stream of a ledger file. `full`: what is acknowledged survives a loss of power, too. `shared`: as in
    `open_store`.

    Raises:
        LedgerError: the file is no ledger, or cannot be used.
    """
    return Ledger(open_store(path, full=full, create=create, shared=shared), stream, clock)
