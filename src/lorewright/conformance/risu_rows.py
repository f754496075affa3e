"""The suite `lorebook` of RisuAI: which rows are active, in which order, and where their texts stand.

Schema: conformance/risu/README.md. The rows are read, played and placed by the profile `risu`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lorewright.conformance.cbs import read_character
from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.risu_request import Parts, build_request
from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.active_rows import ActiveRow, RowOutcome
from lorewright.core.draw import SequenceDraw
from lorewright.core.engine import Assembly, assemble
from lorewright.core.model import ActiveBook, Message, Role, Source, State, Turn
from lorewright.core.policy import RISU, Policy, RowRules, Settings
from lorewright.core.protocols import RenderContext, Rendered, Tools
from lorewright.core.row_places import place_rows
from lorewright.core.row_search import Hit
from lorewright.formats.risu_lorebook import read_risu_lorebook
from lorewright.templates.cbs import RECORDED, Call, CbsContext, Chat, is_template, render
from lorewright.toolbox import load_lore

__all__ = ["play_rows", "run_risu_rows"]

Json = Mapping[str, Any]

_FAILS = "position_without_place"


def run_risu_rows(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file."""
    for case in document["cases"]:
        given = {**document["defaults"], **case["input"]}
        given["character"] = {**document["defaults"]["character"], **case["input"].get("character", {})}
        given["settings"] = {**document["defaults"]["settings"], **case["input"].get("settings", {})}
        yield Outcome(suite, file, str(case["id"]), tuple(_run_case(document, given, case, tools)))


def _run_case(document: Json, given: Json, case: Json, tools: Tools) -> list[Difference]:
    if "place" in case["input"]:
        return compare("result", case["expect"], {"request": _request(document, given, tools)})
    draw = SequenceDraw(given.get("random", ()))
    assembly = play_rows(document, given, replace(tools, counter=CodePointCounter(), draw=draw))
    if "expect_error" in case:
        codes = [report.code for report in assembly.reports]
        return [] if _FAILS in codes and not assembly.activated else [Difference("error", case["expect_error"], codes)]
    return compare("result", case["expect"], _answer(given, case["expect"], assembly, draw))


def _request(document: Json, given: Json, tools: Tools) -> list[dict[str, str]]:
    """The whole request. Stored messages are parsed first, by the pass that writes."""
    settings = {**document["placeDefaults"], **given["place"]}
    card = given["character"]
    messages = list(map(_message, given["messages"]))
    context = CbsContext(
        user=given["user"],
        persona=given.get("persona", ""),
        character=read_character(card),
        chat=Chat(greeting=given["fmIndex"], messages=tuple({"role": m.name, "data": m.text} for m in messages)),
        variables=given["variables"],
        global_variables=given["globalVariables"],
        switches=RECORDED,
    )
    for place, message in enumerate(messages):
        written = render(message.text, replace(context, call=Call(message=place, writes=True)))
        messages[place] = replace(message, text=written.text)
        context = replace(context, variables=written.local_variables)
    renderer = _Cbs(context)
    played = {**given, "variables": context.variables, "messages": messages}
    assembly = play_rows(document, played, replace(tools, counter=CodePointCounter(), renderer=renderer))
    texts = {item.entry.id: item.text for item in assembly.activated}
    places = place_rows(assembly.trace.activation.rows or RowOutcome(), texts, RISU.rows or RowRules())
    index = given["fmIndex"]
    parts = Parts(
        description=card["desc"],
        persona=given.get("persona", ""),
        note=given.get("note", ""),
        greeting=card["firstMessage"] if index in (None, -1) else card["alternateGreetings"][index],
        messages=[(message.role, message.text) for message in messages if not message.hidden],
        settings=settings,
    )
    return build_request(parts, places, renderer.text)


@dataclass(frozen=True, slots=True)
class _Cbs:
    """CBS behind the protocol of the engine, without a pass that writes."""

    context: CbsContext

    def is_template(self, text: str) -> bool:
        return is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:  # noqa: ARG002 - everything is in its own context
        return Rendered(self.text(text))

    def text(self, text: str) -> str:
        return render(text, self.context).text


