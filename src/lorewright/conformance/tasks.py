"""The suites of seed 000 about texts and values alone; the schema is in conformance/mvu/README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from lorewright.conformance.outcome import Outcome, compare
from lorewright.conformance.task_host import host_scene
from lorewright.core.protocols import Tools
from lorewright.mvu.detect import is_likely_mvu, is_tagged
from lorewright.mvu.sanitize import Blocked, sanitize
from lorewright.tasks.fields import FieldLog, FieldNote, clean_field
from lorewright.tasks.regexes import apply_rules, read_task_rules
from lorewright.tasks.scene import template_values
from lorewright.templates.bme import substitute

__all__ = ["run_texts", "show_notes"]

Json = Mapping[str, Any]


def run_texts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file."""
    answer = _ANSWERS[suite]
    for case in document["cases"]:
        differences = compare("result", case["expected"], answer(case["input"], document, tools))
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(differences))


def _tag(given: Json, document: Json, tools: Tools) -> Json:
    del document, tools
    return {"tagged": is_tagged(given["name"], given["comment"]), "commentTagged": is_tagged(given["comment"])}


def _content(given: Json, document: Json, tools: Tools) -> Json:
    del document, tools
    return {"likelyMvu": is_likely_mvu(given["content"])}


def _sanitized(given: Json, document: Json, tools: Tools) -> Json:
    del document, tools
    found = sanitize(given["content"], given["mode"], Blocked.of(given["blockedContents"] or ()))
    return {
        "text": found.text,
        "changed": found.changed,
        "dropped": found.dropped,
        "reasons": list(found.reasons),
        "blockedHitCount": found.blocked_hits,
        "artifactRemovedCount": found.artifacts,
    }


def _structured(given: Json, document: Json, tools: Tools) -> Json:
    del document, tools
    log = FieldLog()
    name, texts, containers = given["fieldName"], given["applySanitizer"], given["stripMvuContainers"]
    found = clean_field(given["value"], name, log, texts=texts, containers=containers)
    return {
        "value": found.value,
        "changed": found.changed,
        "omit": found.omit,
        "sanitizedFields": show_notes(log.notes),
        "hitKinds": log.kinds,
        "appliedFields": log.names,
    }


def show_notes(notes: Iterable[FieldNote]) -> list[Json]:
    """Notes by the names of the recorded program."""
    return [
        {
            "name": note.name,
            "stage": note.stage,
            "changed": True,
            "dropped": note.dropped,
            "reasons": list(note.reasons),
            "blockedHitCount": note.blocked_hits,
        }
        for note in notes
    ]


def _substituted(given: Json, document: Json, tools: Tools) -> Json:
    del tools
    values = template_values(host_scene(document["host"]), document["context"])
    return {"text": substitute(given["text"], values).text}


def _changed_by_rules(given: Json, document: Json, tools: Tools) -> Json:
    del document
    rules = read_task_rules(given["settings"])
    text, events = apply_rules(rules, given["text"], given["stage"], given["role"], tools.regexes)
    return {
        "text": text,
        "enabled": rules.enabled,
        "appliedRules": [
            {"id": event.rule, "error": event.error} if event.error else {"id": event.rule} for event in events
        ],
        "localRuleCount": len(rules.rules) if rules.enabled else 0,
    }


_ANSWERS: Final[Mapping[str, Callable[[Json, Json, Tools], Json]]] = {
    "detect_tag": _tag,
    "detect_content": _content,
    "sanitize": _sanitized,
    "structured": _structured,
    "substitute": _substituted,
    "task_regex": _changed_by_rules,
}
