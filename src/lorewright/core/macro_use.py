"""A macro in a text, and what it touches: what is known without a conversation."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["MacroUse"]


class MacroUse(NamedTuple):
    """A macro where it stands.

    source: as written. reads: what its result depends on, by the names of `Rendered.reads` (`clock`, `chat`,
    `local:mood`), with all that stands in its arguments and with the conditions around it. writes: variables
    (`local:mood`, `global:day`). shown: its result can reach the text; that of an argument of `setvar` cannot.
    conditional: it runs only if a condition holds. fault: it stays as text, because nobody knows it or because it cannot
    answer; `untried`: the text has so many macros that nobody knows what this one reads.
    """

    source: str
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    shown: bool = True
    conditional: bool = False
    fault: Literal["", "unknown", "failed", "untried"] = ""
