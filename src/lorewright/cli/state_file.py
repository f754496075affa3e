"""What is remembered between turns, as JSON: `{"sticky": {id: {hash, start, end, protected}}, "cooldown": {…}}` is the
state behind the newest request, `"nodes"` what is known of the conversation and its branches (`core/chain.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lorewright.cli.files import read_object, write_text
from lorewright.cli.memory_file import node_objects, read_nodes
from lorewright.cli.plain_json import as_json
from lorewright.core.chain import DictMemory
from lorewright.core.model import State, Timer
from lorewright.core.weave import Woven
from lorewright.errors import InputError

__all__ = ["Remembered", "read_state", "state_object", "write_state"]

_EFFECTS = ("sticky", "cooldown")
_ENDLESS = {"Infinity": float("inf"), "-Infinity": float("-inf")}


@dataclass(frozen=True, slots=True)
class Remembered:
    """The conversations that are known, and the state of one that is not."""

    memory: DictMemory = field(default_factory=DictMemory)
    state: State = field(default_factory=State)


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


def read_state(path: str) -> Remembered:
    """What a file remembers; nothing if there is no such file yet. Its newest state also holds for a chat that it does
    not know.

    Raises:
        InputError: the file is there but is no state.
    """
    if not path:
        raise InputError("--state names no file. Give one; it is made if it does not exist yet.")
    try:
        Path(path).stat()
    except FileNotFoundError:
        return Remembered()
    except (OSError, ValueError):  # such as a loop of links; reading it says why
        pass
    value = read_object(path)
    if unknown := [name for name in value if name not in (*_EFFECTS, "global_variables", "nodes")]:
        raise InputError(
            f"{path}: this is no state file: it has {unknown[0]!a}, and only `sticky`, `cooldown`, "
            "`global_variables` and `nodes` belong there. Name a file that `--state` has written, or one that does not exist yet.",
            path=path,
        )
    nodes = read_nodes(path, value.get("nodes", []), lambda state: _read_one(path, state))
    return Remembered(DictMemory(nodes), _read_one(path, value))


def write_state(path: str, woven: Woven, remembered: Remembered) -> None:
    """Write the state behind the newest request, and everything that is known of the conversation."""
    memory = remembered.memory
    memory.put(woven.nodes)
    after = woven.assembly.state
    timers = state_object(State(after.sticky, after.cooldown, global_variables=after.global_variables))
    value = {**timers, "nodes": node_objects(memory.nodes.values(), state_object)}
    write_text(path, as_json(value) + "\n")


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
