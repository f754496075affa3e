"""Times as texts: `2024-01-01T08:00:00.000Z` and its relatives, and nothing that only looks like one (spec mvu-vars §5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from lorewright.templates.clock import Clock
from lorewright.templates.date_texts import parse_date

__all__ = ["date_after", "is_date"]

_ISO_LIKE: Final = re.compile(
    r"\d{4}([-/])\d{1,2}\1\d{1,2}(?:(?:T|\s+)\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)


def is_date(text: str) -> bool:
    """Whether time can be added to this text."""
    return _milliseconds(text) is not None


def date_after(text: str, milliseconds: float) -> str:
    """The time so much later, in UTC; a text without a zone is in UTC, too.

    Raises:
        ValueError: there is no such time.
    """
    start = _milliseconds(text)
    if start is None:
        raise ValueError(text)
    try:
        moment = _START + timedelta(milliseconds=int(start + milliseconds))
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{text} + {milliseconds}") from error
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".zfill(24)


def _milliseconds(text: str) -> float | None:
    return parse_date(text, Clock()) if _ISO_LIKE.fullmatch(text) else None
