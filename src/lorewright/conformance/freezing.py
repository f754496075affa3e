"""The suite `freezing`: requests one after the other over one memory, and what stands where.

The prefix is compared message by message, apart from the meter of `core/prefix.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.written import Json, has_constraint, open_shelf, policy_of, strip_marks, tools_for, turn_of
from lorewright.core import prefix
from lorewright.core.chain import DictMemory
from lorewright.core.lore import Lore
from lorewright.core.policy import Policy
from lorewright.core.protocols import Tools
from lorewright.core.weave import Woven, weave
from lorewright.core.woven import Piece, WovenMessage
from lorewright.errors import LorewrightError

__all__ = ["run_freezing"]

_CASE_KEYS: Final = {"id", "title", "rule", "open", "settings", "context_tokens", "books", "requests"}
_REQUEST_KEYS: Final = {
    *("messages", "books", "settings", "context_tokens", "variables", "progress", "speaker", "scenes", "expected"),
}
_NOTES: Final = {"replaces": ("replaces",), "overrides": ("overrides", "contradicts")}
"""Words of which one stands in the line that a text has before its content."""


def run_freezing(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file with the matcher, regexes and renderer of `tools`."""
    for case in document["cases"]:
        found = [Difference("case", "known keys only", sorted(unknown))] if (unknown := set(case) - _CASE_KEYS) else []
        try:
            found += _Run(document, case, tools_for(tools)[0]).run()
        except (LorewrightError, KeyError, TypeError, ValueError) as error:
            found.append(Difference("case", "an answer", f"{type(error).__name__}: {error}"))
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(found))


@dataclass
class _Run:
    """One case. `woven` has the answers to the requests so far."""

    document: Json
    case: Json
    tools: Tools
    memory: DictMemory = field(default_factory=DictMemory)
    woven: list[Woven] = field(default_factory=list)
    _lores: dict[tuple[str, Policy], Lore] = field(default_factory=dict)

    def run(self) -> list[Difference]:
        """The differences of all requests."""
        found: list[Difference] = []
        for number, request in enumerate(self.case["requests"], 1):
            where = f"request {number}"
            if unknown := set(request) - _REQUEST_KEYS:
                return [*found, Difference(where, "known keys only", sorted(unknown))]
            sizes = (part["context_tokens"] for part in (request, self.case) if "context_tokens" in part)
            turn = turn_of(request, next(sizes, self.document["defaults"]["context_tokens"]))
            woven = weave(turn, self._lore(request), self.memory, self.tools)
            self.memory.put(woven.nodes)
            self.woven.append(woven)
            for key, value in request["expected"].items():
                found += self._compare(f"{where}.{key}", key, value)
        return found

    def _lore(self, request: Json) -> Lore:
        name = request.get("books", "a")
        key = (name, policy_of(self.document, self.case, request))
        if key not in self._lores:
            self._lores[key], _ = open_shelf(self.case["books"][name], self.tools, key[1])
        return self._lores[key]

    def _compare(self, where: str, key: str, expected: Any) -> list[Difference]:
        woven = self.woven[-1]
        match key:
            case "placed":
                return self._compare_placed(where, expected)
            case "front":
                found: object = [piece.entry for _, piece in _pieces(woven, "front")]
            case "active":
                found, expected = sorted(item.entry.id for item in woven.assembly.activated), sorted(expected)
            case "turn":
                found = woven.turn.number
            case "kept":
                found = _is_prefix(self.woven[-2], woven)
            case "keeps":
                found = [number for number in expected if _is_prefix(self.woven[number - 1], woven)]
            case "moves":
                found = sorted((move.cause, move.entry) for move in woven.moves)
                expected = sorted((move["reason"], move["entry"]) for move in expected)
            case "moved_by":
                found = prefix.compare(self.woven[-2].messages, woven.messages, self.tools.counter, woven.moves).cause
            case "waiting" | "not_placed":
                reason = "no_user_message" if key == "waiting" else "outlet_not_named"
                found = [item.entry for item in woven.waiting if item.reason == reason]
            case "volatile":
                found = [{"entry": piece.entry, "at": message.index} for message, piece in _pieces(woven, "volatile")]
            case "constraint":
                kinds = ("front", "record", "volatile")
                texts = [piece for kind in kinds for _, piece in _pieces(woven, kind)]
                found = [piece.entry for piece in texts if has_constraint(piece.text.lstrip("\n"))]
            case "output":
                found = [[message.role, message.content] for message in woven.messages]
            case "same_as":
                same = _output(self.woven[expected - 1]) == _output(woven)
                found = expected if same else _output(woven)
            case _:
                return [Difference(where, "a key of the schema", "unknown key of `expected`")]
        return compare(where, expected, found)

    def _compare_placed(self, where: str, expected: Sequence[Json]) -> list[Difference]:
        """What stands at messages, in any order; the content of each as the case says, else of any of its shelves."""
        found = []
        contents = _contents(self.case)
        texts: dict[str, list[str]] = {item["entry"]: [] for item in expected}
        for item in expected:
            texts[item["entry"]] += [item["text"]] if "text" in item else contents[item["entry"]]
        for message, piece in _pieces(self.woven[-1], "record"):
            found.append(self._placed(message, piece, texts.get(piece.entry, [])))
        wanted = [
            {"entry": item["entry"], "at": item["at"], "form": item.get("form", "inside"), "note": item.get("note")}
            for item in expected
        ]
        order = lambda item: (item["entry"], item["at"])  # noqa: E731
        return compare(where, sorted(wanted, key=order), sorted(found, key=order))

    def _placed(self, message: WovenMessage, piece: Piece, contents: Sequence[str]) -> dict[str, Any]:
        messages = self.woven[-1].messages
        after = messages[messages.index(message) :]
        at = next(later.index for later in after if later.index is not None)
        form = "message" if message.index is None else "inside"
        return {"entry": piece.entry, "at": at, "form": form, "note": _note(piece.text.strip("\n"), contents)}


def _note(text: str, contents: Sequence[str]) -> str | None:
    """Which line a text has before its content; a text that is otherwise not as it should be is shown whole."""
    for content in contents:
        marks = strip_marks(text, content)
        if marks is None:
            continue
        if not marks[1]:
            return None
        (line, *more) = marks[1]
        name = next((name for name, words in _NOTES.items() if any(word in line for word in words)), None)
        if name and not more:
            return name
    return text


def _contents(case: Json) -> Mapping[str, list[str]]:
    """The contents of each entry in all shelves. A text that names an outlet may have become anything."""
    found: dict[str, list[str]] = {}
    for shelf in case["books"].values():
        for item in shelf:
            for entry in item["book"]["entries"]:
                content = "" if "{{outlet" in entry["content"] else entry["content"]
                found.setdefault(f"{item['book']['name']}.{entry['uid']}", []).append(content)
    return found


def _pieces(woven: Woven, kind: str) -> list[tuple[WovenMessage, Piece]]:
    """Our pieces of a kind; separators are left out."""
    return [
        (message, piece)
        for message in woven.messages
        for piece in message.pieces
        if piece.kind == kind and piece.text.strip()
    ]


def _output(woven: Woven) -> list[list[str]]:
    return [[message.role, message.content] for message in woven.messages]


def _is_prefix(before: Woven, now: Woven) -> bool:
    """Whether all messages of a request stand at the beginning of a later one, without texts of one turn."""
    old, new = ([(message.role, message.lasting) for message in woven.messages] for woven in (before, now))
    return new[: len(old)] == old
