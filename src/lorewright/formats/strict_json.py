"""JSON as JavaScript reads it, with limits: text in, value and reports out (spec formats §2, §6, §7).

Strict grammar first, then JSON5, which is reported. Lone surrogate escapes are kept, key order and the kind of a number (`1`, `1.0`) too. Duplicate names in
an object are reported (the last one wins, as in JavaScript); NaN, Infinity, deep nesting and floods of values are refused.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Final, NoReturn

from lorewright.errors import FormatError
from lorewright.formats import limits
from lorewright.formats.imported import REPORTS_PER_CODE, Notes
from lorewright.formats.lenient_json import as_strict_json
from lorewright.formats.pointer import find_objects, pointer

__all__ = ["check_text_size", "parse_json"]

_NAMES: Final = {
    "duplicate_json_key": "The name {} stands twice in one object; the last value is used.",
    "prototype_key": "The name {} is a plain name here; programs in JavaScript can stumble over it. It is kept.",
}
"""By report code: what there is to say about a name."""


def parse_json(text: str, notes: Notes) -> object:
    """Parse a JSON text (no BOM).

    Raises:
        FormatError: not JSON (`facts`: `line`, `column`, `reason`, `offset`), or over a limit (`limit`, `value`).
    """
    check_text_size(text)
    try:
        value, found = _load(text)
    except json.JSONDecodeError as error:
        repaired = _load_lenient(text, error, notes)
        if repaired is not None:
            _check_shape(repaired)
            return repaired
        reason = error.msg.removesuffix(" at")
        raise FormatError(
            f"This is not JSON: {reason} at line {error.lineno}, column {error.colno}. "
            "It is no JSON5 either; correct the file at this place.",
            line=error.lineno,
            column=error.colno,
            offset=error.pos,
            reason=reason,
        ) from error
    except RecursionError as error:
        raise _too_deep() from error
    _check_shape(value)
    notes.include(found)
    return value


def _load_lenient(text: str, error: json.JSONDecodeError, notes: Notes) -> object:
    """The object or list in a text that is JSON5; None if it is none."""
    strict = as_strict_json(text) if text.lstrip()[:1] in {"{", "[", "/"} else None
    if strict is None:
        return None
    try:
        value, found = _load(strict)
    except json.JSONDecodeError:
        return None
    notes.include(found)
    notes.add(
        "json_lenient",
        f"The file is no JSON ({error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}); it was "
        "read as json5, with comments, trailing commas or single quotes. It is written as JSON.",
        "info",
    )
    return value


def _load(text: str) -> tuple[object, Notes]:
    reader = _Reader()
    try:
        return reader.load(text), reader.notes
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python refuses to convert integers of thousands of digits; look at each one
        reader = _Reader()
        return reader.load(text, reader.read_int), reader.notes


class _Reader:
    """The hooks of the parser: what to do with objects, constants and numbers out of the ordinary."""

    def __init__(self) -> None:
        self.notes = Notes()
        self.marked: list[tuple[dict[str, object], str, str]] = []
        """Objects with a name to be reported, and the code of its report."""

    def load(self, text: str, read_int: Callable[[str], int | str] | None = None) -> object:
        value: object = json.loads(
            text,
            object_pairs_hook=self.make_object,
            parse_constant=self.refuse,
            parse_float=self.read_float,
            parse_int=read_int,
        )
        self.report_names(value)
        return value

    def make_object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if "__proto__" in made or "constructor" in made:
            self.marked += ((made, name, "prototype_key") for name in ("__proto__", "constructor") if name in made)
        if len(made) != len(pairs):
            seen: set[str] = set()
            for name, _ in pairs:
                if name in seen:
                    self.marked.append((made, name, "duplicate_json_key"))
                seen.add(name)
        return made

    def report_names(self, value: object) -> None:
        """Report the names that were marked, with their places in the whole value."""
        shown = {id(made): made for made, _, _ in self.marked[: 2 * REPORTS_PER_CODE]}
        paths = find_objects(value, tuple(shown.values()))
        places = {own: paths[index] for index, own in enumerate(shown) if index in paths}
        for made, name, code in self.marked:
            place = pointer((*places[id(made)], name)) if id(made) in places else ""
            self.notes.add(code, _NAMES[code].format(ascii(name)), field=ascii(name)[1:-1], place=place)

    def refuse(self, constant: str) -> NoReturn:
        raise FormatError(
            f"The file holds `{constant}` as a value, which is not JSON. Write null or a number in its place.",
            value=constant,
        )

    def read_float(self, digits: str) -> float:
        number = float(digits)
        if math.isinf(number):
            self.notes.add("number_too_large", f"The number {digits[:40]} is too large; it is read as infinity.")
        return number

    def read_int(self, digits: str) -> int | str:
        most = sys.get_int_max_str_digits()
        if len(digits.lstrip("-")) <= most:
            return int(digits)
        self.notes.add(
            "number_too_large",
            f"A number of {len(digits)} digits is kept as a text; the limit is {most} digits.",
            "error",
        )
        return digits


def check_text_size(text: str) -> None:
    """Refuse a JSON text that is too big to be parsed.

    Raises:
        FormatError: over a limit (`limit`, `value`).
    """
    if len(text) > limits.JSON_CHARACTERS:
        raise FormatError(
            f"The JSON text has {len(text):,} characters; the limit is {limits.JSON_CHARACTERS:,}. Split the file.",
            limit=limits.JSON_CHARACTERS,
            value=len(text),
        )
    containers = text.count("{") + text.count("[")
    if containers > limits.JSON_CONTAINERS:
        raise _too_many(containers, limits.JSON_CONTAINERS)


def _check_shape(value: object) -> None:
    """Walk the value level by level; only lists and objects are kept for the next level."""
    depth, nodes = 0, 1
    level = [value]
    while level:
        depth += 1
        following: list[object] = []
        for container in level:
            if isinstance(container, dict):
                nodes += len(container)
                following.extend(item for item in container.values() if type(item) is dict or type(item) is list)
            elif isinstance(container, list):
                nodes += len(container)
                following.extend(item for item in container if type(item) is dict or type(item) is list)
        level = following
        if depth > limits.JSON_DEPTH:
            raise _too_deep()
        if nodes > limits.JSON_NODES:
            raise _too_many(nodes, limits.JSON_NODES)


def _too_deep() -> FormatError:
    return FormatError(
        f"The JSON is nested more than {limits.JSON_DEPTH} levels deep, which no book, card or chat needs.",
        limit=limits.JSON_DEPTH,
    )


def _too_many(value: int, limit: int) -> FormatError:
    return FormatError(
        f"The JSON holds {value:,} values; the limit is {limit:,}. Split the file.", limit=limit, value=value
    )
