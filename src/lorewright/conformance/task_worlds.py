"""The suites `worldinfo` and `cache` of seed 000: world books read for a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.task_host import HostShelf, host_books, host_scene
from lorewright.core.protocols import Tools
from lorewright.tasks.cache import CacheKey, WorldCache
from lorewright.tasks.debug import show_report
from lorewright.tasks.depth import depth_message
from lorewright.tasks.lore import LoreText, TaskLore, join_texts
from lorewright.tasks.settings import read_task_settings
from lorewright.tasks.world import TaskTools, WorldRequest, read_world
from lorewright.templates.ejs import Sandbox

__all__ = ["run_cache", "run_worlds", "world_answer"]

Json = Mapping[str, Any]


def run_worlds(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]:
    """Run the cases of one file; all books are trusted.

    Cases of the custom mode as another program plays it are information: the seed asks for something else.
    """
    superseded = document.get("mode") == "custom" and document.get("source") == "snapshot-run"
    others: list[str] = []
    with Sandbox() as sandbox:
        for case in document["cases"]:
            name = str(case.get("id", "?"))
            differences = tuple(_world_differences(case, tools, sandbox))
            if not superseded:
                yield Outcome(suite, file, name, differences)
            elif differences:
                others.append(name)
    if superseded:
        yield (
            f"{file}: information: the seed overrules this file; {len(others)} of {len(document['cases'])} cases "
            f"are answered otherwise: {', '.join(others) or 'none'}"
        )


def _world_differences(case: Json, tools: Tools, sandbox: Sandbox) -> list[Difference]:
    expected = {**case["expected"], "debug": {**case["expected"]["debug"]}}
    expected["debug"].pop("customRender", None)  # a step that the seed does not have
    return compare("result", expected, world_answer(case["input"], tools, sandbox))


def world_answer(given: Json, tools: Tools, sandbox: Sandbox) -> Json:
    """What reading the books of a case gives, by the names of the recorded program."""
    shelf = HostShelf(given["host"])
    lore = read_world(_request(given, given["host"]), shelf, _tools(tools, sandbox, given["host"]))
    return {
        "beforeEntries": list(map(_shown, lore.before)),
        "afterEntries": list(map(_shown, lore.after)),
        "atDepthEntries": list(map(_shown, lore.at_depth)),
        "beforeText": join_texts(lore.before),
        "afterText": join_texts(lore.after),
        "additionalMessages": list(map(depth_message, lore.at_depth)),
        "activatedEntryNames": list(lore.names),
        "allEntries": [
            {"worldbook": entry.book, "uid": entry.uid, "name": entry.name, "enabled": entry.enabled}
            for entry in lore.report.entries
        ],
        "blockedContents": list(lore.report.blocked),
        "debug": {**show_report(lore.report), "cacheHit": lore.report.age_ms is not None},
        "hostLoads": shelf.loads,
    }


def run_cache(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file: readings one after the other over one cache, which shares what it holds, as there."""
    with Sandbox() as sandbox:
        for case in document["cases"]:
            cache, now_ms = WorldCache(shares=True), 0
            host = dict(case["input"]["host"])
            differences: list[Difference] = []
            for place, (step, expected) in enumerate(
                zip(case["input"]["steps"], case["expected"]["steps"], strict=True)
            ):
                now_ms += step.get("advanceMs", 0)
                host |= step.get("host", {})
                shelf = HostShelf(host)
                request = _request({"userMessage": "", **step}, host, "<chat>" + step.get("chatSuffix", ""))
                lore = read_world(request, shelf, _tools(tools, sandbox, host, cache), now_ms)
                differences += compare(f"steps[{place}]", expected, _step(lore, shelf, cache))
            yield Outcome(suite, file, str(case.get("id", "?")), tuple(differences))


def _step(lore: TaskLore, shelf: HostShelf, cache: WorldCache) -> Json:
    report = lore.report
    debug = show_report(report)
    return {
        "cacheHit": report.age_ms is not None,
        "cacheAgeMs": report.age_ms or 0,
        "cacheTtlMs": cache.ttl_ms,
        "cacheKeyFields": _key(report.cache_key) if report.cache_key else None,
        "hostLoads": shelf.loads,
        "allEntries": [entry.name for entry in report.entries],
        "before": [text.entry.name for text in lore.before],
        "beforeText": join_texts(lore.before),
        "blockedContents": list(report.blocked),
        "mvu": debug["mvu"],
        "customFilter": debug["customFilter"],
        "worldbookCount": debug["worldbookCount"],
    }


def _key(key: CacheKey) -> Json:
    assert isinstance(key.shelf, tuple)
    source, fallback, revision = key.shelf
    return {
        "chatId": key.chat,
        "characterId": "" if key.character is None else key.character,
        "requestedWorldbooks": list(key.books),
        "sourceLabel": source,
        "fallback": fallback,
        "snapshotRevision": revision,
        "filterMode": key.filter_mode,
        "customFilterKeywords": list(key.keywords),
    }


def _request(given: Json, host: Json, chat_id: str = "") -> WorldRequest:
    return WorldRequest(
        settings=read_task_settings(given["settings"]),
        books=host_books(host),
        messages=given.get("chatMessages", ()),
        user_message=given["userMessage"],
        context=given.get("templateContext", {}),
        scene=host_scene(host, chat_id),
    )


def _tools(tools: Tools, sandbox: Sandbox, host: Json, cache: WorldCache | None = None) -> TaskTools:
    """All books are trusted; the recorded host has no lodash."""
    return TaskTools(tools.regexes, sandbox, frozenset(host["worldbooks"]), lodash=False, cache=cache)


def _shown(text: LoreText) -> Json:
    active, entry = text.active, text.entry
    keys = {"matchedPrimaryKey": active.primary, "matchedSecondaryKeys": list(active.secondary)}
    return {
        "name": entry.title,
        "sourceName": entry.name,
        "worldbook": entry.book,
        "content": text.content,
        "role": text.role,
        "position": entry.position,
        "depth": entry.depth,
        "order": entry.order,
        "index": text.index,
        "activation": {"mode": active.by, **({} if active.by == "ejs-forced" else keys)},
    }
