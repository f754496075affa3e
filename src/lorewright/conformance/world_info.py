"""Lorebook cases: `world-info` (recorded from SillyTavern) and `native` (written by hand for our own profile).

The schema is in conformance/world-info/README.md. This module translates between the cases' vocabulary and the public
API; it decides nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.recorded_macros import RecordedMacros
from lorewright.core import javascript
from lorewright.core.draw import SequenceDraw
from lorewright.core.engine import Assembly, assemble
from lorewright.core.model import (
    ActiveBook,
    AuthorsNote,
    Character,
    Forced,
    Inject,
    Message,
    Source,
    State,
    Timer,
    Turn,
)
from lorewright.core.place import join
from lorewright.core.policy import PROFILES, Policy
from lorewright.core.protocols import Draw, Tools
from lorewright.errors import CaseError
from lorewright.formats.settings import read_settings
from lorewright.formats.world_info import read_world_info
from lorewright.toolbox import load_lore

__all__ = ["evaluate", "run_world_info"]

Json = Mapping[str, Any]

_SOURCES: dict[str, Source] = {
    "global": "global",
    "character": "character",
    "characterExtra": "character_extra",
    "chat": "chat",
    "persona": "persona",
}
_PHASES = {"initial": "INITIAL", "recursion": "RECURSION", "min_activations": "MIN_ACTIVATIONS", None: "NONE"}
_CASE_KEYS = {
    *("id", "title", "note", "settings", "books", "chat", "context", "trigger", "dryRun", "random", "randomUsed"),
    *("force", "turns", "expected"),
}


class CodePointCounter:
    """The recorded cases' tokenizer: a quarter of the code points, rounded up."""

    name = "code points / 4"

    def count(self, text: str) -> int:
        return math.ceil(len(text) / 4)


