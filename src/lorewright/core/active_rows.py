"""Rows that are in: what fits, which text goes into another one, and in which order they stand (spec risu §8.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.core import javascript
from lorewright.core.directives import Directives, Injection
from lorewright.core.prepared import Prepared
from lorewright.core.row_search import Hit

__all__ = ["ActiveRow", "RowOutcome", "inject_rows", "inject_text", "limit_tokens"]


@dataclass(frozen=True, slots=True)
class ActiveRow:
    """A row that is in. source: its title, or `lorebook N`. text: with what other rows put into it; `Activated` has the
    rendered one. tokens: of its own text, before macros."""

    entry: Prepared
    source: str
    text: str
    directives: Directives
    order: float
    priority: float
    tokens: int
    verbatim: bool = False
    """The text is not rendered."""

    @property
    def role(self) -> str:
        return self.directives.role or "system"


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """What the passes gave. rows: in the order in which they are placed. hits: every key that was found. lost: rows
    whose text has no target, by entry id. injected: those whose text went into another row. variables: what is to be
    remembered."""

    rows: tuple[ActiveRow, ...] = ()
    hits: tuple[Hit, ...] = ()
    lost: frozenset[str] = frozenset()
    injected: frozenset[str] = frozenset()
    variables: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    limit_tokens: int = 0
    used_tokens: int = 0


def limit_tokens(percent: float, cap: int, context_tokens: int) -> int:
    """The budget of rows: a share of the context, at most the cap."""
    limit = javascript.round_half_up(percent * context_tokens / 100)
    return min(cap, limit) if cap else limit


def inject_rows(rows: Sequence[ActiveRow]) -> tuple[list[ActiveRow], frozenset[str], frozenset[str]]:
    """The rows with the texts of those that go into another one; the ids of these, and of those without a target.

    The target is the first row with the title; one that goes into another itself is none.
    """
    stay = [row for row in rows if not _goes_into_lore(row)]
    places: dict[str, int] = {}
    for place, row in enumerate(stay):
        places.setdefault(row.source, place)
    injected: set[str] = set()
    lost: set[str] = set()
    for row in rows:
        injection = row.directives.injection
        if injection is None or not injection.into_lore:
            continue
        target = places.get(injection.place)
        if target is None:
            lost.add(row.entry.id)
            continue
        injected.add(row.entry.id)
        stay[target] = replace(stay[target], text=inject_text(injection, stay[target].text, row.text))
    return stay, frozenset(injected), frozenset(lost)


def inject_text(injection: Injection, into: str, text: str) -> str:
    """A text with another one behind it, before it, or in the place of the first occurrence of what is sought."""
    match injection.operation:
        case "append":
            return f"{into} {text}"
        case "prepend":
            return f"{text} {into}"
        case "replace":
            return javascript.replace_first(into, injection.sought, text)


def _goes_into_lore(row: ActiveRow) -> bool:
    return row.directives.injection is not None and row.directives.injection.into_lore
