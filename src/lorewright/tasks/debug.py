"""The report of a reading as JSON, by the names of seed 000."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lorewright.core.javascript import length, trim
from lorewright.tasks.entry import TaskEntry
from lorewright.tasks.lore import LoreReport
from lorewright.tasks.warnings import TaskWarning

__all__ = ["show_report"]

_MVU = frozenset(("mvu_tagged", "mvu_content"))


def show_report(report: LoreReport) -> dict[str, Any]:
    """`debug` of the recorded program. What the default filter kept back is in `mvu`, what the user's keywords did in
    `customFilter`; both are always there."""
    by = [one.by for one in report.active]
    return {
        "requestedWorldbooks": list(report.requested),
        "loadedWorldbooks": list(report.requested),
        "worldbookCount": len(report.entries),
        "triggerLength": length(report.trigger),
        "activatedEntryCount": len(by),
        "constantActivatedCount": by.count("constant"),
        "selectiveActivatedCount": by.count("selective") + by.count("forced"),
        "ejsForcedActivationCount": len(report.forced),
        "ejsInlinePullCount": len(report.pulled),
        "resolvePassCount": report.passes,
        "forcedActivatedEntries": _entries(report.forced),
        "inlinePulledEntries": _entries(report.pulled),
        "lazyLoadedWorldbooks": list(report.lazy_books),
        "warnings": _sentences(report.warnings),
        "recursionWarnings": _sentences(report.told),
        "mvu": _mvu(report),
        "customFilter": _custom(report),
    }


def _entries(entries: Iterable[TaskEntry]) -> list[dict[str, str]]:
    return [{"name": entry.title, "sourceName": entry.name, "worldbook": entry.book} for entry in entries]


def _sentences(warnings: Iterable[TaskWarning]) -> list[str]:
    return list(dict.fromkeys(warning.text for warning in warnings))


def _mvu(report: LoreReport) -> dict[str, Any]:
    found = [removal for removal in report.removed if removal.reason in _MVU]
    lazy = [removal for removal in found if removal.lazy]
    blocked = report.blocked if lazy or report.lazy_books else [trim(removal.entry.text) for removal in found]
    return {
        "filteredEntryCount": len(found) - len(lazy),
        "filteredEntries": [
            {
                "worldbook": removal.entry.book,
                "name": removal.entry.title,
                "sourceName": removal.entry.name,
                "reason": removal.reason,
            }
            for removal in found
        ],
        "blockedContentsCount": len(set(blocked) - {""}),
        "lazyFilteredEntryCount": len(lazy),
    }


def _custom(report: LoreReport) -> dict[str, Any]:
    found = [removal for removal in report.removed if removal.reason == "custom_keyword"]
    return {
        "mode": report.filter_mode,
        "keywords": list(report.keywords),
        "filteredEntryCount": len(found),
        "filteredEntries": [
            {
                "worldbook": removal.entry.book,
                "name": removal.entry.name,
                "matchedKeyword": removal.keyword,
                "reason": removal.reason,
            }
            for removal in found
        ],
        "lazyFilteredEntryCount": sum(removal.lazy for removal in found),
    }
