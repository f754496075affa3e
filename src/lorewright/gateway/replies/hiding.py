"""Blocks for programs in a reply, taken out piece by piece: updates of variables (spec mvu-filter §1.2) and proposed
facts. What text comes out does not depend on how it was cut on the way."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["MOST_HELD", "Hider"]

MOST_HELD: Final = 1_000_000
"""Characters of a block; one that goes on for longer is none, and comes out."""

_FLAGS: Final = re.IGNORECASE | re.ASCII
_OPEN: Final = re.compile(r"<(?:((?ai:updatevariable|variableupdate|update))>|!--[ \t]{0,100}lorewright-fact(?![\w-]))")
_NAMES: Final = ("updatevariable>", "variableupdate>", "update>")
_COMMENT: Final = re.compile(r"!--[ \t]{0,100}([a-z-]*)")
_FACT: Final = "lorewright-fact"
_MOST_BLANKS: Final = 100
"""In front of the name of a comment, as the patterns have it; with more it is another one."""
_CLOSES: Final = {
    **{name: re.compile(f"</{name}", _FLAGS) for name in _NAMES},
    _FACT: re.compile("-->"),
}
_LONGEST_CLOSE: Final = max(map(len, _NAMES)) + 2


class _Open(NamedTuple):
    """A block that has begun: what ends it, and where its content begins."""

    close: str
    content: int


class Hider:
    """Text in, the same text without whole blocks out. Held back is only what may be a block, or the beginning of one. A
    block that never ends is none. `count`: how many were taken out."""

    def __init__(self) -> None:
        self.count = 0
        self._held = ""
        self._gone = 0
        """Characters before what is held."""
        self._open: _Open | None = None
        """At the first character of what is held."""
        self._missing: dict[str, int] = {}
        """By what ends a block: up to where it is known not to stand, counted from the first character of all."""

    def feed(self, text: str) -> str:
        """What is sure to be shown now."""
        self._held += text
        return self._take(is_last=False)

    def close(self) -> str:
        """The rest."""
        return self._take(is_last=True)

    def _take(self, *, is_last: bool) -> str:
        shown: list[str] = []
        held, at = self._held, 0
        while at < len(held):
            if self._open is None:
                begin = held.find("<", at)
                if begin < 0:
                    shown.append(held[at:])
                    at = len(held)
                    break
                shown.append(held[at:begin])
                at = begin
                found = _OPEN.match(held, at)
                if not is_last and _may_go_on(held, at, found):
                    break
                if found is None:
                    shown.append("<")
                    at += 1
                    continue
                close = f"{found[1].lower()}>" if found[1] else _FACT
                self._open = _Open(close, self._gone + found.end())
            end = self._find(held, self._open)
            if end is not None:
                self.count += 1
                at = end
            elif is_last or len(held) - at > MOST_HELD:
                shown.append("<")
                at += 1
            else:
                break
            self._open = None
        self._held = held[at:]
        self._gone += at
        return "".join(shown)

    def _find(self, held: str, block: _Open) -> int | None:
        """Where the block ends in what is held. What was looked through once is not looked through again."""
        start = max(block.content, self._missing.get(block.close, 0))
        found = _CLOSES[block.close].search(held, start - self._gone)
        if found is not None:
            return found.end()
        self._missing[block.close] = max(start, self._gone + len(held) - _LONGEST_CLOSE)
        return None


def _may_go_on(held: str, at: int, found: re.Match[str] | None) -> bool:
    """Whether a `<` may turn out to be another thing than it is now, with what comes behind."""
    if found is not None:
        return not found[1] and found.end() == len(held)
    behind = held[at + 1 : at + 1 + len(_FACT) + _MOST_BLANKS + 4]
    if any(name.startswith(behind.lower()) for name in (*_NAMES, "!--")):
        return True
    comment = _COMMENT.fullmatch(behind)
    return comment is not None and _FACT.startswith(comment[1])
