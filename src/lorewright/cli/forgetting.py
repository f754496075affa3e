"""Which turns are meant, and what became of them, for the commands in `forget_commands.py`."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from lorewright.cli.ledgers import moment
from lorewright.cli.screen import Screen, count
from lorewright.errors import InputError
from lorewright.gateway.configuration_file import read_configuration
from lorewright.gateway.weaving.turn_ids import read_turn_id, turn_id
from lorewright.ledger.conversations import Conversation, beyond_newest, conversations, cut_off, older_than
from lorewright.ledger.erase import streams_of
from lorewright.ledger.forget import Forgetting, forget, plan_forgetting
from lorewright.ledger.ledger import Ledger
from lorewright.storage.data_folder import data_folder

__all__ = [
    "choose",
    "find_conversation",
    "forgetting_object",
    "ledger_file",
    "list_conversations",
    "run",
    "show_conversations",
    "show_forgetting",
]

_USUAL_FILE: Final = "lorewright.toml"
_DAY_SECONDS: Final = 86_400
Turns = dict[str, Collection[int]]
"""Numbers of turns, by stream."""


def ledger_file(ledger: str | None, config: str | None) -> Path:
    """The ledger that is meant: the one that is named, else that of the server.

    Raises:
        InputError: the configuration cannot be read.
    """
    if ledger is not None:
        return Path(ledger)
    file = config or os.environ.get("LOREWRIGHT_CONFIG") or (_USUAL_FILE if Path(_USUAL_FILE).is_file() else None)
    state = read_configuration(file, os.environ).state if file is not None else None
    return Path(state) if state is not None else data_folder() / "gateway.ledger"


def find_conversation(file: Ledger, wanted: str, stream: str | None) -> Turns:
    """The turns of a conversation: of a turn's id or a name in any stream, or with a stream of a turn's number.

    Raises:
        InputError: there is none, or the name is that of conversations in several streams.
    """
    found: Turns = {}
    for one in _streams(file, stream):
        numbers = {turn for talk in conversations(one) if _is_meant(one, talk, wanted, stream) for turn in talk.turns}
        if numbers:
            found[one.stream] = numbers
    if not found:
        raise InputError(
            f"There is no conversation `{wanted}` in {file.store.path}. `lorewright forget` without a name lists them.",
            wanted=wanted,
        )
    if len(found) > 1:
        names = ", ".join(f"`{name}`" for name in found)
        raise InputError(f"`{wanted}` is the name of conversations in {names}; choose with --stream.", wanted=wanted)
    return found


def _is_meant(stream: Ledger, talk: Conversation, wanted: str, named: str | None) -> bool:
    if talk.name and talk.name == wanted:
        return True
    identified = read_turn_id(wanted)
    if identified is not None:
        return identified[0] in talk.turns and _id_of(stream, identified[0]) == wanted
    return named is not None and wanted in map(str, talk.turns)


def _id_of(stream: Ledger, turn: int) -> str:
    return turn_id(turn, stream.turn(turn)[0].hash)


def _streams(file: Ledger, stream: str | None) -> list[Ledger]:
    """All streams, or the one of this name.

    Raises:
        InputError: there is none of this name.
    """
    streams = streams_of(file)
    if stream is None:
        return streams
    found = [one for one in streams if one.stream == stream]
    if not found:
        names = ", ".join(f"`{one.stream}`" for one in streams) or "none"
        raise InputError(f"{file.store.path} has no stream `{stream}`; it has: {names}.", stream=stream)
    return found


def choose(
    file: Ledger, stream: str | None, days: float | None, keep_turns: int | None, *, interrupted: bool
) -> list[tuple[str, Turns]]:
    """The rules that are given, each with the turns that it takes and no rule before it.

    Raises:
        InputError: no rule is given.
    """
    rules: list[tuple[str, Any]] = []
    if interrupted:
        rules.append(("gc --interrupted", cut_off))
    if days is not None:
        before = file.clock() - days * _DAY_SECONDS
        rules.append((f"gc --older-than {days:g}", lambda one: older_than(one, before)))
    if keep_turns is not None:
        rules.append((f"gc --keep-turns {keep_turns}", lambda one: beyond_newest(one, keep_turns)))
    if not rules:
        raise InputError("Give a rule: --older-than DAYS, --keep-turns N or --interrupted.")
    taken: dict[str, set[int]] = {}
    chosen: list[tuple[str, Turns]] = []
    for rule, take in rules:
        turns = {one.stream: take(one) - taken.get(one.stream, set()) for one in _streams(file, stream)}
        for name, numbers in turns.items():
            taken[name] = taken.get(name, set()) | numbers
        chosen.append((rule, {name: numbers for name, numbers in turns.items() if numbers}))
    return chosen


def run(file: Ledger, rule: str, turns: Mapping[str, Collection[int]], *, dry_run: bool) -> tuple[str, Forgetting]:
    """Forget them, or only find out what that means; the rule comes back with it."""
    return rule, plan_forgetting(file, turns) if dry_run else forget(file, turns, rule)


# -- telling -----------------------------------------------------------------------------------------------------------


def list_conversations(file: Ledger, stream: str | None) -> list[dict[str, Any]]:
    """All conversations, the newest first."""
    found = [
        {
            "stream": one.stream,
            "name": talk.name or None,
            "turns": list(talk.turns),
            "last": _id_of(one, talk.turns[-1]),
            "first_at": moment(talk.first_at),
            "last_at": moment(talk.last_at),
        }
        for one in _streams(file, stream)
        for talk in conversations(one)
    ]
    return sorted(found, key=lambda one: str(one["last_at"]), reverse=True)


def show_conversations(found: list[dict[str, Any]], screen: Screen) -> None:
    if not found:
        screen.line("No conversations.")
        return
    screen.table(
        ("last turn", "at", "turns", "stream", "name"),
        ((one["last"], one["last_at"], str(len(one["turns"])), one["stream"], one["name"] or "-") for one in found),
    )


def forgetting_object(done_by: tuple[str, Forgetting], *, done: bool) -> dict[str, Any]:
    rule, found = done_by
    return {
        "forgotten": done,
        "rule": rule,
        "turns": {stream: list(turns) for stream, turns in found.turns.items()},
        "texts": len(found.all_texts),
        "facts": found.facts,
        "clean": found.clean,
    }


def show_forgetting(done_by: tuple[str, Forgetting], screen: Screen, *, done: bool) -> None:
    rule, found = done_by
    turns = sum(map(len, found.turns.values()))
    facts = f", {count(found.facts, 'proposed fact')}" if found.facts else ""
    verb = "Forgotten" if done else "This would forget"
    screen.line(f"{verb} by {rule}: {count(turns, 'turn')}, {count(len(found.all_texts), 'text')}{facts}.")
    if not found.clean:
        screen.line("Another program is reading the file; the texts are gone from its log when that one has ended.")
