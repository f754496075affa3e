"""What is remembered between turns, as JSON: `{"sticky": {id: {hash, start, end, protected}}, "cooldown": {…}}`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lorewright.cli.files import read_object, write_text
from lorewright.cli.plain_json import as_json
from lorewright.core.model import State, Timer
from lorewright.errors import InputError

__all__ = ["read_state", "state_object", "write_state"]

_EFFECTS = ("sticky", "cooldown")
_ENDLESS = {"Infinity": float("inf"), "-Infinity": float("-inf")}


def state_object(state: State) -> dict[str, object]:
    return {"sticky": _timer_objects(state.sticky), "cooldown": _timer_objects(state.cooldown)}


def read_state(path: str) -> State:
    """The state in a file; an empty one if there is no such file yet.

    Raises:
        InputError: the file is there but is no state.
    """
    if not path:
        raise InputError("--state names no file. Give one; it is made if it does not exist yet.")
    try:
        Path(path).stat()
    except FileNotFoundError:
        return State()
    except (OSError, ValueError):  # such as a loop of links; reading it says why
        pass
    value = read_object(path)
    if unknown := [name for name in value if name not in _EFFECTS]:
        raise InputError(
            f"{path}: this is no state file: it has {unknown[0]!a}, and only `sticky` and `cooldown` belong there. "
            "Name a file that `--state` has written, or one that does not exist yet.",
            path=path,
        )
    sticky, cooldown = (_read_timers(path, effect, value.get(effect, {})) for effect in _EFFECTS)
    return State(sticky, cooldown)


def write_state(path: str, state: State) -> None:
    write_text(path, as_json(state_object(state)) + "\n")


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
