"""The suites of MVU's variables that are about one text; the schema is in conformance/mvu-vars/README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.tagged import Check, from_marked, run_tagged, same
from lorewright.core.protocols import Tools
from lorewright.mvu.answer import from_structure, from_tool_call
from lorewright.mvu.arguments import read_argument
from lorewright.mvu.behaviour import RECORDED
from lorewright.mvu.commands import Command, find_commands
from lorewright.mvu.paths import fix_path, split_path, trim_quotes
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import Refused
from lorewright.mvu.update import Update, update
from lorewright.mvu.values import Json, deep_equal, saved, shown

__all__ = ["MVU_TEXTS", "replacing", "run_mvu_texts"]

_REFUSED: Final = "<refused>"


def run_mvu_texts(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]:
    """Run the cases of one file; they need no tools."""
    del tools
    return run_tagged(document, suite, file, MVU_TEXTS[suite])


def replacing(macros: Mapping[str, str] | None) -> Callable[[str], str]:
    """What replaces the macros of a case: texts by texts."""

    def replace(text: str) -> str:
        for macro, value in (macros or {}).items():
            text = text.replace(macro, value)
        return text

    return replace


def _paths(case: Mapping[str, Any]) -> Sequence[Difference]:
    trimmed = trim_quotes(case["input"]["path"])
    fixed = fix_path(trimmed)
    return compare("path", case["expect"], {"trimmed": trimmed, "fixed": fixed, "segments": split_path(fixed)})


def _values(case: Mapping[str, Any]) -> Sequence[Difference]:
    literal = case["input"]["literal"]
    try:
        value = read_argument(literal, RECORDED)
    except Refused:
        value = _REFUSED
    if "unsafe" in case["tags"]:
        ok = value == _REFUSED or _is_plain(value, literal)
        return [] if ok else [Difference("value", case["recommended"], value)]
    return same("value", case["expect"]["value"], value)


def _is_plain(value: Json, source: str) -> bool:
    """Whether every text and number of a value stands in its source as it is: nothing was computed."""
    if isinstance(value, dict):
        return all(name in source and _is_plain(item, source) for name, item in value.items())
    if isinstance(value, list):
        return all(_is_plain(item, source) for item in value)
    return value is None or (value if isinstance(value, str) else shown(value)) in source


def _extract(case: Mapping[str, Any]) -> Sequence[Difference]:
    found = find_commands(case["input"]["text"], RECORDED).commands
    return compare("commands", saved(from_marked(case["expect"])), saved(list(map(_as_extracted, found))))


def _as_extracted(command: Command) -> dict[str, Json]:
    behind = command.arguments[1:]
    return {
        "type": command.name,
        "op": command.op,
        "path": command.path,
        "raw_args": list(command.arguments),
        "values": list(behind) if command.op == "move" else [read_argument(one, RECORDED) for one in behind],
        "reason": command.reason,
        "full_match": command.text,
    }


def _apply(case: Mapping[str, Any]) -> Sequence[Difference]:
    given = case["input"]
    before = Record(from_marked(given["stat_data"]), from_marked(given["schema"]))
    after = update(before, replacing(given.get("macros"))(given["message"]), RECORDED)
    if "expect_error" in case:
        return [] if after.refused and not after.modified else [Difference("refused", case["expect_error"], after)]
    if "unsafe" in case["tags"]:
        return _unsafe(case, after)
    rejected = [
        {"index": one.index, "op": one.op, "path": one.path, "category": one.category}
        for one in after.refused
        if one.index >= 0
    ]
    actual = {
        "modified": after.modified,
        "stat_data": after.record.tree,
        "delta_data": after.record.delta,
        "display_data": after.record.display,
        "schema": after.record.schema,
        "rejected": rejected,
        "commands": len(after.commands),
        "update_events": sum(change.told for change in after.changes),
    }
    return same("result", case["expect"], actual)


def _unsafe(case: Mapping[str, Any], after: Update) -> Sequence[Difference]:
    """By the recommended outcome. Else the command is refused, or what it holds is kept as it is written; what the
    program does itself is right only where nothing else is recommended."""
    before, tree = case["input"]["stat_data"], after.record.tree
    wanted = case.get("recommended") or {}
    if "stat_data" in wanted:
        rejected = [{"index": one.index, "category": one.category} for one in after.refused]
        return same("result", wanted, {"modified": after.modified, "stat_data": tree, "rejected": rejected})
    is_refused = bool(after.refused) and deep_equal(from_marked(before), tree)
    if is_refused or _is_plain(tree, case["input"]["message"] + shown(from_marked(before))):
        return []
    return [Difference("tree", wanted, tree)] if wanted else same("tree", case["expect"]["stat_data"], tree)


def _answer(case: Mapping[str, Any]) -> Sequence[Difference]:
    given = case["input"]
    if given["kind"] == "formatted":
        text = from_structure(given["content"])
    else:
        text = from_tool_call(given["name"], given["arguments"])
    commands = None
    if text is not None:
        found = find_commands(text, RECORDED).commands
        commands = [{"type": one.name, "raw_args": list(one.arguments)} for one in found]
    return compare("answer", case["expect"], {"text": text, "commands": commands})


def _zod(case: Mapping[str, Any]) -> Sequence[Difference]:
    given = case["input"]
    after = update_permissively(Record(from_marked(given["stat_data"])), given["message"], RECORDED)
    actual = {
        "modified": after.modified,
        "stat_data": after.record.tree,
        "has_display_data": after.record.display is not None,
    }
    return same("result", case["expect"], actual)


MVU_TEXTS: Final[Mapping[str, Check]] = {
    "paths": _paths,
    "values": _values,
    "extract": _extract,
    "apply": _apply,
    "answer": _answer,
    "zod": _zod,
}
