"""What rendering a text gives: the text, what it depended on, what it wrote, what went wrong.

Placement asks for the kind: a text that is not constant must not stand in the stable front of a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lorewright.core.model import ABSENT, Report
from lorewright.core.variables import Write
from lorewright.templates.context import Json

__all__ = ["MAX_REPORTS", "Kind", "Record", "Rendered"]

MAX_REPORTS = 200

Kind: TypeAlias = Literal["state", "clock", "random", "writes"]
"""Why a text can differ the next time: it reads state, tells the time, draws, or writes variables."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered text.

    `kinds` is empty for a constant text. `reads` and `writes` name what was touched: `local:mood`, `global:x`,
    `card:description`, `chat`, `setting:model`, `clock`, `random`. `local_variables` and `global_variables` are all
    variables after the text ran; they are the context's own mappings when nothing was written. `metadata` holds facts
    to keep with the chat (`chat_id_hash`), `banned` the words to keep the model from, `picks` the seed and its hash of
    each choice of `pick`.
    """

    text: str
    kinds: frozenset[Kind] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    local_variables: Mapping[str, Json] = field(default_factory=dict)
    global_variables: Mapping[str, Json] = field(default_factory=dict)
    metadata: Mapping[str, Json] = field(default_factory=dict)
    banned: tuple[str, ...] = ()
    picks: tuple[tuple[str, int], ...] = ()
    reports: tuple[Report, ...] = ()

    @property
    def volatile(self) -> bool:
        """Whether the next rendering can give another text, or this one changed something."""
        return bool(self.kinds)

    def variable_writes(self) -> tuple[Write, ...]:
        """The variables that the text wrote, with what they are now. Other writes (banned words) are not among them."""
        found: list[Write] = []
        for written in sorted(self.writes):
            scope, _, name = written.partition(":")
            if scope == "local":
                found.append(Write("local", name, self.local_variables.get(name, ABSENT)))
            elif scope == "global":
                found.append(Write("global", name, self.global_variables.get(name, ABSENT)))
        return tuple(found)


class Record:
    """Collects what one rendering touches. It belongs to that rendering and is thrown away with it."""

    def __init__(self) -> None:
        self.kinds: set[Kind] = set()
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self._reports: dict[tuple[str, str], Report] = {}

    @property
    def reports(self) -> tuple[Report, ...]:
        """The reports so far, each sentence once."""
        return tuple(self._reports.values())

    def read(self, name: str, kind: Kind | None = "state") -> None:
        """Something was read. `kind` None: it is as constant as the book (a name, a text of the card)."""
        self.reads.add(name)
        if kind is not None:
            self.kinds.add(kind)

    def write(self, name: str) -> None:
        """Something was written."""
        self.writes.add(name)
        self.kinds.add("writes")

    def report(
        self, code: str, message: str, level: Literal["info", "warning", "error"] = "warning", *, field: str = ""
    ) -> None:
        """Something a person should know. Of very many reports the first `MAX_REPORTS` are kept."""
        if len(self._reports) < MAX_REPORTS:
            report = Report(code=code, message=message, level=level, field=field)
            self._reports.setdefault((code, message), report)
