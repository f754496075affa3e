"""The suites `authority` and `gates`: which entries come in, with which label, and what nobody is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.written import (
    Json,
    Spy,
    has_constraint,
    open_shelf,
    policy_of,
    strip_marks,
    tools_for,
    turn_of,
)
from lorewright.core.draw import SequenceDraw
from lorewright.core.engine import Assembly, assemble
from lorewright.core.model import Report, State
from lorewright.core.place import Text
from lorewright.core.protocols import Tools
from lorewright.errors import LorewrightError

__all__ = ["run_turns"]

_CASE_KEYS: Final = {
    *("id", "title", "rule", "open", "profile", "settings", "context_tokens", "books", "turn", "turns", "draws"),
    "expected",
}
_WHY: Final = {
    "no_key": "no_key_matched",
    "subject": "overruled",
    "group": "lost_group",
    "draw": "draw_failed",
    "cap": "over_cap",
    "proposal": "not_promoted",
}
"""The cases' words for reasons, where ours differ."""


def run_turns(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file with the matcher, regexes and renderer of `tools`."""
    for case in document["cases"]:
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_run_case(document, case, tools)))


def _run_case(document: Json, case: Json, tools: Tools) -> list[Difference]:
    if unknown := set(case) - _CASE_KEYS:
        return [Difference("case", "known keys only", sorted(unknown))]
    draw = SequenceDraw(case["draws"]) if "draws" in case else None
    own, spy = tools_for(tools, draw)
    state, found = State(), []
    try:
        lore, reports = open_shelf(case["books"], own, policy_of(document, case))
        for number, step in enumerate(case.get("turns") or [case], 1):
            spy.views.clear()
            turn = turn_of(step["turn"], case.get("context_tokens", document["defaults"]["context_tokens"]))
            assembly = assemble(turn, lore, state, own)
            state = assembly.state
            found += _compare(f"turn {number}", step["expected"], assembly, spy, reports)
    except (LorewrightError, KeyError, TypeError, ValueError, StopIteration) as error:
        return [*found, Difference("case", "an answer", f"{type(error).__name__}: {error}")]
    if draw is not None:
        found += compare("draws used", case["draws"], draw.used)
    return found


def _compare(where: str, expected: Json, assembly: Assembly, spy: Spy, reports: tuple[Report, ...]) -> list[Difference]:
    found: list[Difference] = []
    for key, value in expected.items():
        if key != "visible" and key not in _ANSWERS:
            found.append(Difference(f"{where}.{key}", "a key of the schema", "unknown key of `expected`"))
        elif key == "visible":
            views = [*spy.views, [f"{b.name}.{e.uid}" for b in assembly.trace.lore.open_books for e in b.entries]]
            found += [difference for view in views for difference in compare(f"{where}.visible", value, view)][:1]
        else:
            found += compare(f"{where}.{key}", value, _ANSWERS[key](assembly, value, (*reports, *assembly.reports)))
    return found


# -- our answer in the words of the cases: the assembly, what is expected, all reports ------------------------------------

_Reports = Sequence[Report]


def _activated(assembly: Assembly, _: Any, __: _Reports) -> object:
    return [item.entry.id for item in assembly.activated]


def _refused(assembly: Assembly, expected: Json, _: _Reports) -> object:
    """Our code for each of the entries, or the case's word if that is what the code means."""
    found = {}
    for entry, why in expected.items():
        verdict = assembly.trace.why(entry)
        same = not verdict.active and verdict.reason.code == _WHY.get(why, why)
        found[entry] = why if same else verdict.reason.code
    return found


def _refused_by(assembly: Assembly, expected: Json, _: _Reports) -> object:
    return {entry: getattr(assembly.trace.why(entry).reason, "to", None) for entry in expected}


def _placed(assembly: Assembly, _: Any, __: _Reports) -> object:
    return [text.entry for text in assembly.placed.before]


def _labels(assembly: Assembly, expected: Json, _: _Reports) -> object:
    """Of each text the tier of its label; a text with anything else before its content is shown whole."""
    texts = {item.entry.id: (item.text, str(item.entry.entry.content)) for item in assembly.activated}
    found: dict[str, object] = {}
    for entry in expected:
        text, content = texts.get(entry, ("", "not active"))
        marks = strip_marks(text, content)
        tier = None if marks is None or marks[0] == "canon" else marks[0]
        found[entry] = text if marks is None or marks[1] else tier
    return found


def _constraint_before(assembly: Assembly, _: Any, __: _Reports) -> object:
    placed = assembly.placed
    texts: list[Text] = [*placed.before, *placed.after, *(text for group in placed.at_depth for text in group.texts)]
    found = [text.entry for text in texts if has_constraint(text.text)]
    return found[0] if len(found) == 1 else found or None


def _reported(_: Assembly, expected: Sequence[str], reports: _Reports) -> object:
    named = {name for report in reports for name in (report.entry, f"{report.book}.{report.entry}")}
    return [entry for entry in expected if entry in named]


def _hidden(assembly: Assembly, expected: Sequence[str], _: _Reports) -> object:
    """The words that stand in no verdict and no decision."""
    verdicts = list(assembly.trace.all())
    shown = repr([(verdict, assembly.trace.decisions(verdict.entry)) for verdict in verdicts])
    return [word for word in expected if word not in shown]


def _shown_with_spoilers(assembly: Assembly, expected: Sequence[str], _: _Reports) -> object:
    titles = {entry.title for entry in assembly.trace.lore.closed.values()}
    return [word for word in expected if word in titles]


_ANSWERS: Final[Mapping[str, Callable[[Assembly, Any, _Reports], object]]] = {
    "activated": _activated,
    "refused": _refused,
    "refused_by": _refused_by,
    "placed": _placed,
    "labels": _labels,
    "constraint_before": _constraint_before,
    "reported": _reported,
    "hidden": _hidden,
    "shown_with_spoilers": _shown_with_spoilers,
}
