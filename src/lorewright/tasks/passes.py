"""Rendering active entries, again and again while their code switches others on (spec mvu-filter §7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lorewright.core.javascript import number_text, trim
from lorewright.tasks.active import Active, sort_active
from lorewright.tasks.collect import Memory
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.lore import LoreText
from lorewright.tasks.pulling import Puller, world_info
from lorewright.tasks.runway import Runway
from lorewright.tasks.warnings import TaskWarning
from lorewright.templates.bme import substitute
from lorewright.templates.context import Json
from lorewright.templates.ejs import Output, Refused

__all__ = ["EntryRenderer", "Passes", "Renders", "render_passes"]


class Renders(Protocol):
    """Renders code; see `templates.ejs.Generation`."""

    def render(
        self, book: str, text: str, *, tag: str = "", names: Mapping[str, Json] | None = None, seed: str = ""
    ) -> Output | Refused: ...


@dataclass(slots=True)
class Passes:
    """What came of all passes: the texts of the last one, everything else of all."""

    texts: list[LoreText] = field(default_factory=list)
    active: dict[str, Active] = field(default_factory=dict)
    forced: dict[str, TaskEntry] = field(default_factory=dict)
    pulled: dict[str, TaskEntry] = field(default_factory=dict)
    warnings: dict[TaskWarning, None] = field(default_factory=dict)
    told: dict[TaskWarning, None] = field(default_factory=dict)
    count: int = 0


class EntryRenderer:
    """Makes the text of one entry."""

    def __init__(
        self, code: Renders, puller: Puller, runway: Runway, memory: Memory, values: Mapping[str, Any]
    ) -> None:
        self.code = code
        self.puller = puller
        self.runway = runway
        self.memory = memory
        self.values = values

    def text(self, entry: TaskEntry, passes: Passes) -> str:
        """The text, empty where there is none; why is put into `passes.warnings`."""
        written = substitute(entry.text, self.values).text
        outcome = self.code.render(
            entry.book, written, tag=entry.tag, names={"world_info": world_info(entry)}, seed=entry.identity
        )
        refused = outcome if isinstance(outcome, Refused) else None
        self.puller.finish(entry.tag, refused)
        if refused:
            passes.warnings.setdefault(_warn(entry, refused))
        passes.told.update(self.puller.warnings)
        if not isinstance(outcome, Output):
            return ""
        cleaned = self.runway.clean(outcome.text, "aggressive", self.memory.blocked_texts())
        if cleaned.dropped:
            passes.warnings.setdefault(TaskWarning("looks_like_mvu", entry.name))
        return trim(cleaned.text)


def render_passes(
    active: Iterable[Active], renderer: EntryRenderer, most: float, warnings: Iterable[TaskWarning]
) -> Passes:
    """Render until code switches nothing new on, or `most` passes are over."""
    passes = Passes(active={one.entry.identity: one for one in active}, warnings=dict.fromkeys(warnings))
    puller = renderer.puller
    while True:
        passes.count += 1
        puller.begin(list(passes.active.values()))
        passes.texts = []
        for one in sort_active(passes.active.values()):
            if text := renderer.text(one.entry, passes):
                passes.texts.append(LoreText(one, text, len(passes.texts)))
        for entry in puller.pulled.values():
            passes.pulled.setdefault(f"{entry.book}:{entry.name}", entry)
        news = [entry for entry in puller.forced.values() if entry.identity not in passes.active]
        for entry in puller.forced.values():
            passes.forced.setdefault(entry.identity, entry)
        for entry in news:
            passes.active[entry.identity] = Active(entry, "ejs-forced")
        if not news:
            return passes
        if passes.count >= most:
            limit = TaskWarning("pass_limit", number_text(most))
            passes.warnings.setdefault(limit)
            passes.told.setdefault(limit)
            return passes


def _warn(entry: TaskEntry, refused: Refused) -> TaskWarning:
    if refused.code == "unsupported_helper":
        return TaskWarning("unsupported_helper", entry.name, refused.helper)
    if refused.code == "engine_missing":
        return TaskWarning("engine_missing", entry.name, refused.message)
    if refused.code == "book_not_trusted":
        return TaskWarning("not_trusted", entry.name, refused.message)
    return TaskWarning("render_failed", entry.name, refused.message)
