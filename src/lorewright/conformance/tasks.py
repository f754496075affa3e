"""The pure suites of seed 000: MVU in titles and texts; the schema is in conformance/mvu/README.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from lorewright.conformance.outcome import Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.mvu.detect import is_likely_mvu, is_tagged
from lorewright.mvu.sanitize import Blocked, sanitize

__all__ = ["run_texts"]

Json = Mapping[str, Any]


def run_texts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    answer = _ANSWERS[suite]
    for case in document["cases"]:
        differences = compare("result", case["expected"], answer(case["input"]))
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(differences))


def _tag(given: Json) -> Json:
    return {"tagged": is_tagged(given["name"], given["comment"]), "commentTagged": is_tagged(given["comment"])}


def _content(given: Json) -> Json:
    return {"likelyMvu": is_likely_mvu(given["content"])}


def _sanitized(given: Json) -> Json:
    found = sanitize(given["content"], given["mode"], Blocked.of(given["blockedContents"] or ()))
    return {
        "text": found.text,
        "changed": found.changed,
        "dropped": found.dropped,
        "reasons": list(found.reasons),
        "blockedHitCount": found.blocked_hits,
        "artifactRemovedCount": found.artifacts,
    }


_ANSWERS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "detect_tag": _tag,
    "detect_content": _content,
    "sanitize": _sanitized,
}
