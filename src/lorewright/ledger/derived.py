"""Texts that were made of other texts: what regex scripts and entries made of messages. They go when those go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lorewright.core.chain import digest, scoped
from lorewright.core.client_texts import SYSTEM_ROLES
from lorewright.core.model import Entry
from lorewright.errors import LedgerError
from lorewright.ledger.events import TurnAssembled
from lorewright.ledger.ledger import IMAGE, NODES_FROM, Ledger

__all__ = ["made_by_entry", "made_of_messages"]


def made_of_messages(streams: Iterable[Ledger], wanted: set[str]) -> set[str]:
    """What was sent of the client's messages that have one of these texts, where it was not what the client said."""
    found: set[str] = set()
    for stream in streams:
        turns = list(stream.turns())
        lines = {(line, _scope(stream, turn)) for turn in turns for line in stream.lines(turn.turn).messages}
        digests = {scoped(said, scope) for line, scope in lines if (said := _digest_of(stream, line, wanted))}
        if not digests:
            continue
        for node in (node for turn in turns for node in _nodes(stream, turn) if node.digest in digests):
            found |= {step.text.commitment for step in node.steps}
            found |= {node.rewording.text.commitment} if node.rewording else set()
        for turn in turns:
            messages: Any = stream.lines(turn.turn).messages
            if any(line[0] in SYSTEM_ROLES and line[2].commitment in wanted for line in messages):
                found |= {text for kind, text in _of_system(stream, turn) if kind == "rewritten"}
    return found


def made_by_entry(ledger: Ledger, entry: str, versions: Iterable[Entry]) -> set[str]:
    """Texts that an entry changed: what was sent of the user's messages, and texts of the system prompt."""
    turns = list(ledger.turns())
    nodes = [node for turn in turns for node in _nodes(ledger, turn)]
    reworded = (node.rewording for node in nodes if node.rewording)
    found = {rewording.text.commitment for rewording in reworded if entry in rewording.entries}
    rules = (rule for version in versions if isinstance(version.replaces, tuple) for rule in version.replaces)
    if any(rule.target == "system" for rule in rules):
        as_placed = {record.text.commitment for node in nodes for record in node.records}
        for turn in (turn for turn in turns if entry in turn.active):
            texts = {text for kind, text in _of_system(ledger, turn) if kind != "client"}
            found |= texts - as_placed
    return found


def _nodes(ledger: Ledger, turn: TurnAssembled) -> tuple[Any, ...]:
    trail = ledger.store.text(ledger.trails()[turn.turn].commitment)
    return tuple(IMAGE.decode(trail)[NODES_FROM:]) if trail else ()


def _scope(ledger: Ledger, turn: TurnAssembled) -> str:
    ref = dict(turn.scene).get("scope")
    found = ledger.store.text(ref.commitment) if ref else None
    return str(IMAGE.decode(found)) if found else ""


def _of_system(ledger: Ledger, turn: TurnAssembled) -> Iterator[tuple[str, str]]:
    """The texts of the system prompt as it was sent, each with its kind."""
    lines: Any = ledger.lines(turn.turn).sent
    return ((kind, text.commitment) for line in lines if line[0] in SYSTEM_ROLES for kind, _, _, text in line[2])


def _digest_of(ledger: Ledger, line: Any, wanted: set[str]) -> str:
    """What the chain knows the message of a line by; empty if its text is none of these, or cannot be read."""
    if line[2].commitment not in wanted:
        return ""
    try:
        return digest(ledger.texts.get_message(line))
    except LedgerError:
        return ""
