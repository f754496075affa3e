"""Instants from texts, as moment.js 2.30 on V8 reads them.

First ISO 8601 in moment's reading, then everything that V8's forgiving parser of `new Date(text)` takes. A text
without a zone is local to the clock's zone. Checked against the text pairs of cases/macros/moment-formats.json.
"""

from __future__ import annotations

import re
from typing import Any

from lorewright.core.javascript import number, trim
from lorewright.templates.calendar import MAX_MS, days_in_month, days_in_year, local_ms
from lorewright.templates.clock import MINUTE_MS, Clock
from lorewright.templates.loose_dates import parse_loosely

__all__ = ["parse_date", "parse_send_date"]

_ZONE = r"(?P<zone>[+-]\d\d(?::?\d\d)?|\s*Z)?"
_EXTENDED = re.compile(
    r"\s*(?P<date>(?:[+-]\d{6}|\d{4})-(?:\d\d-\d\d|W\d\d-\d|W\d\d|\d\d\d|\d\d))"
    rf"(?:[T ](?P<time>\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?)?){_ZONE})?",
    re.ASCII,
)
_BASIC = re.compile(
    r"\s*(?P<date>(?:[+-]\d{6}|\d{4})(?:\d\d\d\d|W\d\d\d|W\d\d|\d\d\d|\d\d|))"
    rf"(?:[T ](?P<time>\d\d(?:\d\d(?:\d\d(?:[.,]\d+)?)?)?){_ZONE})?",
    re.ASCII,
)
_YEAR = re.compile(r"[+-]\d{6}|\d{4}", re.ASCII)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?", re.ASCII
)
_OLD_STAMP = re.compile(r"(\w+\s\d{1,2},\s\d{4}\s\d{1,2}:\d{1,2})([ap]m)", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"\d+", re.ASCII)


def parse_date(text: str, clock: Clock) -> float | None:
    """Milliseconds since 1970, or None for a text that is no date."""
    for pattern in (_EXTENDED, _BASIC):
        if found := pattern.fullmatch(text):
            date = _iso_date(found["date"], with_time=found["time"] is not None)
            if date is not None:
                return _iso_instant(date, found["time"] or "", found["zone"] or "", clock)
            break
    return _held(parse_loosely(text, clock))


def parse_send_date(value: Any, clock: Clock) -> float | None:
    """The time of a chat message: a number or digits (milliseconds), SillyTavern's own stamps, or any date text.

    `2024-05-01@11h31m37s123ms` is in UTC, `May 1, 2024 2:20pm` is local.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _held(value)
    if not isinstance(value, str):
        return None
    if _DIGITS.fullmatch(value):
        return _held(number(value))
    if found := _HUMANIZED.fullmatch(trim(value)):
        year, month, day, hour, minute, second = map(int, found.groups()[:6])
        return _checked((year, month, day), (hour, minute, second, int((found[7] or "0").ljust(1, "0"))), 0)
    if found := _OLD_STAMP.fullmatch(trim(value)):
        return _held(parse_loosely(f"{found[1]} {found[2]}", clock))
    return parse_date(value, clock)


def _held(instant: float | None) -> float | None:
    """An instant that a JavaScript date can hold."""
    return instant if instant is not None and abs(instant) <= MAX_MS else None


def _iso_date(text: str, *, with_time: bool) -> tuple[int, int, int] | None:
    """Year, month and day as written (they may not exist); None where ISO 8601 has no time for this form."""
    year_text = _YEAR.match(text)
    if year_text is None:
        return None
    year = int(year_text[0])
    rest = text[year_text.end() :].replace("-", "")
    if rest.startswith("W"):
        if len(rest) == 3 and with_time:
            return None
        return _week_date(year, int(rest[1:3]), int(rest[3:] or 1))
    if len(rest) == 3:
        return (year, 1, int(rest)) if 1 <= int(rest) <= days_in_year(year) else (year, 13, 1)
    if len(rest) < 4 and with_time:
        return None
    return year, int(rest[:2] or 1), int(rest[2:] or 1)


def _week_date(year: int, week: int, weekday: int) -> tuple[int, int, int]:
    """A day of an ISO week as a day counted from January 1; a week or day that no year has becomes month 13."""
    fourth = local_ms(year, 1, 4) // 86_400_000
    monday = 4 - (fourth + 3) % 7
    if not (1 <= week <= 53 and 1 <= weekday <= 7):
        return year, 13, 1
    return year, 1, monday + (week - 1) * 7 + weekday - 1


def _iso_instant(date: tuple[int, int, int], time: str, zone: str, clock: Clock) -> float | None:
    digits, _, fraction = time.replace(":", "").replace(",", ".").partition(".")
    hour, minute, second = (int(digits[place : place + 2] or 0) for place in (0, 2, 4))
    offset: int | None = None
    if zone.strip() == "Z":
        offset = 0
    elif zone:
        parts = zone[1:].replace(":", "")
        offset = (int(parts[:2]) * 60 + int(parts[2:] or 0)) * (-1 if zone[0] == "-" else 1)
    return _checked(date, (hour, minute, second, int(f"{fraction:0<3}"[:3])), offset, clock)


def _checked(
    date: tuple[int, int, int], time: tuple[int, int, int, int], offset: int | None, clock: Clock | None = None
) -> float | None:
    """An instant, or None where a part is out of range; 24:00 is the end of a day.

    A day that was counted from January 1 is not held against the length of January.
    """
    year, month, day = date
    hour, minute, second, ms = time
    counted = month == 1 and not 1 <= day <= 31
    if not 1 <= month <= 12 or not (counted or 1 <= day <= days_in_month(year, month)):
        return None
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second or ms)):
        return None
    local = local_ms(year, month, day, hour, minute, second, ms)
    if offset is not None:
        return _held(local - offset * MINUTE_MS)
    return _held((clock or Clock()).from_local(local))
