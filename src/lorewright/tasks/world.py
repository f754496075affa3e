"""Reading world books for a task: settings, books and a chat in; texts with their places and a report out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lorewright.core.model import EMPTY
from lorewright.core.protocols import Regexes
from lorewright.core.regex_script import RegexScript
from lorewright.tasks.activate import activate
from lorewright.tasks.active import Active
from lorewright.tasks.cache import CacheKey, WorldCache
from lorewright.tasks.collect import Collected, Sieve, collect
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.host_rules import ScriptOrigin
from lorewright.tasks.keys import Trigger
from lorewright.tasks.lore import LoreReport, TaskLore, place_texts
from lorewright.tasks.passes import EntryRenderer, render_passes
from lorewright.tasks.pool import Pool
from lorewright.tasks.pulling import Puller
from lorewright.tasks.runway import Removal, Runway, choose_runway
from lorewright.tasks.scene import TaskScene, code_names, template_values
from lorewright.tasks.settings import TaskSettings
from lorewright.tasks.shelf import Shelf
from lorewright.tasks.trigger import make_trigger
from lorewright.tasks.warnings import TaskWarning
from lorewright.templates.ejs import ChatText, Sandbox, Scene

__all__ = ["TaskTools", "WorldRequest", "read_world"]

_LEGACY: Final = ("EW/Controller/", "EW/Dyn/")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRequest:
    """What a task reads: the books by name, in order, and the chat it is about.

    messages, user_message and context are raw, as the host has them; see `make_trigger`. repaired: defects of the
    recorded program are not played.
    """

    settings: TaskSettings = field(default_factory=TaskSettings)
    books: tuple[str, ...] = ()
    messages: Sequence[Any] = ()
    user_message: str = ""
    context: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    scene: TaskScene = field(default_factory=TaskScene)
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class TaskTools:
    """What a reading needs from outside. trusted: the books whose code may run. lodash: whether code finds all of it.
    cache: the books of the last reading; None: none are kept. scripts: the host's regex scripts that may be used, by whose
    they are."""

    regexes: Regexes
    sandbox: Sandbox
    trusted: Collection[str] = ()
    lodash: bool = True
    cache: WorldCache | None = None
    scripts: Mapping[ScriptOrigin, Sequence[RegexScript]] = field(default_factory=dict)


def read_world(request: WorldRequest, shelf: Shelf, tools: TaskTools, now_ms: int = 0) -> TaskLore:
    """The lore of a task. Nothing is raised on account of a book: the report says what went wrong.

    `now_ms` is what the cache's time is counted in.
    """
    settings = request.settings
    runway = choose_runway(settings)
    collected, key, age_ms = _collect(request, shelf, runway, tools.cache, now_ms)
    report = LoreReport(
        filter_mode=settings.filter_mode,
        keywords=settings.keywords,
        requested=request.books,
        entries=collected.entries,
        removed=collected.removed,
        failed=collected.failed,
        blocked=tuple(collected.memory.blocked),
        cache_key=key,
        age_ms=age_ms,
    )
    if not collected.entries:
        return TaskLore(report=report)
    user_input = request.user_message or request.context.get("user_input") or ""
    values = template_values(request.scene, {**request.context, "user_input": user_input})
    trigger = Trigger(make_trigger(request.messages, request.user_message, request.context), values, tools.regexes)
    active = activate(collected.entries, trigger, vanish=not request.repaired)
    report = replace(report, trigger=trigger.text, warnings=_first_warnings(collected.entries, trigger))
    if not active:
        return TaskLore(report=report)
    return _render(request, shelf, tools, runway, collected, active, values, report)


def _collect(
    request: WorldRequest, shelf: Shelf, runway: Runway, cache: WorldCache | None, now_ms: int
) -> tuple[Collected, CacheKey, int | None]:
    """The entries, from the cache or the shelf; what they are kept under; how old they are."""
    settings, scene = request.settings, request.scene
    key = CacheKey(
        scene.chat_id, scene.character_id, request.books, shelf.state, settings.filter_mode, settings.keywords
    )
    if cache and (found := cache.get(key, now_ms)):
        return found.collected, key, found.age_ms
    collected = collect(request.books, shelf, runway)
    if cache:
        cache.put(key, collected, now_ms)
    return collected, key, None


def _render(
    request: WorldRequest,
    shelf: Shelf,
    tools: TaskTools,
    runway: Runway,
    collected: Collected,
    active: Iterable[Active],
    values: Mapping[str, Any],
    report: LoreReport,
) -> TaskLore:
    memory = collected.memory
    sieve = Sieve(runway, memory, lazy=True)
    pool = Pool(collected.entries, lambda name: _as_written(sieve.sift(shelf.read(name))), tools.regexes)
    puller = Puller(pool, memory.find if runway.remembers else _forget, values)
    with tools.sandbox.generation(
        _scene(request.scene, values, collected.entries, tools), puller, tools.trusted
    ) as code:
        renderer = EntryRenderer(code, puller, runway, memory, values)
        passes = render_passes(active, renderer, request.settings.max_passes, report.warnings)
    report = replace(
        report,
        removed=(*report.removed, *sieve.removed),
        blocked=tuple(memory.blocked),
        active=tuple(passes.active.values()),
        forced=tuple(passes.forced.values()),
        pulled=tuple(passes.pulled.values()),
        lazy_books=tuple(pool.loaded),
        passes=passes.count,
        warnings=tuple(passes.warnings),
        told=tuple(passes.told),
    )
    return place_texts(passes.texts, report)


def _as_written(entries: Iterable[TaskEntry]) -> list[TaskEntry]:
    """Entries of a book that code asked for keep their decorator lines, as in the recorded program."""
    return [replace(entry, text=entry.content) for entry in entries]


def _forget(book: str, title: str) -> Removal | None:
    """No filtered entry is told of."""
    del book, title
    return None


def _scene(scene: TaskScene, values: Mapping[str, Any], entries: Iterable[TaskEntry], tools: TaskTools) -> Scene:
    return Scene(
        names=code_names(scene, values),
        variables=scene.scopes,
        chat=tuple(ChatText(line.role, line.text) for line in scene.chat),
        description=scene.description,
        lore_books=tuple(dict.fromkeys(entry.book for entry in entries)),
        lodash=tools.lodash,
        now_ms=scene.clock_ms or 0,
        utc_offset_minutes=scene.utc_offset_minutes,
    )


def _first_warnings(entries: Iterable[TaskEntry], trigger: Trigger) -> tuple[TaskWarning, ...]:
    """What is known before anything is rendered."""
    legacy = dict.fromkeys(entry.name for entry in entries if entry.name.startswith(_LEGACY))
    found = [TaskWarning("legacy_names", ", ".join(legacy))] if legacy else []
    return (*found, *(TaskWarning("slow_key", key.text) for key in trigger.timed_out))