def run_world_info(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file with the matcher and regexes of `tools`; recorded ones with the macros of that time."""
    for case in document["cases"]:
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_run_case(document, case, suite, tools)))


def _run_case(document: Json, case: Json, suite: str, tools: Tools) -> list[Difference]:
    if unknown := set(case) - _CASE_KEYS:
        return [Difference("case", "known keys only", sorted(unknown))]
    policy = PROFILES["native" if suite == "native" else "sillytavern"]
    state = State()
    found: list[Difference] = []
    for number, part in enumerate(case.get("turns") or [case]):
        where = f"turn {number + 1}" if "turns" in case else "result"
        step = {**case, **part, "context": {**case.get("context", {}), **part.get("context", {})}}
        expected = part["expected"]
        try:
            if "error" in expected:
                found += _check_survived(document, step, policy, tools, where)
                continue
            assembly, used = evaluate(document, step, policy, state, tools)
        except (CaseError, StopIteration, RuntimeError, KeyError, TypeError, ValueError) as error:
            return [*found, Difference(where, "an answer", f"{type(error).__name__}: {error}")]
        state = assembly.state
        found += _compare(where, expected, assembly)
        if "randomUsed" in step:
            found += compare(f"{where}.randomUsed", step["randomUsed"], used)
    return found


def evaluate(document: Json, step: Json, policy: Policy, state: State, tools: Tools) -> tuple[Assembly, list[float]]:
    """Evaluate one step of a case; the assembly, and the random numbers that were used."""
    settings, context_tokens, _ = read_settings(
        {**document["defaultSettings"], **step.get("settings", {})}, policy.settings
    )
    policy = policy.with_settings(settings)
    # Without numbers the turn itself draws, as it does for every user (native/PROVENANCE.md).
    draw: Draw | None = SequenceDraw(step["randomUsed"]) if "randomUsed" in step else None
    renderer = tools.renderer if policy.name == "native" else RecordedMacros()
    tools = Tools(tools.matcher, tools.regexes, renderer, CodePointCounter(), draw)
    shelf = [
        ActiveBook(_book(document, book), _SOURCES[book["source"]])
        for book in step["books"]
        if not (step["context"].get("noCharacter") and book["source"].startswith("character"))  # nobody whose it is
    ]
    turn = _turn(step, context_tokens)
    assembly = assemble(turn, load_lore(shelf, tools, policy), state, tools)
    return assembly, draw.used if isinstance(draw, SequenceDraw) else []


def _check_survived(document: Json, step: Json, policy: Policy, tools: Tools, where: str) -> list[Difference]:
    """The real engine throws. Ours must answer as if the offending group had any other name, and report it."""
    plain = json.loads(json.dumps(step))
    names = set()
    for book in plain["books"]:
        for entry in book["entries"]:
            names |= {
                part for part in str(entry.get("group", "")).split(",") if javascript.trim(part) in javascript.RESERVED
            }
    for book in plain["books"]:
        for entry in book["entries"]:
            for name in names:
                entry["group"] = str(entry.get("group", "")).replace(name, "a plain name")
    ours, _ = evaluate(document, {**step, "randomUsed": step.get("random", [])}, policy, State(), tools)
    theirs, _ = evaluate(document, {**plain, "randomUsed": plain.get("random", [])}, policy, State(), tools)
    found = compare(f"{where}.activated", _ids(theirs), _ids(ours))
    if not any(report.code == "group_reserved_name" for report in ours.reports):
        found.append(Difference(f"{where}.reports", "group_reserved_name", [report.code for report in ours.reports]))
    return found


def _book(document: Json, book: Json) -> Any:
    entries: dict[str, Any] = {}
    for entry in book["entries"]:
        raw = dict(entry)
        filled = raw if raw.pop("$raw", False) else {**document["entryDefaults"], **raw}
        entries[str(filled["uid"])] = filled
    return read_world_info({"entries": entries}, name=book["name"]).value


def _turn(step: Json, context_tokens: int | None) -> Turn:
    context = step["context"]
    char = context.get("char", "Aria")
    note = context.get("authorNote") or {}
    return Turn(
        messages=tuple(
            Message(message["name"], message["mes"], hidden=bool(message.get("is_system"))) for message in step["chat"]
        ),
        user=context.get("user", "Max"),
        character=None
        if context.get("noCharacter")
        else Character(
            name=char,
            avatar=context.get("avatar", f"{char}.png"),
            tags=frozenset(context["tags"]) if "tags" in context else frozenset(),
            description=context.get("description", ""),
            personality=context.get("personality", ""),
            depth_prompt=context.get("depthPrompt", ""),
            scenario=context.get("scenario", ""),
            creator_notes=context.get("creatorNotes", ""),
        ),
        persona_description=context.get("personaDescription", ""),
        authors_note=AuthorsNote(note["text"], bool(note.get("allowScan"))) if note.get("enabled") else None,
        injects=tuple(Inject(item["key"], item["value"], bool(item["scan"])) for item in context.get("injects", [])),
        forced=tuple(_forced(item) for item in step.get("force", [])),
        trigger=step.get("trigger", "normal"),
        context_tokens=8192 if context_tokens is None else context_tokens,
        dry_run=bool(step.get("dryRun")),
    )


def _forced(item: Json) -> Forced:
    fields = {key: value for key, value in item.items() if key != "world"}
    book = read_world_info({"entries": {str(fields["uid"]): fields}}, name=item["world"]).value
    return Forced(item["world"], book.entries[0])


# -- our answer in the words of the cases ---------------------------------------------------------------------------


def _ids(assembly: Assembly) -> list[str]:
    return [item.entry.id for item in assembly.activated]


def _answer(assembly: Assembly) -> dict[str, object]:
    placed = assembly.placed
    return {
        "activated": _ids(assembly),
        "before": join(placed.before),
        "after": join(placed.after),
        "atDepth": [
            {"depth": group.depth, "role": group.role, "entries": [item.text for item in group.texts]}
            for group in placed.at_depth
        ],
        "examples": [{"where": item.where, "content": item.text.text} for item in placed.examples],
        "anTop": [item.text for item in placed.note_top],
        "anBottom": [item.text for item in placed.note_bottom],
        "outlets": {name: [item.text for item in texts] for name, texts in placed.outlets.items()},
        "authorsNote": placed.authors_note,
        "loops": [
            {
                "loop": loop.sweep.number,
                "state": _PHASES[loop.sweep.phase],
                "next": _PHASES[loop.next],
                "newAfterGroups": [entry.id for entry in loop.survivors],
                "added": list(loop.added),
                "failedProbability": list(loop.failed),
                "delayLevel": loop.level,
                "overflowed": loop.overflowed,
            }
            for loop in assembly.trace.activation.loops
        ],
        "timedEffects": {"sticky": _timers(assembly.state.sticky), "cooldown": _timers(assembly.state.cooldown)},
    }


def _timers(timers: Mapping[str, Timer]) -> dict[str, object]:
    return {
        identity: {"start": timer.start, "end": timer.end, "protected": timer.protected}
        for identity, timer in timers.items()
    }


def _compare(where: str, expected: Json, assembly: Assembly) -> list[Difference]:
    answer = _answer(assembly)
    found: list[Difference] = []
    for key, value in expected.items():
        if key == "reasons":
            continue
        if key not in answer:
            found.append(Difference(f"{where}.{key}", "a key of the schema", "unknown key of `expected`"))
        else:
            found += _compare_one(f"{where}.{key}", value, answer[key])
    return found


def _compare_one(where: str, expected: object, actual: object) -> list[Difference]:
    if isinstance(expected, Sequence) and isinstance(actual, list) and not isinstance(expected, str):
        if len(expected) != len(actual):
            return [Difference(where, expected, actual)]
        pairs = zip(expected, actual, strict=True)
        return [found for place, (e, a) in enumerate(pairs) for found in compare(f"{where}[{place}]", e, a)]
    return compare(where, expected, actual)
