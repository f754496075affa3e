"""What is remembered between turns, in a file of JSON.

`{"sticky": {id: {hash, start, end, protected}}, "cooldown": {…}}` is the state behind the newest request, `"nodes"` what
is known of the conversations and their branches (`core/chain.py`). Large values of their variables, which are mostly the
same from message to message, stand in `"values"` (`storage/pool.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lorewright.core.chain import DictMemory
from lorewright.core.model import State, Timer
from lorewright.core.weave import Woven
from lorewright.errors import InputError
from lorewright.formats.plain_json import as_json
from lorewright.formats.whole_file import read_object, write_bytes
from lorewright.storage.node_objects import node_objects, read_nodes
from lorewright.storage.pool import Parts, Pool

__all__ = ["Remembered", "read_state", "state_object", "write_state"]

_EFFECTS = ("sticky", "cooldown")
_VARIABLES = ("variables", "global_variables")
_ENDLESS = {"Infinity": float("inf"), "-Infinity": float("-inf")}


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known between turns: the conversations, for `weave`, and the state from which a new one goes on."""

    memory: DictMemory = field(default_factory=DictMemory)
    state: State = field(default_factory=State)

    def after(self, woven: Woven) -> Remembered:
        """What is known behind a request; its nodes are put into the memory."""
        self.memory.put(woven.nodes)
        state = woven.assembly.state
        return Remembered(self.memory, State(state.sticky, state.cooldown, global_variables=state.global_variables))


def state_object(state: State) -> dict[str, object]:
    """The timers, and where somebody counts turns their number and the variables."""
    found: dict[str, object] = {"sticky": _timer_objects(state.sticky), "cooldown": _timer_objects(state.cooldown)}
    if state.turn is not None:
        found["turn"] = state.turn
    if state.variables:
        found["variables"] = dict(state.variables)
    if state.global_variables:
        found["global_variables"] = dict(state.global_variables)
    return found


def read_state(path: str | os.PathLike[str]) -> Remembered:
    """What a file remembers; nothing if there is no such file yet.

    Raises:
        InputError: the file is there but cannot be read, or is no state.
    """
    path = os.fspath(path)
    if not path:
        raise InputError("The name of the state file is empty. Give one; it is made if it does not exist yet.")
    try:
        Path(path).stat()
    except FileNotFoundError:
        return Remembered()
    except (OSError, ValueError):  # such as a loop of links; reading it says why
        pass
    value = read_object(path)
    if unknown := [name for name in value if name not in (*_EFFECTS, "global_variables", "nodes", "values")]:
        raise InputError(
            f"{path}: this is no state file: it has {unknown[0]!a}, and only `sticky`, `cooldown`, "
            "`global_variables` and `nodes` belong there. Name one as it was written, or one that does not exist yet.",
            path=path,
        )
    parts = _read_parts(path, value.get("values"))
    nodes = read_nodes(path, value.get("nodes", []), lambda state: _read_one(path, _whole(path, state, parts)))
    return Remembered(DictMemory(nodes), _read_one(path, value))


def write_state(path: str | os.PathLike[str], remembered: Remembered) -> None:
    """Write what is known. The file is never half written; nobody else may write to it meanwhile.

    Raises:
        InputError: the file cannot be written.
    """
    pool = Pool()

    def pooled(state: State) -> dict[str, object]:
        found = state_object(state)
        return found | {name: _each(pool.put, found[name]) for name in _VARIABLES if name in found}

    value = {**state_object(remembered.state), "nodes": node_objects(remembered.memory.nodes.values(), pooled)}
    if pool.changed:
        value["values"] = pool.parts
    write_bytes(os.fspath(path), (as_json(value) + "\n").encode())


def _each(change: Callable[[Any], object], values: Any) -> dict[str, object]:
    return {name: change(value) for name, value in values.items()}


def _read_parts(path: str, value: object) -> Parts | None:
    """The parts that values refer to; None: the file has none, so that no value is a reference."""
    if value is None:
        return None
    try:
        return Parts(value if isinstance(value, list) else [value])
    except ValueError as error:
        raise InputError(f"{path}: `values` is damaged: {error}.", path=path) from error


def _whole(path: str, state: object, parts: Parts | None) -> object:
    """A state with what its variables refer to."""
    if parts is None or not isinstance(state, dict):
        return state
    try:
        return state | {
            name: _each(parts.whole, state[name]) for name in _VARIABLES if isinstance(state.get(name), dict)
        }
    except ValueError as error:
        raise InputError(f"{path}: a variable is damaged: {error}.", path=path) from error


def _read_one(path: str, value: object) -> State:
    if not isinstance(value, dict):
        raise InputError(f"{path}: a state must be an object with `sticky` and `cooldown`.", path=path)
    sticky, cooldown = (_read_timers(path, effect, value.get(effect, {})) for effect in _EFFECTS)
    turn, variables, shared = value.get("turn"), value.get("variables", {}), value.get("global_variables", {})
    if not (turn is None or (isinstance(turn, int) and not isinstance(turn, bool))):
        raise InputError(f"{path}: `turn` must be a whole number.", path=path)
    if not (isinstance(variables, dict) and isinstance(shared, dict)):
        raise InputError(f"{path}: `variables` and `global_variables` must be objects.", path=path)
    return State(sticky, cooldown, turn, variables, shared)


def _timer_objects(timers: Mapping[str, Timer]) -> dict[str, object]:
    return {
        entry: {"hash": timer.entry_hash, "start": timer.start, "end": timer.end, "protected": timer.protected}
        for entry, timer in timers.items()
    }


def _read_timers(path: str, effect: str, value: object) -> dict[str, Timer]:
    if not isinstance(value, dict):
        raise InputError(f"{path}: `{effect}` must be an object of timers by entry id.", path=path)
    return {entry: _read_timer(path, f"{effect}.{entry}", timer) for entry, timer in value.items()}


def _read_timer(path: str, place: str, value: object) -> Timer:
    if isinstance(value, dict):
        entry_hash, start, end = value.get("hash"), _number(value.get("start")), _number(value.get("end"))
        protected = value.get("protected", False)
        if isinstance(entry_hash, str) and start is not None and end is not None and isinstance(protected, bool):
            return Timer(entry_hash, start, end, protected)
    raise InputError(
        f"{path}: the timer `{place}` must have a text `hash`, numbers `start` and `end`, and true or false as "
        "`protected`.",
        path=path,
    )


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return _ENDLESS.get(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
