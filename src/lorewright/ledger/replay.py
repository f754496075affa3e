"""Turns assembled again from what went in, and compared with what came out by its hash alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.policy import Policy
from lorewright.core.protocols import Counter, Tools
from lorewright.core.weave import Woven, weave
from lorewright.errors import LedgerError, SettingsError
from lorewright.fast.tokens import make_counter
from lorewright.ledger.difference import Parting, find_parting
from lorewright.ledger.events import SessionOpened, TurnAssembled
from lorewright.ledger.ledger import Ledger
from lorewright.ledger.outside import with_recorded
from lorewright.ledger.past import Past
from lorewright.ledger.sent import sent_hash, with_attachments
from lorewright.toolbox import Engine, load_lore, make_tools

__all__ = ["Replayed", "Replayer", "replay"]

_MOST_LORES: Final = 4
Outcome = Literal["same", "different", "erased"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """How one turn came out. `erased`: a text that it depends on was erased, so it cannot be repeated.

    parting: the first difference, once there is one. entries: whose text it is, or who is active in only one of the
    two. message: the same for a person.
    """

    turn: int
    outcome: Outcome
    message: str = ""
    parting: Parting | None = None
    entries: tuple[str, ...] = ()


class Replayer:
    """Goes through the turns of a ledger in order.

    `tools` in place of the recorded counter and matcher. `policy` may change the recorded one, to see what it would
    have done.
    """

    def __init__(
        self, ledger: Ledger, tools: Tools | None = None, policy: Callable[[Policy], Policy] | None = None
    ) -> None:
        self.ledger = ledger
        self._tools = tools
        self._change = policy
        self._made: dict[tuple[str, str], Tools] = {}
        self._lores: dict[tuple[object, ...], Lore] = {}
        self._past = Past(ledger)

    def run(self) -> Iterator[Replayed]:
        """All turns."""
        for turn in self.ledger.turns():
            yield self.replay(turn.turn)

    def replay(self, number: int) -> Replayed:
        """One turn.

        Raises:
            LedgerError: there is no such turn, or the ledger is damaged.
        """
        return self.judge(number)[0]

    def judge(self, number: int) -> tuple[Replayed, Woven | None]:
        """How one turn comes out, and what becomes of it now; None: it cannot be repeated.

        Raises:
            LedgerError: as above.
        """
        row, recorded = self.ledger.turn(number)
        try:
            seal = self.ledger.trail(recorded.trail)[0]
            client, woven = self.weave(number)
        except LedgerError as error:
            if "text" in error.facts and self._is_erased(str(error.facts["text"])):
                return Replayed(number, "erased", "A text that this turn depends on was erased."), None
            if {"entry", "rendered"} & set(error.facts):
                entry = error.facts.get("entry")
                return Replayed(number, "different", error.message, None, (str(entry),) if entry else ()), None
            raise
        if sent_hash(seal, with_attachments(woven.messages, client)) == recorded.hash:
            return Replayed(number, "same"), woven
        if self._past.has_gaps(number, self._past.failed_before(row.number)):
            return Replayed(number, "erased", "What was remembered before this turn was erased."), None
        return self._explain(recorded, woven), woven

    def weave(self, number: int) -> tuple[Turn, Woven]:
        """The client's turn, and what becomes of it now.

        Raises:
            LedgerError: there is no such turn, or a text that it needs was erased.
        """
        row, recorded = self.ledger.turn(number)
        texts = self.ledger.texts
        client = texts.get_turn(recorded.scene, self.ledger.lines(number).messages)
        tools = self._tools_at(row.number)
        self._past.refresh()
        memory = self._past.before(number, self._past.failed_before(row.number))
        outside = None if recorded.reads is None else texts.get(recorded.reads)
        return client, weave(client, self._lore(recorded, tools), memory, with_recorded(tools, outside))

    def policy(self, recorded: TurnAssembled) -> Policy:
        """The policy of a turn, changed if it shall be."""
        policy: Policy = self.ledger.texts.get(recorded.policy)
        return self._change(policy) if self._change else policy

    def tools(self, number: int) -> Tools:
        """The tools of a turn."""
        return self._tools_at(self.ledger.turn(number)[0].number)

    def _tools_at(self, event: int) -> Tools:
        if self._tools:
            return self._tools
        opened: SessionOpened | None = self.ledger.last(SessionOpened, event)
        key = (opened.counter, opened.engine) if opened else ("estimate", "fast")
        if key not in self._made:
            if key[1] not in get_args(Engine):
                raise LedgerError(f"The ledger was written with the matcher `{key[1]}`, which this program lacks.")
            engine: Any = key[1]
            self._made[key] = make_tools(engine=engine, counter=_counter(key[0]))
        return self._made[key]

    def _lore(self, recorded: TurnAssembled, tools: Tools) -> Lore:
        policy = self.policy(recorded)
        key = (recorded.lore, policy, id(tools))
        if key not in self._lores:
            if len(self._lores) >= _MOST_LORES:
                self._lores.clear()
            self._lores[key] = load_lore(self.ledger.texts.get_books(recorded.lore), tools, policy)
        return self._lores[key]

    def _is_erased(self, commitment: str) -> bool:
        return bool(commitment) and self.ledger.store.text(commitment) is None

    def _explain(self, recorded: TurnAssembled, woven: Woven) -> Replayed:
        """Only here the output is read, to say what differs."""
        number = recorded.turn
        sent = [self.ledger.texts.get_sent(line)[0] for line in self.ledger.lines(number).sent]
        parting = find_parting(sent, woven.messages)
        active = [item.entry.id for item in woven.assembly.activated]
        entries = list(parting.entries if parting else ())
        entries += [entry for entry in recorded.active if entry not in active]
        entries += [entry for entry in active if entry not in recorded.active]
        named = tuple(dict.fromkeys(entries))
        where = f"message {parting.message}, byte {parting.offset}" if parting else "the attachments"
        whose = f"the text of {', '.join(f'`{entry}`' for entry in named)}" if named else "the client's text"
        return Replayed(number, "different", f"It differs from {where} on: {whose}.", parting, named)


def replay(
    ledger: Ledger, tools: Tools | None = None, policy: Callable[[Policy], Policy] | None = None
) -> list[Replayed]:
    """Assemble every turn of a ledger again and compare.

    Raises:
        LedgerError: the ledger is damaged.
    """
    return list(Replayer(ledger, tools, policy).run())


def _counter(name: str) -> Counter:
    try:
        return make_counter(name)
    except SettingsError as error:
        raise LedgerError(
            f"The ledger was written with the token counter `{name}`, which cannot be made here. {error.message} "
            "A counter of your own must be passed with `tools`.",
            counter=name,
        ) from error
