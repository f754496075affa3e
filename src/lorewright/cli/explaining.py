"""The answer of `explain`: why an entry is in the prompt or not, with the matched text in its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from lorewright.cli.scene import Scene
from lorewright.cli.screen import Screen, count, visible
from lorewright.core.engine import Assembly
from lorewright.core.model import EXTRA_SOURCES
from lorewright.core.reasons import KeyMatched, RegexTimedOut, SecondaryVeto
from lorewright.core.trace import Match, Verdict

__all__ = ["Excerpt", "excerpt", "show_verdicts", "source_text", "verdict_object"]

AROUND: Final = 40
"""Characters that are shown on either side of a match."""
_LONGEST: Final = 200
_NAMES_ITS_KEY: Final = frozenset({KeyMatched.code, SecondaryVeto.code, RegexTimedOut.code})
_SPACES: Final = re.compile(r"\s+")


class Excerpt(NamedTuple):
    """A match and what stands around it."""

    before: str
    matched: str
    after: str


def verdict_object(verdict: Verdict) -> dict[str, object]:
    """One item of what `explain --json` prints."""
    reason = verdict.reason
    shown: dict[str, object] = {
        "entry": verdict.entry,
        "title": verdict.title,
        "in": verdict.active,
        "loop": verdict.loop,
        "reason": {"code": reason.code, **reason.data(), "sentence": reason.sentence},
    }
    if verdict.match is not None:
        match = verdict.match
        shown["match"] = {
            "source": match.source,
            "message": match.message,
            "start": match.start,
            "end": match.end,
            "key": match.key,
            "name": match.name,
            "text": match.text,
        }
    return shown


def show_verdicts(verdicts: Iterable[Verdict], scene: Scene, assembly: Assembly, screen: Screen) -> None:
    """Print first those that are in, then the others, each group in the order given."""
    listed = list(verdicts)
    if not listed:
        screen.line()
        screen.line("No entries.")
    inside = [verdict for verdict in listed if verdict.active]
    outside = [verdict for verdict in listed if not verdict.active]
    for title, group in (("In the prompt", inside), ("Not in the prompt", outside)):
        if group:
            screen.heading(f"{title}: {count(len(group), 'entry')}")
        for verdict in group:
            _show(verdict, scene, assembly, screen)


def _show(verdict: Verdict, scene: Scene, assembly: Assembly, screen: Screen) -> None:
    mark = ("in   ", "bold green") if verdict.active else ("out  ", "bold red")
    screen.line(mark, (verdict.title, "bold"), (f" ({verdict.entry})", "dim"))
    loop = f"loop {verdict.loop}: " if verdict.loop else ""
    screen.line(f"     {loop}{verdict.reason.sentence}")
    if verdict.match is None:
        return
    if verdict.reason.code not in _NAMES_ITS_KEY:
        screen.line(f"     {KeyMatched(verdict.match.key).sentence}{_own_rules(verdict, scene)}")
    found = excerpt(verdict.match, source_text(verdict.match, scene, assembly))
    screen.line(
        (f"     {describe_source(verdict.match)}: ", "dim"),
        found.before,
        "[",
        (found.matched, "bold reverse"),
        "]",
        found.after,
    )


def _own_rules(verdict: Verdict, scene: Scene) -> str:
    """In what an entry looks for its plain key differently from the settings."""
    entry, settings, match = scene.lore.find(verdict.entry), scene.rules.policy.settings, verdict.match
    if entry is None or match is None:
        return ""
    kinds = {entry.written_key(place): key.kind for place, key in enumerate(entry.keys)}
    if kinds.get(match.key) != "plain":
        return ""
    rules = []
    if entry.traits.whole_words != settings.whole_words:
        rules.append(f"whole words {'on' if entry.traits.whole_words else 'off'} in this entry")
    if entry.traits.case_sensitive != settings.case_sensitive:
        rules.append(f"case {'matters' if entry.traits.case_sensitive else 'does not matter'} in this entry")
    return f" ({', '.join(rules)})" if rules else ""


def describe_source(match: Match) -> str:
    """Where a match was found, in words."""
    if match.source in {"message", "speaker"}:
        what = "name before message" if match.source == "speaker" else "message"
        return f"{what} #{match.message}" + (f" by {match.name}" if match.name else "")
    if match.source == "inject":
        return f"injected prompt {match.name}"
    if match.source == "recursion":
        return f"text of {match.name}" if match.name else "texts of active entries"
    return match.source.replace("_", " ")


def source_text(match: Match, scene: Scene, assembly: Assembly) -> str:
    """The original text that a match's numbers refer to; "" if it has none."""
    scan = assembly.trace.scan
    if match.message is not None:
        message = scene.turn.messages[match.message]
        return message.text if match.source == "message" else f"{message.name}: {message.text}"
    if match.source in EXTRA_SOURCES:
        return next(text for name, text in zip(EXTRA_SOURCES, scan.extras, strict=True) if name == match.source)
    if match.source == "inject":
        return next((inject.text for inject in scan.injects if inject.name == match.name), "")
    pieces = ((text, entry) for chunk in scan.chunks for text, entry in zip(chunk.texts, chunk.entries, strict=True))
    return next((text for text, entry in pieces if entry == match.name), "")


def excerpt(match: Match, text: str) -> Excerpt:
    """A match with what stands before and behind it, on one line."""
    start, end = max(match.start, 0), max(match.end, 0)
    before = text[max(start - AROUND, 0) : start]
    after = text[end : end + AROUND].rstrip() if end + AROUND >= len(text) else text[end : end + AROUND]
    matched = match.text if len(match.text) <= _LONGEST else match.text[:_LONGEST] + "..."
    return Excerpt(
        ("..." if start > AROUND else "") + _one_line(before),
        _one_line(matched),
        _one_line(after) + ("..." if end + AROUND < len(text) else ""),
    )


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", visible(text))
