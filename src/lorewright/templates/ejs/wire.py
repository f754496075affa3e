"""What the processes say to each other, checked on arrival: the other one runs foreign code and may say anything."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from lorewright.core.model import ABSENT
from lorewright.templates.context import Json
from lorewright.templates.ejs.process import Gone
from lorewright.templates.ejs.refusals import SENTENCES
from lorewright.templates.ejs.scene import Change, Output, Pattern, Refused

__all__ = ["ENDING", "Ask", "Done", "TooLarge", "read_events", "to_json"]

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_ENGINE_ERRORS: Final = {
    "InternalError: out of memory": "memory_limit",
    "RangeError: Maximum call stack size exceeded": "stack_limit",
}
ENDING: Final = frozenset(_ENGINE_ERRORS.values())
"""After these a process is not used again: it stopped somewhere in the middle."""


class TooLarge(Exception):
    """Raised for a message that is longer than the limit."""


class Ask(NamedTuple):
    """A text calls a function that only the outside can answer. number: of the call; path: as in `Request`."""

    number: int
    helper: str
    path: tuple[str, ...]
    arguments: tuple[Json | Pattern, ...]


class Done(NamedTuple):
    """A rendering has ended. clean: whether the context is as it was before."""

    number: int
    outcome: Output | Refused
    clean: bool


def to_json(value: Json) -> str:
    """A value as a text that every reader of JSON takes: numbers without end are null, as in JavaScript."""
    try:
        return _dumps(value)
    except ValueError:
        return _dumps(_finite(value))


def _dumps(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), default=str, allow_nan=False)


def _finite(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _finite(held) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, (int, float)) and not _is_finite(value) else value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no number of JavaScript is as large as
        return False


def read_events(answer: bytes) -> list[Ask | Done]:
    """What a process tells.

    Raises:
        Gone: it says what our program never says.
    """
    match _parse(answer.decode("utf-8", "replace")):
        case [*told]:
            return [_event(event) for event in told]
    raise Gone


def _parse(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Gone from error


def _event(event: Json) -> Ask | Done:
    match event:
        case {"ask": int(number), "helper": str(helper), "path": list(path), "given": list(given)}:
            return Ask(number, helper, _texts(path), tuple(map(_argument, given)))
        case {
            "done": int(number),
            "clean": bool(clean),
            "text": str(text),
            "reads": list(reads),
            "writes": list(writes),
        }:
            return Done(number, Output(text, frozenset(_texts(reads)), tuple(map(_change, writes))), clean)
        case {"done": int(number), "clean": bool(clean), "refused": reason}:
            return Done(number, _reason(reason), clean)
    raise Gone


def _texts(told: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in told):
        raise Gone
    return tuple(told)


def _argument(given: Json) -> Json | Pattern:
    match given:
        case {"regex": [str(source), str(flags)]}:
            return Pattern(source, flags)
        case {"json": str(text)}:
            return _parse(text)
    return None


def _change(told: Json) -> Change:
    match told:
        case [str(scope), str(name)]:
            return Change(scope, name, ABSENT)
        case [str(scope), str(name), str(text)]:
            return Change(scope, name, _parse(text))
    raise Gone


def _reason(told: Json) -> Refused:
    match told:
        case {"code": str(code), "helper": str(helper), "message": str(text), "line": int(line), "path": list(path)}:
            said = _CONTROL.sub(" ", text)
            code = _ENGINE_ERRORS.get(said, code)
            return Refused(code, SENTENCES.get(code, said), helper, line, _texts(path))
    raise Gone
