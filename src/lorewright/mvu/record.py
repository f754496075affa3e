"""What is kept of the variables with one message, or one swipe of it (spec mvu-vars §1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.core.model import EMPTY
from lorewright.mvu.schema import Schema
from lorewright.mvu.values import Json, saved

__all__ = ["MEMBERS", "Record"]

MEMBERS: Final = ("stat_data", "schema", "initialized_lorebooks", "display_data", "delta_data")
"""The program's names for the parts of a record."""


@dataclass(frozen=True, slots=True)
class Record:
    """All values are such as a chat file keeps (`saved`). tree: the variables. schema: their rules, None if there are none. books: the names of those whose initial values
    are in. display: the tree with the last change of each place as a text in its place; delta: those texts alone; both
    None if nobody wrote them. others: members that are not the program's.
    """

    tree: Json = field(default_factory=dict)
    schema: Schema | None = None
    books: tuple[str, ...] = ()
    display: Json = None
    delta: Json = None
    others: Mapping[str, Json] = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, stored: Json) -> Record | None:
        """The record that an object of a chat file is; None if it holds no tree or no schema."""
        if not isinstance(stored, Mapping) or stored.get("stat_data") is None or "schema" not in stored:
            return None
        schema = stored["schema"]
        books: Any = stored.get("initialized_lorebooks")
        return cls(
            saved(stored["stat_data"]),
            schema if isinstance(schema, dict) else None,
            tuple(books) if isinstance(books, Mapping) else _texts(books),
            stored.get("display_data"),
            stored.get("delta_data"),
            {name: value for name, value in stored.items() if name not in MEMBERS},
        )

    def stored(self) -> dict[str, Json]:
        """The object that a chat file keeps."""
        made: dict[str, Json] = {**self.others, "stat_data": self.tree}
        made["schema"] = self.schema
        made["initialized_lorebooks"] = {name: [] for name in self.books}
        if self.display is not None:
            made["display_data"] = self.display
        if self.delta is not None:
            made["delta_data"] = self.delta
        return made


def _texts(books: Json) -> tuple[str, ...]:
    """The old form of the books, a list of their names."""
    return tuple(name for name in books if isinstance(name, str)) if isinstance(books, list) else ()
