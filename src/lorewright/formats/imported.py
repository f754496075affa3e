"""What a reader gives back: the value, the ledger of what was found, and what a person should know."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final, Generic, Literal, TypeVar

from lorewright.core.model import Report

__all__ = ["REPORTS_PER_CODE", "Imported", "Notes"]

REPORTS_PER_CODE: Final = 100
"""So many reports of one code are kept in full; the rest become one line with their number."""

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Imported(Generic[T_co]):
    """A value read from a file, and the account of the reading (spec formats §4, point 7).

    `found` items (entries or messages) were in the file, `kept` of them are in `value`, `refused` could not be used,
    `merged` are part of a kept one (ADR 0016). The books close: `found == kept + merged + refused`. `format` is an id
    of `formats.kinds.KINDS`.
    """

    value: T_co
    found: int
    kept: int
    refused: int
    reports: tuple[Report, ...] = ()
    format: str = ""
    merged: int = 0

    def __post_init__(self) -> None:
        assert self.found == self.kept + self.merged + self.refused, (
            f"{self.found} found, {self.kept} kept, {self.merged} merged, {self.refused} refused"
        )


@dataclass(slots=True)
class Notes:
    """Collects reports about one book while it is read."""

    book: str = ""
    _kept: list[Report] = field(default_factory=list)
    _seen: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        code: str,
        message: str,
        level: Literal["info", "warning", "error"] = "warning",
        *,
        entry: object = "",
        field: str = "",
        place: str = "",
    ) -> None:
        """Note one thing. `entry` is the entry's uid or another name; `place` is exact, see `Report`."""
        self._seen[code] += 1
        if self._seen[code] <= REPORTS_PER_CODE:
            self._kept.append(
                Report(
                    code=code,
                    message=message,
                    level=level,
                    book=self.book,
                    entry=str(entry),
                    field=field,
                    place=place,
                )
            )

    def include(self, other: Notes) -> None:
        """Take over what was noted elsewhere, for this book."""
        self._seen.update(other._seen)
        self._kept.extend(replace(report, book=self.book) for report in other._kept)

    def reports(self) -> tuple[Report, ...]:
        """All reports in the order of their making, then a line for each code of which too many were made."""
        return (*self._kept, *(self._rest(code, n) for code, n in self._seen.items() if n > REPORTS_PER_CODE))

    def _rest(self, code: str, seen: int) -> Report:
        level = next(report.level for report in self._kept if report.code == code)
        message = f"{seen - REPORTS_PER_CODE} more reports like this one; {seen} in all."
        return Report(code=code, message=message, level=level, book=self.book)
