"""The standing of an entry from its fields and those of its book."""

from __future__ import annotations

import math
from typing import Final

from lorewright.core import javascript
from lorewright.core.authority import USUAL_WEIGHT, Standing, Tier, read_mark, tier_of
from lorewright.core.fields import FieldReader
from lorewright.core.model import ABSENT, Book, Entry, Field, Odd

__all__ = ["HIGHEST_LEVEL", "StandingReader"]

HIGHEST_LEVEL: Final = 2
"""Personal; above it there is nothing."""


class StandingReader:
    """Reads the standings of the entries of one book. Without a book, entries stand for themselves."""

    def __init__(self, fields: FieldReader, book: Book | None = None) -> None:
        self.fields = fields
        self.mark: Field[str] = book.authority if book else ABSENT
        self.source: Field[str] = book.source if book else ABSENT

    def read(self, entry: Entry) -> Standing:
        """The standing of an entry."""
        mark = entry.authority if _says(entry.authority) else self.mark
        weight = self.fields.optional_number("weight", entry.weight)
        return Standing(
            tier=self.tier(mark, entry.source if _says(entry.source) else self.source),
            is_stated=_says(mark) or _says(entry.weight),
            weight=USUAL_WEIGHT if weight is None or math.isnan(weight) else weight,
            level=min(self.fields.amount("level", entry.level), HIGHEST_LEVEL),
            subject=javascript.trim(self.fields.text("subject", entry.subject)),
            restricted_to=self.fields.texts("restricted_to", entry.restricted_to),
            scene=javascript.trim(self.fields.text("scene", entry.scene)),
        )

    def tier(self, mark: Field[str], source: Field[str]) -> Tier:
        """The tier; an unknown mark is reported."""
        if isinstance(mark, Odd):
            self.fields.odd("authority", mark)
            return "unverified"
        if isinstance(mark, str) and mark.strip() and read_mark(mark) is None:
            self.fields.report(
                "unknown_authority",
                f"Nobody knows the authority `{mark[:40]}`; it is kept, and counts as unverified.",
                "authority",
            )
        return tier_of(mark, source)


def _says(value: object) -> bool:
    """Whether a field says anything: it is there, not null and no blank text."""
    return value is not ABSENT and value is not None and not (isinstance(value, str) and not value.strip())
