"""A reply and the record before it -> the record behind it, and what was done and what was not (spec mvu-vars §5, §6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lorewright.core.model import Report
from lorewright.mvu.arguments import ArgumentReader
from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.budget import LONGEST_PATH, Budget, check_steps
from lorewright.mvu.commands import Command, Op, find_commands
from lorewright.mvu.edits import without, write
from lorewright.mvu.learning import Learner
from lorewright.mvu.operations.add_number import add_number
from lorewright.mvu.operations.delete import delete
from lorewright.mvu.operations.insert import insert
from lorewright.mvu.operations.move import move
from lorewright.mvu.operations.set_value import set_value
from lorewright.mvu.operations.step import Done, Step
from lorewright.mvu.paths import has, split_path, steps_in
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import Refusal, Refused, report_of
from lorewright.mvu.schema import RootSwitches, Schema, reconcile
from lorewright.mvu.values import MISSING, Json, deep_equal, saved

__all__ = ["INTERNAL", "Change", "Update", "update"]

_OPERATIONS: Final[Mapping[Op, Callable[[Step], Done]]] = {
    "set": set_value,
    "add": add_number,
    "insert": insert,
    "delete": delete,
    "move": move,
}

INTERNAL: Final = "$internal"
"""A name of the program's own, which no tree keeps."""


@dataclass(frozen=True, slots=True)
class Change:
    """A command that was carried out. `text` is the change as status bars show it; `told`: the program tells others of
    it, with the values before and after."""

    index: int
    op: str
    path: str
    text: str
    old: Json
    new: Json
    told: bool
    command: str
    reason: str


@dataclass(frozen=True, slots=True)
class Update:
    """record: as it is now. commands: all that were found. modified: the tree is another one than before."""

    record: Record
    commands: tuple[Command, ...] = ()
    changes: tuple[Change, ...] = ()
    refused: tuple[Refusal, ...] = ()
    modified: bool = False

    @property
    def reports(self) -> tuple[Report, ...]:
        """What was left out, for people."""
        return tuple(report_of(refusal) for refusal in self.refused)


def update(record: Record, text: str, behaviour: Behaviour = CAREFUL) -> Update:
    """Carry out the commands of a text whose macros are replaced already.

    A command that cannot be carried out is left out and named, the others count. Never raises; the old record stays as
    it was.
    """
    found = find_commands(text, behaviour)
    if not found.commands:
        plain = replace(record, display=record.tree, delta={})
        return Update(plain, refused=found.refused)
    run = _Run(record, behaviour)
    for index, command in enumerate(found.commands):
        run.carry_out(index, command)
    tree = without(run.tree, [INTERNAL]) if has(run.tree, INTERNAL) else run.tree
    modified = not deep_equal(tree, record.tree)
    schema = reconcile(tree, run.schema) if modified else run.schema
    after = replace(record, tree=saved(tree), schema=schema, display=saved(run.display), delta=saved(run.delta))
    return Update(after, found.commands, tuple(run.changes), (*found.refused, *run.refused), modified)


class _Run:
    """The commands of one reply, one after the other."""

    def __init__(self, record: Record, behaviour: Behaviour) -> None:
        self.tree = record.tree
        self.schema: Schema | None = record.schema
        self.behaviour = behaviour
        self.switches = RootSwitches.of(record.schema)
        self.display: Json = record.tree
        self.delta: Json = {}
        self.changes: list[Change] = []
        self.refused: list[Refusal] = []
        self.budget = Budget(record.tree)
        self.reader = ArgumentReader(behaviour)
        self.learner = Learner()

    def carry_out(self, index: int, command: Command) -> None:
        try:
            for path in _paths(command):
                check_steps(path, split_path(path) if len(path) <= LONGEST_PATH else [])
            step = Step(self.tree, self.schema, command, self.behaviour, self.switches, self.reader, self.learner)
            done = _OPERATIONS[command.op](step)
            self._check_size(done, command)
        except Refused as refused:
            path = str(command.arguments[1]) if command.op == "move" else command.path
            self.refused.append(Refusal(index, command.op, path, refused.category, refused.message, command.text))
            return
        self.tree, self.schema = done.tree, done.schema
        if done.text:
            self.display = write(self.display, steps_in(command.path, self.display), done.text)
            self.delta = write(self.delta, steps_in(command.path, self.delta), done.text)
        self.changes.append(
            Change(
                index,
                command.op,
                command.path,
                done.text,
                done.old,
                done.new,
                done.told,
                command.text,
                command.reason,
            )
        )

    def _check_size(self, done: Done, command: Command) -> None:
        if done.added is not MISSING:
            steps, besides = len(split_path(command.path)), len(command.text)
            self.budget.admit(done.tree, done.added, steps, removed=done.removed, besides=besides)


def _paths(command: Command) -> list[str]:
    return [command.path, str(command.arguments[1])] if command.op == "move" else [command.path]
