"""The variables of a card that a task reads: the tree behind the newest message, with what `--var` says over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from lorewright.cli.playing import newest_record
from lorewright.cli.scene import Scene
from lorewright.core.gates import Knowledge
from lorewright.core.model import Report
from lorewright.errors import InputError
from lorewright.mvu.budget import check_steps
from lorewright.mvu.edits import write
from lorewright.mvu.paths import fix_path, split_path, steps_in
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import Refused
from lorewright.mvu.session import record_in, variables_of

__all__ = ["TaskVariables", "read_task_variables"]

_TREE: Final = "stat_data"


class TaskVariables(NamedTuple):
    """local: of the conversation. message: the record behind the newest message, as a chat keeps it; empty: there is
    none. known: what gates know, of both."""

    local: Mapping[str, Any]
    message: Mapping[str, Any]
    known: Knowledge


def read_task_variables(scene: Scene, chat: str, reports: list[Report]) -> TaskVariables:
    """The variables of a scene. What is wrong with initial values is added to `reports`.

    Raises:
        InputError: a variable that was named has no place in the tree.
    """
    turn, state = scene.turn, scene.remembered.state
    books = scene.lore.open_to(Knowledge.of(turn, state), turn.character).open_active
    record = newest_record(turn, chat, books, reports) or record_in(state.variables)
    said = {name: value for name, value in turn.variables.items() if _is_in_tree(name)}
    if said:
        record = _with_said(record or Record(), said)
    local = {name: value for name, value in {**state.variables, **turn.variables}.items() if name not in said}
    kept = variables_of(record) if record else {}
    known = Knowledge.of(replace(turn, variables={**kept, **turn.variables}), state)
    return TaskVariables(local, record.stored() if record else {}, known)


def _is_in_tree(name: str) -> bool:
    return name == _TREE or name.startswith((f"{_TREE}.", f"{_TREE}["))


def _with_said(record: Record, said: Mapping[str, Any]) -> Record:
    tree = record.tree
    for name, value in said.items():
        path = fix_path(name.removeprefix(_TREE)).removeprefix(".")
        if not path:
            raise InputError(f"--var {name}: name one value of the tree, as in {_TREE}.hp=5.", variable=name)
        try:
            check_steps(path, split_path(path))
        except Refused as refused:
            raise InputError(f"--var {name}: {refused.message}", variable=name) from None
        tree = write(tree, steps_in(path, tree), value)
    return replace(record, tree=tree)
