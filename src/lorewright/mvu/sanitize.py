"""Taking MVU out of a text: artifacts, texts of entries that are not read, and whole texts that are nothing else (spec
mvu-filter §5).

Pure and bounded: the result is never longer than the text, and a text of any content is walked a fixed number of times
(once more for each blocked text in it).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lorewright.core.javascript import length, trim
from lorewright.mvu.artifacts import (
    cut_spans,
    find_ejs_tags,
    find_getvars,
    find_macros,
    find_placeholders,
    find_stateful_tags,
    find_status_blocks,
    find_update_blocks,
)
from lorewright.mvu.detect import collapse, is_likely_mvu

__all__ = ["Blocked", "Reason", "Sanitized", "sanitize"]

Reason = Literal["artifact_stripped", "blocked_content_removed", "likely_mvu_content"]


@dataclass(frozen=True, slots=True)
class Blocked:
    """Texts that shall stand in no other text, longest first. Make it once and use it for many texts."""

    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Blocked:
        """Each text once, its white space collapsed; empty ones block nothing."""
        collapsed = filter(None, map(collapse, texts))
        return cls(tuple(dict.fromkeys(sorted(collapsed, key=length, reverse=True))))


@dataclass(frozen=True, slots=True)
class Sanitized:
    """A text without MVU.

    changed: compared with the given text, its white space collapsed. dropped: it was nothing but MVU, and is empty.
    blocked_hits: how often a blocked text stood in it. artifacts: how many were found before the first was cut.
    """

    text: str
    changed: bool = False
    dropped: bool = False
    reasons: tuple[Reason, ...] = ()
    blocked_hits: int = 0
    artifacts: int = 0


def sanitize(text: str, mode: str = "aggressive", blocked: Blocked | None = None) -> Sanitized:
    """The text without artifacts and blocked texts.

    `aggressive` empties a text that looks like MVU, before or after; every other mode (`final-safe`) keeps what is
    left. The white space of the result is collapsed, also where nothing was taken out.
    """
    original = collapse(_lines(text))
    stripped, artifacts = _strip_artifacts(_lines(original))
    kept, hits = _strip_blocked(_lines(stripped), blocked or Blocked())
    reasons: list[Reason] = []
    if artifacts:
        reasons.append("artifact_stripped")
    if hits:
        reasons.append("blocked_content_removed")
    drops = trim(mode or "aggressive").lower() == "aggressive"
    dropped = drops and (is_likely_mvu(original) or (kept != original and is_likely_mvu(kept)))
    if dropped:
        kept = ""
        reasons.append("likely_mvu_content")
    return Sanitized(kept, kept != original, dropped, tuple(reasons), hits, artifacts)


_FINDERS = (
    find_update_blocks,
    find_placeholders,
    find_status_blocks,
    find_macros,
    find_getvars,
    find_stateful_tags,
)
"""In the order in which they cut; each looks at what the ones before have left."""


def _lines(text: str) -> str:
    """With plain line breaks. Each step makes them so, as in the recorded program: cutting can bring two halves
    together."""
    return text.replace("\r\n", "\n")


def _strip_artifacts(text: str) -> tuple[str, int]:
    if "<" not in text and "{{" not in text and "getvar(" not in text.lower():
        return collapse(text), 0
    found = [len(find(text)) for find in _FINDERS]
    for find in _FINDERS:
        text = cut_spans(text, find(text))
    if found[-1]:
        text = cut_spans(text, find_ejs_tags(text))
    return collapse(text), sum(found)


def _strip_blocked(text: str, blocked: Blocked) -> tuple[str, int]:
    hits = 0
    for unwanted in blocked.texts:
        if unwanted in text:
            text, times = _cut(text, unwanted)
            hits += times
    return collapse(text), hits


def _cut(text: str, unwanted: str) -> tuple[str, int]:
    """The text after its first occurrence of `unwanted` is cut again and again, and how often that was.

    What comes together at a cut can be an occurrence, too; it begins in the kept characters and ends behind the cut.
    """
    kept: list[str] = []
    size = len(unwanted)
    at = hits = 0
    while True:
        before = "".join(kept[max(len(kept) - size + 1, 0) :])
        across = (before + text[at : at + size - 1]).find(unwanted)
        if across >= 0:
            taken = len(before) - across
            del kept[len(kept) - taken :]
            at += size - taken
        elif (start := text.find(unwanted, at)) >= 0:
            kept.extend(text[at:start])
            at = start + size
        else:
            kept.extend(text[at:])
            return "".join(kept), hits
        hits += 1
