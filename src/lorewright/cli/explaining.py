"""The answer of `explain`: why an entry is in the prompt or not, with the matched text in its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from lorewright.cli.scene import Scene
from lorewright.cli.screen import Screen, count, visible
from lorewright.core.engine import Assembly
from lorewright.core.model import EXTRA_SOURCES
from lorewright.core.near import NearMiss, near_misses
from lorewright.core.reasons import KeyMatched, RegexTimedOut, SecondaryVeto
from lorewright.core.replaces import MOST_CHARACTERS, REPLACE_SECONDS, Done, GivenUpReason, Target
from lorewright.core.trace import Match, Verdict

__all__ = ["Excerpt", "excerpt", "nearly", "show_replaced", "show_verdicts", "source_text"]

AROUND: Final = 40
"""Characters that are shown on either side of a match."""
_LONGEST: Final = 200
_MOST_NEAR: Final = 2000
"""Entries of a lore for which near misses are still looked for."""
_WHY: Final = {
    "whole_words": "it is part of a longer word, and whole words are on",
    "case": "the case differs",
    "depth": "the message lies deeper than what is scanned",
    "source": "the entry does not ask for this text to be scanned",
}
_TARGETS: Final[Mapping[Target, str]] = {
    "content": "its own text",
    "system": "the system prompt",
    "user": "what the user has said",
}
_GIVEN_UP: Final[Mapping[GivenUpReason, str]] = {
    "slow": f"it searched longer than {REPLACE_SECONDS} s",
    "too_long": f"it would write more than {MOST_CHARACTERS:,} characters",
    "no_time": "the time of all replacements of this turn was used up",
    "no_room": "the room of all replacements of this turn was used up",
}
_NAMES_ITS_KEY: Final = frozenset({KeyMatched.code, SecondaryVeto.code, RegexTimedOut.code})
_SPACES: Final = re.compile(r"\s+")


class Excerpt(NamedTuple):
    """A match and what stands around it."""

    before: str
    matched: str
    after: str


def nearly(verdict: Verdict, assembly: Assembly) -> list[NearMiss]:
    """Where keys of an entry stand without counting, if no key matched; not for books that are too large for it."""
    if verdict.reason.code != "no_key_matched" or len(assembly.trace.lore.entries) > _MOST_NEAR:
        return []
    return near_misses(assembly.trace, verdict.entry)


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
    title = (verdict.title, "bold"), (f" ({verdict.entry})", "dim")
    screen.line(mark, *(title if verdict.title else ((verdict.entry, "bold"),)))
    if verdict.badge is not None:
        screen.line(f"     takes the channel `message` in place of `system` ({verdict.badge})")
    loop = f"loop {verdict.loop}: " if verdict.loop else ""
    screen.line(f"     {loop}{verdict.reason.sentence}")
    for miss in nearly(verdict, assembly)[:3]:
        screen.line(f"     near miss: key '{miss.match.key}' is there, but {_WHY[miss.kind]}")
        _show_match(miss.match, scene, assembly, screen)
    if verdict.match is not None:
        if verdict.reason.code not in _NAMES_ITS_KEY:
            screen.line(f"     {KeyMatched(verdict.match.key).sentence}{_own_rules(verdict, scene)}")
        _show_match(verdict.match, scene, assembly, screen)
    show_replaced(verdict, screen)


def show_replaced(verdict: Verdict, screen: Screen) -> None:
    """A line for each replacement of an active entry, with what came of it."""
    for done in verdict.replaced:
        find = done.replace.find if len(done.replace.find) <= _LONGEST else done.replace.find[:_LONGEST] + "..."
        screen.line(f"     replaces `{_one_line(find)}` in {_TARGETS[done.replace.target]}: {_outcome(done)}")


def _outcome(done: Done) -> str:
    times = "once" if done.times == 1 else f"{done.times:,} times"
    if done.given_up is None:
        return times if done.times else "found nothing"
    given_up = f"given up, {_GIVEN_UP[done.given_up]}"
    return f"{times}; in another text {given_up}" if done.times else given_up


def _show_match(match: Match, scene: Scene, assembly: Assembly, screen: Screen) -> None:
    found = excerpt(match, source_text(match, scene, assembly))
    screen.line(
        (f"     {describe_source(match)}: ", "dim"),
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
