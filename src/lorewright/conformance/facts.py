"""The suite `facts`: blocks at the end of a reply in which a model proposes facts."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.conformance.written import Json
from lorewright.core.facts import Fact, read_facts
from lorewright.core.protocols import Tools

__all__ = ["run_facts"]

_CASE_KEYS = {"id", "title", "rule", "open", "reply", "progress", "expected"}


def run_facts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:  # noqa: ARG001 - none is needed
    """Run the cases of one file."""
    for case in document["cases"]:
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_run_case(case)))


def _run_case(case: Json) -> list[Difference]:
    if unknown := {*(set(case) - _CASE_KEYS), *(set(case["expected"]) - {"facts", "refused"})}:
        return [Difference("case", "known keys only", sorted(unknown))]
    found = read_facts(case["reply"], case["progress"]["chapter_index"] + 1)
    answer = {"facts": [_plain(fact) for fact in found.facts], "refused": [refusal.why for refusal in found.refusals]}
    return compare("result", case["expected"], answer)


def _plain(fact: Fact) -> dict[str, object]:
    """A fact in the words of a case; white space is one blank."""
    return {
        "subject": fact.subject or None,
        "fact": " ".join(fact.fact.split()),
        "keys": list(fact.keys),
        "chapter": fact.chapter,
        "replaces": fact.replaces or None,
    }
