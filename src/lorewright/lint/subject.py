"""What a check looks at, and how it says what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lorewright.core.model import Report
from lorewright.core.policy import Policy
from lorewright.core.prepared import Prepared, PreparedBook
from lorewright.core.protocols import Counter, Regexes

__all__ = ["Check", "Subject", "cut", "finding", "quoted"]

_LONGEST: Final = 200
"""Characters of a book's text that a sentence shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A book under a policy, with the tools to try it out.

    backtracking: a regex backend that tries one possibility after the other, as JavaScript does; it shows what is slow
    there even if `regexes` is cleverer. code: says what is wrong with the code of a text, "" if nothing is.
    """

    book: PreparedBook
    regexes: Regexes
    backtracking: Regexes | None = None
    code: Callable[[str], str] | None = None
    counter: Counter
    context_tokens: int

    @property
    def policy(self) -> Policy:
        return self.book.policy

    @property
    def entries(self) -> Iterator[Prepared]:
        """The entries that are checked: all that are switched on and can be used at all."""
        return (entry for entry in self.book.entries if not (entry.traits.disabled or entry.broken or entry.fault))


Check: TypeAlias = Callable[[Subject], Iterator[Report]]


def finding(
    entry: Prepared,
    code: str,
    message: str,
    *,
    field: str = "",
    level: Literal["info", "warning", "error"] = "warning",
) -> Report:
    """A finding about one entry."""
    return Report(code=code, message=message, level=level, book=entry.book, entry=entry.id, field=field)


def cut(text: str) -> str:
    """A text for a sentence: what is too long to read is left out of the middle."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}… {len(text) - _LONGEST:,} more …{text[-half:]}"


def quoted(text: str) -> str:
    """A key in quotation marks for a sentence."""
    return repr(cut(text))
