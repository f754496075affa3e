"""Near misses: where a key of an entry stands although it does not count, and why it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from lorewright.core.candidates import view_of
from lorewright.core.keys import Key
from lorewright.core.model import EXTRA_SOURCES
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared
from lorewright.core.scan import View
from lorewright.core.trace import Match, Trace
from lorewright.core.words import fold

__all__ = ["NearMiss", "near_misses"]

Kind = Literal["whole_words", "case", "depth", "source"]


class NearMiss(NamedTuple):
    """A place where a key would match if one thing were different.

    kind: `whole_words` (it stands inside a longer word), `case` (letters differ in case), `depth` (the message is
    deeper than what is scanned), `source` (the entry does not ask for this text to be scanned).
    """

    kind: Kind
    match: Match


def near_misses(trace: Trace, entry: str) -> list[NearMiss]:
    """At most one near miss for each key, for an entry of which no key matched; none for one that is closed, or is a row of RisuAI.

    Raises:
        KeyError: no active book has an entry with this id.
    """
    if entry in trace.lore.closed:
        return []
    prepared = trace.lore.find(entry)
    if prepared is None:
        raise KeyError(entry)
    if not trace.activation.loops or prepared.row is not None:
        return []
    view = view_of(prepared, trace.activation.loops[0].sweep, trace.lore)
    found = (_nearest(trace, prepared, place, key, view) for place, key in enumerate(prepared.keys))
    return [near for near in found if near is not None]


def _nearest(trace: Trace, entry: Prepared, place: int, key: Key, view: View) -> NearMiss | None:
    for kind, other_key, other_view in _others(key, view, trace):
        match = trace.find(other_key, other_view, entry.written_key(place))
        if match is not None:
            return NearMiss(kind, match)
    return None


def _others(key: Key, view: View, trace: Trace) -> Iterator[tuple[Kind, Key, View]]:
    policy = trace.lore.policy
    if key.kind == "plain" and key.whole_words:
        yield "whole_words", replace(key, whole_words=False), view
    if key.kind == "plain" and key.case_sensitive:
        yield "case", _without_case(key, policy), view
    if key.kind in ("plain", "regex"):
        yield "depth", key, View(len(trace.scan.messages), view.extras, view.chunks)
        yield "source", key, View(view.messages, (1 << len(EXTRA_SOURCES)) - 1, view.chunks)


def _without_case(key: Key, policy: Policy) -> Key:
    needle = key.text.lower() if policy.switches.ascii_words else fold(key.text, case_sensitive=False).text
    return replace(key, needle=needle, case_sensitive=False)
