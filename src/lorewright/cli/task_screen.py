"""The prompt of a task, shown to a person or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.cli.tasking import PreparedTask
from lorewright.tasks.debug import show_report
from lorewright.tasks.lore import LoreText
from lorewright.tasks.prompt import TaskPrompt
from lorewright.tasks.runway import Removal
from lorewright.tasks.warnings import TaskWarning, WarningKind

__all__ = ["show_task", "task_object"]

_REASONS: Final = {
    "mvu_tagged": "its title has a tag of MVU",
    "mvu_content": "its text looks like MVU",
    "custom_keyword": "its title holds the keyword",
    "disabled": "it is switched off",
}

_WARNINGS: Final[Mapping[WarningKind, str]] = {
    "legacy_names": "These entries have names that once meant something; they are read as any others: {0}.",
    "unsupported_helper": "The code of the entry `{0}` calls `{1}`, which there is not, so the entry is left out.",
    "engine_missing": "The entry `{0}` holds code that cannot be run here, so it is left out: {1}",
    "not_trusted": "The entry `{0}` holds code, and its book is not trusted, so it is left out.",
    "render_failed": "The code of the entry `{0}` failed, so the entry is left out: {1}",
    "looks_like_mvu": "What the entry `{0}` comes to looks like MVU, so it is left out.",
    "pass_limit": "Entries went on switching each other on; that ended after {0} passes.",
    "recursive_getwi": "Entries ask for each other in a circle (`getwi`); nothing stands in the place of {0}.",
    "getwi_too_deep": "Entries ask for others too deeply (`getwi`); nothing stands in the place of {0}.",
    "filtered_entry": "Code asked for the entry `{0}`, which the filter keeps from the task.",
    "target_not_found": "Code switches on the entry `{0}`, which there is not.",
    "lazy_load_failed": "The book `{0}`, which code asked for, cannot be read.",
    "slow_key": "The key `{0}` took too long and was given up; it does not match.",
}
"""The warnings in our own words; those of the recorded program are partly Chinese, and stand in the JSON."""
_WITH_DETAIL: Final = frozenset(kind for kind, sentence in _WARNINGS.items() if "{1}" in sentence)


def task_object(task: PreparedTask) -> dict[str, Any]:
    """The answer as `--json` prints it."""
    prompt = task.prompt
    report = prompt.lore.report
    return {
        "task": prompt.profile.task,
        "profile": prompt.profile.id,
        "filter": {"mode": _filter(prompt), "keywords": list(report.keywords)},
        "removed": [_removal(removal) for removal in report.removed],
        "withheld": dict(task.withheld),
        "failed": [{"book": book, "reason": reason} for book, reason in report.failed],
        "lore": [
            {
                "place": place,
                "book": text.entry.book,
                "entry": text.entry.title,
                "by": text.active.by,
                "depth": text.entry.depth if place == "depth" else None,
                "text": text.content,
            }
            for place, text in _placed(prompt)
        ],
        "inputs": [
            {"field": note.name, "reasons": list(note.reasons), "dropped": note.dropped} for note in prompt.log.notes
        ],
        "cuts": [
            {"stage": cut.stage, "entry": cut.title, "reasons": list(cut.reasons), "dropped": cut.dropped}
            for cut in prompt.cuts
        ],
        "rules": [{"rule": event.rule, "error": event.error} for event in task.events],
        "warnings": [
            {
                "kind": warning.kind,
                "subject": warning.subject,
                "detail": warning.detail,
                "message": _sentence(warning),
                "text": warning.text,
            }
            for warning in _warnings(prompt)
        ],
        "blocks": [
            {
                "id": rendered.block.id,
                "role": rendered.block.role,
                "type": rendered.block.type,
                "source": rendered.block.source_key,
                "origin": rendered.origin,
                "text": rendered.content,
            }
            for rendered in prompt.blocks
        ],
        "user_source": task.payload.user_source,
        "messages": task.messages,
        "debug": show_report(report),
        "reports": [report_object(report) for report in task.reports],
    }


def _placed(prompt: TaskPrompt) -> Iterator[tuple[str, LoreText]]:
    lore = prompt.lore
    for place, texts in (("before", lore.before), ("after", lore.after), ("depth", lore.at_depth)):
        for text in texts:
            yield place, text


def _warnings(prompt: TaskPrompt) -> list[TaskWarning]:
    report = prompt.lore.report
    return list(dict.fromkeys((*report.warnings, *report.told)))


def _sentence(warning: TaskWarning) -> str:
    return _WARNINGS[warning.kind].format(warning.subject, warning.detail or "no more is known.")


def _filter(prompt: TaskPrompt) -> str:
    """The filter that works: a mode that is none is the default one."""
    return "custom" if prompt.lore.report.filter_mode == "custom" else "default"


def _removal(removal: Removal) -> dict[str, Any]:
    entry = removal.entry
    return {
        "book": entry.book,
        "uid": entry.uid,
        "entry": entry.title,
        "reason": removal.reason,
        "keyword": removal.keyword,
        "lazy": removal.lazy,
    }


def show_task(task: PreparedTask, screen: Screen) -> None:
    """Print the prompt for a person."""
    prompt = task.prompt
    report = prompt.lore.report
    screen.line(("Task: ", "bold"), f"{prompt.profile.task}, profile {prompt.profile.id}, filter {_filter(prompt)}")
    if report.keywords:
        screen.line("Keywords: ", ", ".join(report.keywords))
    screen.heading(f"Kept from the task: {count(len(report.removed), 'entry')}")
    for removal in report.removed:
        why = _REASONS[removal.reason] + (f" `{removal.keyword}`" if removal.keyword else "")
        screen.line(f"{removal.entry.book}: {removal.entry.title}: {why}")
    for book, ids in task.withheld.items():
        screen.line(f"{book}: closed by a gate: {', '.join(map(str, ids))}")
    for book, reason in report.failed:
        screen.line(f"{book}: not read: {reason}")
    screen.heading(f"Texts of books: {len(prompt.lore.texts)}")
    for place, text in _placed(prompt):
        where = f"depth {text.entry.depth:g}" if place == "depth" else place
        screen.line(f"{where}: {text.entry.book}: {text.entry.title} ({text.active.by})")
    _show_cleaning(task, screen)
    for number, message in enumerate(task.messages, start=1):
        screen.heading(f"Message {number}: {message['role']}")
        screen.text(message["content"])
    screen.reports(task.reports)


def _show_cleaning(task: PreparedTask, screen: Screen) -> None:
    prompt = task.prompt
    screen.heading("Taken out, changed, warned about")
    for note in prompt.log.notes:
        screen.line(f"input {note.name}: {', '.join(note.reasons)}{' (dropped)' if note.dropped else ''}")
    for cut in prompt.cuts:
        screen.line(f"{cut.stage} {cut.title}: {', '.join(cut.reasons) or 'white space'}")
    for event in task.events:
        screen.line(f"rule {event.rule}: {event.error or 'changed a text'}")
    for warning in _warnings(prompt):
        detail = "" if warning.kind in _WITH_DETAIL else warning.detail
        screen.line(f"{warning.kind}: {_sentence(warning)}{f' ({detail})' if detail else ''}")
