"""Find and replace in an entry's text, in the system prompt or in the user's message (spec injection-engine §8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Replace", "Target"]

Target = Literal["content", "system", "user"]


@dataclass(frozen=True, slots=True)
class Replace:
    """A regular expression of JavaScript and what stands in place of its matches (`$1`, `$&`, `$<name>`, `$$`)."""

    find: str
    replace: str = ""
    target: Target = "content"
    flags: str = "g"
