"""Timed effects in a SillyTavern chat <-> `State` (spec world-info §7): `chat_metadata.timedWorldInfo`.

Two maps, `sticky` and `cooldown`, from `book.uid` to `{hash, start, end, protected}`. The hash is SillyTavern's number for
the text of an entry; here `Timer.entry_hash` is that number as a text. `storage/chat_state.py` goes on from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

from lorewright.core.javascript import number, number_text, truthy
from lorewright.core.model import EMPTY, State, Timer
from lorewright.formats.chat import Chat
from lorewright.formats.chat_edit import with_metadata
from lorewright.formats.chat_scene import metadata_of
from lorewright.formats.imported import Notes
from lorewright.formats.wording import describe

__all__ = ["EFFECTS", "read_timers", "with_timers"]

Effect = Literal["sticky", "cooldown"]
EFFECTS: Final[tuple[Effect, Effect]] = ("sticky", "cooldown")
_TIMED: Final = "timedWorldInfo"


def read_timers(chat: Chat, notes: Notes) -> State:
    """The running effects of the chat. A record that cannot be used is reported; it stays in the file."""
    timed = metadata_of(chat).get(_TIMED)
    if timed is not None and not isinstance(timed, Mapping):
        _tell(notes, _TIMED, timed, "not an object")
    sticky, cooldown = (_read_effect(_records(timed, effect, notes), effect, notes) for effect in EFFECTS)
    return State(sticky, cooldown)


def with_timers(chat: Chat, timers: State) -> Chat:
    """The chat with these effects in place of its own; records that cannot be used stay.

    A timer whose hash is no number of SillyTavern's gets 0, which there is the hash of no entry: the effect waits for its
    end and does nothing.

    Raises:
        FormatError: not a chat of JSON lines, or its `chat_metadata` is no object.
    """
    timed = metadata_of(chat).get(_TIMED)
    old = read_timers(chat, Notes())
    changed: dict[str, object] = {}
    for effect in EFFECTS:
        before, after = getattr(old, effect), getattr(timers, effect)
        if before != after:
            kept = {
                entry: record
                for entry, record in _records(timed, effect, Notes()).items()
                if before.get(entry) == after.get(entry)
            }
            changed[effect] = kept | {entry: _record(timer) for entry, timer in after.items() if entry not in kept}
    if not changed:
        return chat
    return with_metadata(chat, {_TIMED: {**(timed if isinstance(timed, Mapping) else EMPTY), **changed}})


def _records(timed: object, effect: Effect, notes: Notes) -> Mapping[str, object]:
    found = timed.get(effect) if isinstance(timed, Mapping) else None
    if isinstance(found, Mapping):
        return found
    if found is not None:
        _tell(notes, f"{_TIMED}.{effect}", found, "not an object of timers by entry id")
    return EMPTY


def _read_effect(records: Mapping[str, object], effect: Effect, notes: Notes) -> dict[str, Timer]:
    timers: dict[str, Timer] = {}
    for entry, record in records.items():
        timer = _read_record(record)
        if timer is not None:
            timers[entry] = timer
        else:
            wanted = "not an object with a number each as `hash`, `start` and `end`"
            _tell(notes, f"{_TIMED}.{effect}.{entry}", record, wanted)
    return timers


def _read_record(record: object) -> Timer | None:
    if not isinstance(record, Mapping):
        return None
    entry_hash, start, end = (_finite(record.get(name)) for name in ("hash", "start", "end"))
    if entry_hash is None or start is None or end is None:
        return None
    return Timer(number_text(entry_hash), start, end, truthy(record.get("protected")))


def _finite(value: object) -> float | None:
    """A number that JavaScript could compute with."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(number(value)) else None


def _record(timer: Timer) -> dict[str, object]:
    """The record as SillyTavern writes it; an endless effect has null as its end, as in its own files."""
    return {
        "hash": int(timer.entry_hash) if timer.entry_hash.isdecimal() and timer.entry_hash.isascii() else 0,
        "start": _plain(timer.start),
        "end": _plain(timer.end),
        "protected": timer.protected,
    }


def _plain(count: float) -> float | None:
    if not math.isfinite(count):
        return None
    return int(count) if count == int(count) else count


def _tell(notes: Notes, place: str, value: object, wanted: str) -> None:
    field = f"chat_metadata.{place}"
    message = f"`{field}` is {describe(value)}, {wanted}; it has no effect."
    notes.add("chat_timer_odd", message, field=field)
