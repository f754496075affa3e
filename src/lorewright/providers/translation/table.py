"""Tables of verdicts: what becomes of everything that an API can say in the shape of another.

A table is written as text, a line for each path: the path, the verdict, and where it goes or why it does not, with two
spaces or more between them. A path names fields from the outside in (`tools[function].function.name`); in brackets
stands the `type` or `role` by which an object in a list or a union is known, behind `=` a word that a field may be.
Words with `|` between them are as many lines. `dropped unless true`: the value true needs no report, since nothing is
lost; `refused unless 1` likewise.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from lorewright.errors import RequestError

__all__ = ["Reading", "Row", "Table", "Translated", "Verdict", "read_table"]

Verdict = Literal["mapped", "dropped", "refused"]


class Row(NamedTuple):
    """verdict, and where it goes or why it does not. unless: a value, in JSON, that says nothing; empty: none."""

    verdict: Verdict
    note: str
    unless: str = ""


class Translated(NamedTuple):
    """A body in the other API's shape, and the paths of what it could not say."""

    body: dict[str, Any]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The verdicts of one direction. source, target: the names of the APIs, for people."""

    source: str
    target: str
    rows: Mapping[str, Row]


_LINE: Final = re.compile(r"(\S+)  +(mapped|dropped|refused)(?: unless (\S+))?(?:  +(.+))?")
_WORDS: Final = re.compile(r"(?<=\[)[^]|]+(?:\|[^]|]+)+(?=])|[\w/-]+(?:\|[\w/-]+)+")
_LONGEST_PATH: Final = 200
"""No path of a table is as long. Names and kinds that a client made up may be, and stand in errors and headers."""
_KINDS: Final = frozenset({"type", "role", "object"})
"""Fields that say what an object is. They need a line only where they say more than that."""


def read_table(source: str, target: str, text: str) -> Table:
    """A table from its text.

    Raises:
        ValueError: a line that is none, or a path with two verdicts.
    """
    rows: dict[str, Row] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        found = _LINE.fullmatch(line)
        if found is None:
            raise ValueError(f"No line of a table: `{line}`")
        verdict: Verdict = "mapped" if found[2] == "mapped" else "dropped" if found[2] == "dropped" else "refused"
        for path in _paths(found[1]):
            if path in rows:
                raise ValueError(f"Two verdicts: `{path}`")
            rows[path] = Row(verdict, found[4] or "", found[3] or "")
    return Table(source, target, rows)


def _paths(written: str) -> Iterator[str]:
    """The paths of a line, one for each choice of words."""
    fixed = _WORDS.split(written)
    for words in itertools.product(*(found.split("|") for found in _WORDS.findall(written))):
        yield "".join(itertools.chain.from_iterable(itertools.zip_longest(fixed, words, fillvalue="")))


class Reading:
    """One translation: gives what a table maps, collects what it drops, stops at what it refuses. is_lenient: what is
    unknown is dropped, since nobody can be told to send a reply in another way."""

    def __init__(self, table: Table, *, is_lenient: bool = False) -> None:
        self.table = table
        self.is_lenient = is_lenient
        self._dropped: dict[str, None] = {}
        self._at = ""

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what goes wrong with a value of a wrong type into an error for the client.

        Raises:
            RequestError: in place of a TypeError and its like; it names the last field that was read.
        """
        try:
            yield
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise RequestError(
                f"Near `{_short(self._at)}` something is not of the type that {self.table.source} has there; "
                "see its reference.",
                param=_short(self._at),
            ) from None

    @property
    def dropped(self) -> tuple[str, ...]:
        """The paths of what was dropped, each once, in the order in which they came."""
        return tuple(self._dropped)

    def fields(self, raw: Mapping[str, Any], path: str = "") -> dict[str, Any]:
        """The fields of an object that are mapped and not null. A field that the table does not know is dropped.

        Raises:
            RequestError: a field is refused.
        """
        found: dict[str, Any] = {}
        for name, value in raw.items():
            full = self._at = f"{path}.{name}" if path else name
            row = self.table.rows.get(full)
            if value is None or (row is None and name in _KINDS):
                continue
            if row is not None and row.verdict == "mapped":
                found[name] = value
            elif row is None or not row.unless or json.loads(row.unless) != value:
                self._lose(full, row)
        return found

    def kind(self, path: str, raw: Mapping[str, Any], default: str = "") -> str | None:
        """The path of an object by its `type` or `role`; None if it is dropped.

        Raises:
            RequestError: its kind is refused, or unknown.
        """
        word = next((raw[name] for name in ("type", "role") if isinstance(raw.get(name), str)), default)
        return self._known(f"{path}[{word}]")

    def word(self, path: str, value: object) -> str | None:
        """A word that is mapped; None if it is dropped.

        Raises:
            RequestError: it is refused, or unknown.
        """
        return str(value) if self._known(f"{path}={value}") is not None else None

    def drop(self, path: str) -> None:
        """Report something that could not be said although its field is mapped."""
        self._dropped[_short(path)] = None

    def refuse(self, path: str, reason: str) -> RequestError:
        """The error for something that must not be lost."""
        return RequestError(
            f"`{_short(path)}` cannot be translated from {self.table.source} to {self.table.target}: {reason}. "
            f"Leave it out, or choose a model whose upstream speaks {self.table.source}.",
            param=_short(path),
        )

    def _known(self, path: str) -> str | None:
        self._at = path
        row = self.table.rows.get(path)
        if row is None and not self.is_lenient:
            raise self.refuse(path, "it is unknown")
        if row is not None and row.verdict == "mapped":
            return path
        self._lose(path, row)
        return None

    def _lose(self, path: str, row: Row | None) -> None:
        if row is not None and row.verdict == "refused":
            raise self.refuse(path, row.note)
        self.drop(path)


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…"