def play_rows(document: Json, given: Json, tools: Tools) -> Assembly:
    """The assembly for the merged input of a case."""
    defaults = document["entryDefaults"]
    shelf: list[tuple[Source, list[Json]]] = [("character", given["entries"]), ("chat", given["chatEntries"])]
    shelf += [("global", module["lorebook"]) for module in given["modules"] if "lorebook" in module]
    books = [
        ActiveBook(
            read_risu_lorebook({"data": [{**defaults, **row} for row in rows]}, name=f"book {number}").value, source
        )
        for number, (source, rows) in enumerate(shelf)
    ]
    state = State(variables={**given["variables"]})
    return assemble(_turn(given), load_lore(books, tools, _policy(given)), state, tools)


def _policy(given: Json) -> Policy:
    own = given.get("loreSettings") or {}
    settings: Settings = replace(
        RISU.settings,
        scan_depth=own.get("scanDepth", given["settings"]["loreBookDepth"]),
        budget_cap_tokens=0,
        recursive=own.get("recursiveScanning", True),
        whole_words=own.get("fullWordMatching", False),
    )
    return RISU.with_settings(settings)


def _turn(given: Json) -> Turn:
    own = given.get("loreSettings") or {}
    index = given["fmIndex"]
    return Turn(
        messages=(Message(given["character"]["name"], "", "assistant"), *map(_message, given["messages"])),
        user=given["user"],
        context_tokens=own.get("tokenBudget", given["settings"]["loreBookToken"]),
        greeting=None if index is None else index + 1,
        variables=_default_variables(given["character"].get("defaultVariables", "")),
    )


def _message(written: str | Json | Message) -> Message:
    if isinstance(written, Message):
        return written
    if isinstance(written, str):
        speaker, _, text = written.partition(": ")
        written = {"role": speaker, "data": text}
    name = written.get("name") or written["role"]
    role: Role = "user" if written["role"] == "user" else "assistant"
    return Message(name, written["data"], role, hidden=bool(written.get("disabled")))


def _default_variables(written: str) -> dict[str, object]:
    pairs = (line.split("=") for line in written.split("\n"))
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1 and pair[1]}


# -- our answer in the words of the cases ---------------------------------------------------------------------------------


def _answer(given: Json, expected: Json, assembly: Assembly, draw: SequenceDraw) -> dict[str, Any]:
    outcome = assembly.trace.activation.rows
    rows = outcome.rows if outcome else ()
    found: dict[str, Any] = {
        "actives": list(map(_active, rows)),
        "matchLog": [_hit(hit, assembly) for hit in (outcome.hits if outcome else ())],
    }
    if "randomUsed" in expected:
        found["randomUsed"] = len(draw.used)
    if "variables" in expected or assembly.state.variables != given["variables"]:
        found["variables"] = dict(assembly.state.variables)
    return found


def _active(row: ActiveRow) -> dict[str, Any]:
    injection = row.directives.injection
    return {
        "source": row.source,
        "prompt": row.text,
        "pos": row.directives.place,
        "depth": row.directives.depth,
        "role": row.role,
        "order": row.order,
        "priority": "NaN" if math.isnan(row.priority) else row.priority,
        "tokens": row.tokens,
        "inject": injection
        and {
            "operation": injection.operation,
            "location": injection.place,
            "param": injection.sought,
            "lore": injection.into_lore,
        },
    }


def _hit(hit: Hit, assembly: Assembly) -> dict[str, str]:
    scan = assembly.trace.scan
    shown = min(hit.view.messages, len(scan.messages))
    if hit.text < shown:
        message = scan.turn.messages[scan.places[shown - 1 - hit.text]]
        return {"source": f"message {hit.text} by {message.name}", "activated": hit.written}
    (entry,) = scan.chunks[hit.text - shown].entries
    rows = assembly.trace.activation.rows
    return {"source": f"lorebook {rows.sources[entry] if rows else ''}", "activated": hit.written}
