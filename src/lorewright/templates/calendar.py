"""Days of the Gregorian calendar for any year JavaScript's dates can hold (Python's `datetime` ends at 1 and 9999)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DAY_MS", "MAX_MS", "Moment", "day_number", "days_in_month", "days_in_year", "local_ms", "moment_at"]

DAY_MS = 86_400_000
MAX_MS = 8_640_000_000_000_000
"""A JavaScript date lies within this many milliseconds of 1970."""

_ERA_DAYS = 146_097
_EPOCH_SHIFT = 719_468


class Moment(NamedTuple):
    """What clocks and calendars of a zone show. `weekday` 0 is Sunday, `day_of_year` starts at 1."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    millisecond: int
    weekday: int
    day_of_year: int


def day_number(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01; `month` may lie outside 1 to 12 and `day` outside the month."""
    year += (month - 1) // 12
    month = (month - 1) % 12 + 1
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5
    return era * _ERA_DAYS + of_era * 365 + of_era // 4 - of_era // 100 + of_year + day - 1 - _EPOCH_SHIFT


def days_in_year(year: int) -> int:
    """365 or 366."""
    return day_number(year + 1, 1, 1) - day_number(year, 1, 1)


def days_in_month(year: int, month: int) -> int:
    """28 to 31."""
    return day_number(year, month + 1, 1) - day_number(year, month, 1)


def local_ms(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, ms: int = 0) -> int:
    """A date and time as milliseconds, counted as if in UTC."""
    return day_number(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms


def moment_at(local: int) -> Moment:
    """The inverse of `local_ms`."""
    days, rest = divmod(local, DAY_MS)
    era, of_era_days = divmod(days + _EPOCH_SHIFT, _ERA_DAYS)
    of_era = (of_era_days - of_era_days // 1460 + of_era_days // 36_524 - of_era_days // 146_096) // 365
    of_year = of_era_days - (365 * of_era + of_era // 4 - of_era // 100)
    shifted_month = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + (3 if shifted_month < 10 else -9)
    year = of_era + era * 400 + (month <= 2)
    seconds, millisecond = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    day_of_year = days - day_number(year, 1, 1) + 1
    return Moment(year, month, day, hour, minute, second, millisecond, (days + 4) % 7, day_of_year)
