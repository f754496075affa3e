"""Cards whose own program checks the tree: what their add-on does with commands (spec mvu-vars §11).

We cannot run the checks of a card, so everything is taken as valid. Paths are created, values are not computed, and a
name that begins with `_` is not written to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lorewright.core.model import EMPTY
from lorewright.mvu.arguments import ArgumentReader
from lorewright.mvu.behaviour import CAREFUL, RECORDED, Behaviour
from lorewright.mvu.budget import LONGEST_PATH, Budget, check_steps
from lorewright.mvu.commands import Command, find_commands
from lorewright.mvu.edits import put, splice_place, without, write
from lorewright.mvu.paths import has, look_up, split_path, steps_in, trim_quotes
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import Refusal, Refused
from lorewright.mvu.update import INTERNAL, Change, Update
from lorewright.mvu.values import (
    FORBIDDEN,
    MISSING,
    Json,
    deep_equal,
    is_number,
    key_text,
    saved,
    shown,
    to_number,
)

__all__ = ["update_permissively"]

_PREFIX: Final = re.compile(r"(?:stat_data|status_current_variables)(?:\.|(?=\[))")
_END: Final = "-"


def update_permissively(record: Record, text: str, behaviour: Behaviour = CAREFUL) -> Update:
    """Carry out the commands of a text by the rules of the add-on; the record has no rules and no change texts."""
    found = find_commands(text, behaviour)
    tree = record.tree
    changes: list[Change] = []
    refused = list(found.refused)
    budget, reader = Budget(tree), ArgumentReader(RECORDED, sums=False)
    for index, command in enumerate(found.commands):
        try:
            new = _carry_out(tree, command, reader, behaviour)
            if command.op != "delete":
                budget.admit(new, None, len(split_path(command.path)), besides=len(command.text))
        except Refused as problem:
            path = command.path
            refused.append(Refusal(index, command.op, path, problem.category, problem.message, command.text))
            continue
        changes.append(Change(index, command.op, command.path, "", tree, new, True, command.text, command.reason))
        tree = new
    tree = without(tree, [INTERNAL]) if has(tree, INTERNAL) else tree
    after = replace(record, tree=saved(tree), schema=None, display=None, delta=None, others=record.others or EMPTY)
    return Update(after, found.commands, tuple(changes), tuple(refused), not deep_equal(tree, record.tree))


def _carry_out(tree: Json, command: Command, reader: ArgumentReader, behaviour: Behaviour) -> Json:
    match command.op:
        case "set":
            return _set(tree, _steps(tree, command.arguments[0]), reader.read(command.arguments[-1]), behaviour)
        case "add":
            steps = _steps(tree, command.arguments[0])
            return _add(tree, steps, reader.read(command.arguments[1]), behaviour)
        case "insert":
            return _insert(tree, command, reader)
        case "delete":
            texts = [trim_quotes(str(argument)) for argument in command.arguments]
            return _delete(tree, _steps(tree, ".".join(texts)))
    return _move(tree, command, reader, behaviour)


def _steps(tree: Json, source: object) -> list[str]:
    """The steps of a path as it is written, without the name of the tree before it.

    Raises:
        Refused: a name may not be followed, or not be written to.
    """
    path = trim_quotes(str(source))
    if found := _PREFIX.match(path):
        path = path[found.end() :]
    steps = (steps_in(path, tree) if path else []) if len(path) <= LONGEST_PATH else []
    check_steps(path, [*steps, *split_path(path[:LONGEST_PATH])])
    if closed := next((step for step in steps if step.startswith("_")), None):
        raise Refused("read_only", f"`{closed}` begins with `_`, so commands may not write to it.")
    return steps


def _set(tree: Json, steps: Sequence[str], value: Json, behaviour: Behaviour) -> Json:
    if behaviour.keeps_numbers and is_number(look_up(tree, steps)):
        _check_finite(value, steps)
    if not steps and isinstance(tree, dict) and isinstance(value, dict):
        return {**tree, **value}
    return write(tree, steps, value)


def _add(tree: Json, steps: Sequence[str], delta: Json, behaviour: Behaviour) -> Json:
    old = look_up(tree, steps)
    if not is_number(old):
        raise Refused("value_not_number_or_date", "Only to a number something can be added.")
    new = old + to_number(delta)
    if behaviour.keeps_numbers:
        _check_finite(new, steps)
    return put(tree, steps, new)


def _check_finite(value: Json, steps: Sequence[str]) -> None:
    """NaN and infinities are null once they are saved, so a number would be lost."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Refused("value_not_number", f"`{'.'.join(steps)}` would become {value}, which is no number any more.")


def _insert(tree: Json, command: Command, reader: ArgumentReader) -> Json:
    steps = _steps(tree, command.arguments[0])
    old = look_up(tree, steps)
    is_keyed = len(command.arguments) > 2
    key = reader.read(command.arguments[1]) if is_keyed else None
    value = reader.read(command.arguments[2 if is_keyed else 1])
    if is_keyed and key_text(key) in FORBIDDEN:
        raise Refused("unsafe_path", f"`{key_text(key)}` may not be a key.")
    if old is MISSING or old is None:
        return write(tree, steps, {key_text(key): value} if is_keyed else _assigned({}, value))
    if isinstance(old, list):
        at = splice_place(to_number(key), len(old)) if is_number(key) else len(old)
        return put(tree, steps, [*old[:at], value, *old[at:]])
    if not isinstance(old, dict):
        raise Refused("target_not_collection", "Only into a list or an object something can be put.")
    return put(tree, steps, {**old, key_text(key): value} if is_keyed else _assigned(old, value))


def _assigned(old: dict[str, Json], value: Json) -> dict[str, Json]:
    """`Object.assign`: a text and a list give their places as names."""
    if isinstance(value, (str, list)):
        value = {str(at): item for at, item in enumerate(value)}
    return {**old, **value} if isinstance(value, dict) else old


def _delete(tree: Json, steps: Sequence[str]) -> Json:
    if not steps or look_up(tree, steps) is MISSING:
        raise Refused("path_missing", f"There is no variable `{'.'.join(steps)}`.")
    return without(tree, steps)


def _move(tree: Json, command: Command, reader: ArgumentReader, behaviour: Behaviour) -> Json:
    """Out of one place and into another; a text that looks like another value becomes it. The add-on has no place `-`
    of a list, so the value is lost there."""
    source, target = (_steps(tree, argument) for argument in command.arguments[:2])
    value = look_up(tree, source)
    left = _delete(tree, source)
    again = reader.read(value if isinstance(value, str) else shown(value))
    holder = look_up(left, target[:-1])
    if behaviour.moves and isinstance(holder, list) and target[-1:] == [_END]:
        return put(left, target[:-1], [*holder, again])
    return write(left, target, again)
