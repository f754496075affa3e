"""Values as bytes, exactly: what is decoded equals what was encoded, to the last lone surrogate.

The bytes are JSON in UTF-8. A JSON list is a tuple, an object a dict. What JSON lacks is an object with one name that
begins with `~`: `~l` a list, `~s` a frozenset, `~m` a read-only mapping, `~d` a dict whose names are no plain texts,
`~f` an infinity or NaN, `~i` an integer of more than 63 bits in hex, `~b` bytes in hex, `~a` the value `ABSENT`, `~r` a
reference to a text that is kept by itself. A dataclass has its name under `~` and its fields; those that are `ABSENT`
by default are left out while they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields, is_dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Final, NamedTuple

from lorewright.core import chain, file_values, gates, layers, model, policy, record, regex_script, replaces
from lorewright.core.layout import plan, preset, text_preset
from lorewright.core.layout import scene as layout_scene
from lorewright.core.model import ABSENT, EMPTY
from lorewright.errors import LedgerError

__all__ = ["Image", "Ref", "find_refs", "types_of"]

_LARGE: Final = 2**63
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class Ref(NamedTuple):
    """Refers to a text that is kept by itself: its commitment, in 64 hex digits."""

    commitment: str


class _Shape(NamedTuple):
    """The fields of a dataclass: by name, and whether it is left out while it is `ABSENT`."""

    type: type
    fields: tuple[tuple[str, bool], ...]


def types_of(*modules: ModuleType) -> list[type]:
    """The dataclasses that are defined in modules."""
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__
    ]


_CORE: Final = (
    chain,
    file_values,
    gates,
    layers,
    model,
    plan,
    policy,
    record,
    regex_script,
    replaces,
    preset,
    text_preset,
    layout_scene,
)


class Image:
    """Encodes and decodes values made of plain data and of known dataclasses."""

    def __init__(self, types: Iterable[type] = ()) -> None:
        self._shapes: dict[str, _Shape] = {}
        for kind in (*types_of(*_CORE), *types):
            given: Iterable[Field[Any]] = fields(kind)
            shape = tuple((f.name, f.default is ABSENT) for f in given if f.init)
            assert self._shapes.setdefault(kind.__name__, _Shape(kind, shape)).type is kind, kind

    def encode(self, value: object) -> bytes:
        """The value as bytes; equal bytes mean equal values.

        Raises:
            LedgerError: there is something in it that is no data.
        """
        return _ENCODER.encode(self._plain(value)).encode("utf-8", "surrogatepass")

    def is_data(self, value: object) -> bool:
        """Whether `encode` takes the value."""
        try:
            self._plain(value)
        except LedgerError:
            return False
        return True

    def decode(self, data: bytes) -> Any:
        """The value that was encoded.

        Raises:
            LedgerError: the bytes are no image, or name a type that is not known.
        """
        try:
            return self._value(json.loads(data.decode("utf-8", "surrogatepass")))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise LedgerError(
                f"{len(data)} bytes are no image of a value: {error}. The ledger is damaged, or a newer version wrote "
                "it; `lorewright ledger verify` tells which."
            ) from error

    def _plain(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or value is None or value is True or value is False:
            return value
        if kind is int:
            return value if -_LARGE <= value < _LARGE else {"~i": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"~f": repr(value)}
        if kind is Ref:
            return {"~r": value.commitment}
        if kind is tuple:
            return [self._plain(item) for item in value]
        if kind is list:
            return {"~l": [self._plain(item) for item in value]}
        if value is ABSENT:
            return {"~a": 0}
        if kind.__name__ in self._shapes:
            return self._plain_object(value, self._shapes[kind.__name__])
        return self._plain_other(value)

    def _plain_object(self, value: object, shape: _Shape) -> dict[str, Any]:
        found: dict[str, Any] = {"~": shape.type.__name__}
        for name, can_be_absent in shape.fields:
            item = getattr(value, name)
            if not (can_be_absent and item is ABSENT):
                found[name] = self._plain(item)
        return found

    def _plain_other(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            named = all(type(name) is str for name in value) and "~" not in {str(name)[:1] for name in value}
            if named:
                found: Any = {name: self._plain(item) for name, item in value.items()}
            else:
                found = {"~d": [[self._plain(name), self._plain(item)] for name, item in value.items()]}
            return {"~m": found} if isinstance(value, MappingProxyType) else found
        if isinstance(value, (frozenset, set)):
            return {"~s": sorted((self._plain(item) for item in value), key=repr)}
        if isinstance(value, bytes):
            return {"~b": value.hex()}
        bases: tuple[Any, ...] = (str, int, float, tuple, list)
        for base in bases:  # what a reader made of its own kind of text or number
            if isinstance(value, base):
                return self._plain(base(value))
        raise LedgerError(f"A value of the type {type(value).__name__} cannot be recorded; only data can.")

    def _value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return tuple(self._value(item) for item in plain)
        if not isinstance(plain, dict):
            return plain
        name = next(iter(plain), "")
        if name == "~":
            shape = self._shapes[plain["~"]]
            return shape.type(**{key: self._value(item) for key, item in plain.items() if key != "~"})
        if name.startswith("~"):
            return _SPECIAL[name](self._value, plain[name])
        return {key: self._value(item) for key, item in plain.items()}


_SPECIAL: Final[dict[str, Callable[[Callable[[Any], Any], Any], Any]]] = {
    "~l": lambda value, items: [value(item) for item in items],
    "~s": lambda value, items: frozenset(value(item) for item in items),
    "~m": lambda value, found: MappingProxyType(value(found)) if found else EMPTY,
    "~d": lambda value, pairs: {value(name): value(item) for name, item in pairs},
    "~f": lambda _, text: float(text),
    "~i": lambda _, text: int(text, 16),
    "~b": lambda _, text: bytes.fromhex(text),
    "~a": lambda _, __: ABSENT,
    "~r": lambda _, text: Ref(text),
}


def find_refs(data: bytes) -> tuple[str, ...]:
    """The commitments that an image refers to, in order; none if the bytes are no image."""
    if b'"~r"' not in data:
        return ()
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if len(pairs) == 1 and pairs[0][0] == "~r" and isinstance(pairs[0][1], str):
            found.append(pairs[0][1])

    try:
        json.loads(data.decode("utf-8", "surrogatepass"), object_pairs_hook=look)
    except (ValueError, RecursionError):
        return ()
    return tuple(found)
