"""What a task reads of world books: texts with their places, and a report of everything that was decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from lorewright.core.javascript import trim
from lorewright.tasks.active import Active
from lorewright.tasks.cache import CacheKey
from lorewright.tasks.entry import AT_DEPTH, BEFORE, EXAMPLES_TOP, NOTE_TOP, TaskEntry
from lorewright.tasks.runway import Removal
from lorewright.tasks.warnings import TaskWarning

__all__ = ["LoreReport", "LoreText", "TaskLore", "join_texts", "place_texts"]

_BEFORE: Final = frozenset((BEFORE, EXAMPLES_TOP, NOTE_TOP))
_ROLES: Final = frozenset(("system", "user", "assistant"))


@dataclass(frozen=True, slots=True)
class LoreText:
    """The text of an active entry as it is used; `index` counts the texts in the order in which they were rendered."""

    active: Active
    content: str
    index: int

    @property
    def entry(self) -> TaskEntry:
        return self.active.entry

    @property
    def role(self) -> str:
        """Who says it, where it is a message."""
        return self.entry.role if self.entry.role in _ROLES else "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreReport:
    """How the texts came about.

    removed: entries that the filter kept back, those of lazily read books last. failed: books that could not be read,
    and why. active: all active entries, also those that gave no text. forced, pulled: entries that code switched on, or
    took into another text. passes: how often everything was rendered. warnings: about entries; told: what code met, each
    once. age_ms: how old the books were that a cache gave; None: they were read for this task.
    """

    filter_mode: str = "default"
    keywords: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    entries: tuple[TaskEntry, ...] = ()
    removed: tuple[Removal, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    blocked: tuple[str, ...] = ()
    trigger: str = ""
    active: tuple[Active, ...] = ()
    forced: tuple[TaskEntry, ...] = ()
    pulled: tuple[TaskEntry, ...] = ()
    lazy_books: tuple[str, ...] = ()
    passes: int = 0
    warnings: tuple[TaskWarning, ...] = ()
    told: tuple[TaskWarning, ...] = ()
    cache_key: CacheKey | None = None
    age_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLore:
    """The texts of a task by place, and the report."""

    before: tuple[LoreText, ...] = ()
    after: tuple[LoreText, ...] = ()
    at_depth: tuple[LoreText, ...] = ()
    report: LoreReport = field(default_factory=LoreReport)

    @property
    def texts(self) -> tuple[LoreText, ...]:
        """All of them."""
        return (*self.before, *self.after, *self.at_depth)

    @property
    def names(self) -> tuple[str, ...]:
        """Titles of everything that is in, and of what code switched on, each once."""
        titles = [text.entry.title for text in self.texts] + [entry.title for entry in self.report.forced]
        return tuple(dict.fromkeys(filter(None, titles)))


def place_texts(texts: Iterable[LoreText], report: LoreReport) -> TaskLore:
    """The texts in their buckets: those at a depth by depth, descending, and order; the others as they come."""
    before: list[LoreText] = []
    after: list[LoreText] = []
    deep: list[LoreText] = []
    for text in texts:
        position = text.entry.position
        (before if position in _BEFORE else deep if position == AT_DEPTH else after).append(text)
    deep.sort(key=lambda text: (-text.entry.depth, text.entry.order, text.index))
    return TaskLore(before=tuple(before), after=tuple(after), at_depth=tuple(deep), report=report)


def join_texts(texts: Iterable[LoreText]) -> str:
    """The texts one after the other, a blank line between them."""
    return "\n\n".join(filter(None, (trim(text.content) for text in texts)))
