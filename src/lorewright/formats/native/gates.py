"""Gates and folders of a book's file <-> the model.

A gate is a mapping, or a list of mappings, of which every condition must hold: `reveal: {book, chapter, after}`, `flag`,
`counter` with `at_least`, `known_by`. One that is anything else is `Odd`, and stays closed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from lorewright.core.gates import Condition, Counted, Flag, Gate, KnownBy, Reveal
from lorewright.core.model import ABSENT, EMPTY, Folder, Odd
from lorewright.formats.fields import is_exact
from lorewright.formats.wording import describe

__all__ = [
    "FOLDER_NAMES",
    "condition_meant",
    "folder_unknown",
    "gate_fault",
    "means_gate",
    "misplaced_gate",
    "misplaced_in",
    "read_folders",
    "read_gate",
    "write_folders",
    "write_gate",
]

_CONDITION_NAMES: Final = frozenset({"reveal", "flag", "counter", "at_least", "known_by"})
FOLDER_NAMES: Final = ("name", "gate")
_REVEAL: Final = frozenset({"book", "chapter", "after"})
_MISPLACED: Final = "misplaced"
"""Within a gate that cannot be read: what was meant as one and stands beside."""
_LONGEST_NAME: Final = 12


def read_gate(value: object) -> Any:
    """A gate; null stays null, and what is no gate is odd."""
    if value is None:
        return None
    try:
        return Gate(_all_conditions(value), json.dumps(value))
    except _NoGateError:
        return Odd(value)


def gate_fault(value: object) -> str:
    """What keeps a value from being a gate, as a part of a sentence; empty if it is one, or null."""
    try:
        if value is not None:
            _all_conditions(value)
    except _NoGateError as error:
        return str(error)
    return ""


def write_gate(gate: Gate) -> object:
    """The gate as it was written, or in its usual form."""
    if gate.written:
        value = json.loads(gate.written)
        if read_gate(value) == gate:
            return value
    made = [_plain(condition) for condition in gate.conditions]
    return made[0] if len(made) == 1 else made


class _NoGateError(Exception):
    pass


def _all_conditions(value: object) -> tuple[Condition, ...]:
    parts = value if isinstance(value, list) else [value]
    if not parts:
        raise _NoGateError("it has no condition")
    return tuple(condition for part in parts for condition in _conditions(part))


def _conditions(part: object) -> Iterator[Condition]:
    if not isinstance(part, dict):
        raise _NoGateError(f"a condition is {describe(part)}, not a mapping")
    if not part:
        raise _NoGateError("it has no condition")
    _check_names(part, _CONDITION_NAMES)
    if ("counter" in part) != ("at_least" in part):
        raise _NoGateError("`counter` and `at_least` belong together, and one of them is missing")
    for name, value in part.items():
        if name == "reveal":
            yield _reveal(value)
        elif name == "flag":
            yield Flag(_text(name, value))
        elif name == "counter":
            yield Counted(_text(name, value), _number("at_least", part["at_least"]))
        elif name == "known_by":
            yield KnownBy(_names(name, value))


def _check_names(part: Mapping[str, object], known: frozenset[str]) -> None:
    for name in part:
        if name not in known:
            raise _NoGateError(f"{describe(name)} is none of {', '.join(sorted(known))}")


def _reveal(value: object) -> Reveal:
    if not isinstance(value, dict):
        raise _wrong("reveal", value, "a mapping of `book` and `chapter`")
    _check_names(value, _REVEAL)
    for name in ("book", "chapter"):
        if name not in value:
            raise _NoGateError(f"`reveal` has no `{name}`")
    chapter, after = value["chapter"], value.get("after", False)
    if type(chapter) is not int or chapter < 1:
        raise _wrong("chapter", chapter, "a whole number from 1")
    if not isinstance(after, bool):
        raise _wrong("after", after, "true or false")
    return Reveal(_text("book", value["book"]), chapter, after)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _wrong(name, value, "a text that is not empty")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise _wrong(name, value, "a number")
    return value


def _names(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise _wrong(name, value, "a list of names")
    return tuple(_text(name, item) for item in value)


def _wrong(name: str, value: object, wanted: str) -> _NoGateError:
    return _NoGateError(f"`{name}` is {describe(value)}; it must be {wanted}")


def _plain(condition: Condition) -> dict[str, object]:
    match condition:
        case Reveal(book, chapter, after):
            return {"reveal": {"book": book, "chapter": chapter} | ({"after": True} if after else {})}
        case Flag(name):
            return {"flag": name}
        case Counted(counter, at_least):
            return {"counter": counter, "at_least": at_least}
        case KnownBy(characters):
            return {"known_by": list(characters)}


def read_folders(value: object) -> Any:
    """A list of folders, each a mapping with a `name` and perhaps a `gate`."""
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, dict) and _is_name(item.get("name")) for item in value):
        return Odd(value)
    return tuple(map(_folder, value))


def write_folders(folders: tuple[Folder, ...]) -> list[object]:
    return [_plain_folder(folder) for folder in folders]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _folder(value: Mapping[str, Any]) -> Folder:
    """A folder. One without a `gate` but with something that could be meant as one has a gate that cannot be read; in a
    folder that is a list or a mapping of any name, too."""
    gate = read_gate(value["gate"]) if "gate" in value else ABSENT
    unknown = {name: value[name] for name in folder_unknown(value)}
    if "gate" not in value and any(means_gate(name) or isinstance(unknown[name], (dict, list)) for name in unknown):
        gate = misplaced_gate(unknown)
    return Folder(value["name"], gate, json.dumps(value))


def folder_unknown(value: Mapping[str, Any]) -> list[str]:
    """The names in a folder of a file that no folder has."""
    return [name for name in value if name not in FOLDER_NAMES]


@lru_cache(maxsize=1024)
def means_gate(name: str) -> bool:
    """Whether somebody may have meant a gate by a name that is none: `gates`, `Gate`, `gaet`, or that of a condition."""
    short = name[:_LONGEST_NAME].lower()
    is_close = sorted(short) == sorted("gate") or bool(get_close_matches(short, ["gate"], 1, 0.8))
    return name != "gate" and (is_close or bool(condition_meant(name)))


def condition_meant(name: str) -> str:
    """The condition whose name it is, however it is written (`Known-By`); empty if it is none's."""
    short = name[:_LONGEST_NAME].lower().replace("-", "_").replace(" ", "_")
    return short if short in _CONDITION_NAMES else ""


def misplaced_gate(found: Mapping[str, object]) -> Odd:
    """The gate, closed for ever, of what has no `gate` but has these fields, one of which could be meant as one."""
    return Odd({_MISPLACED: dict(found)})


def misplaced_in(gate: object, extra: Mapping[str, object]) -> Mapping[str, object]:
    """Those of the extra fields for which an entry or a book has a `misplaced_gate`; empty if it has another gate.

    Written beside the known fields they make the same gate again.
    """
    value = gate.value if isinstance(gate, Odd) else None
    found = value.get(_MISPLACED) if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(found, dict):
        return EMPTY
    is_here = all(means_gate(name) and name in extra and is_exact(extra[name], item) for name, item in found.items())
    return found if is_here else EMPTY


def _plain_folder(folder: Folder) -> object:
    if folder.written:
        value = json.loads(folder.written)
        if _folder(value) == folder:
            return value
    gate = folder.gate
    if gate is ABSENT:
        return {"name": folder.name}
    return {"name": folder.name, "gate": write_gate(gate) if isinstance(gate, Gate) else getattr(gate, "value", None)}
