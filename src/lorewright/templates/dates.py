"""Dates as moment.js 2.30 writes them: patterns, weeks, and durations in words.

`format_date` takes a pattern such as `YYYY-MM-DD HH:mm`; `humanize` says a duration ("3 hours"). Reading date texts
is `date_texts.py`. Checked against cases/macros/moment-formats.json.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from lorewright.core.javascript import round_half_up
from lorewright.templates.calendar import DAY_MS, MAX_MS, Moment, day_number, days_in_year, moment_at
from lorewright.templates.clock import MINUTE_MS, Clock
from lorewright.templates.locales import ENGLISH, Locale

__all__ = ["INVALID", "format_date", "format_now", "humanize"]

INVALID = "Invalid date"

_TOKENS = re.compile(
    r"\[[^\[]*\]|\\?(?:[Hh]mm(?:ss)?|Mo|M{1,4}|Do|DDDo|D{1,4}|d{2,4}|do?|w[o|w]?|W[o|W]?|Qo?|N{1,5}"
    r"|Y{4,6}|YY|y{2,4}|yo?|gg(?:ggg?)?|GG(?:GGG?)?|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?|LTS|LT"
    r"|L{1,4}|l{1,4}|[^\n\r\u2028\u2029])"
)
_LONG = re.compile(r"\[[^\[]*\]|\\?(?:LTS|LT|L{1,4}|l{1,4})")
_ERA_DAYS = 146_097  # of 400 years
_DEFAULT = "YYYY-MM-DDTHH:mm:ssZ"
_COMMON_ERA = day_number(1, 1, 1) * DAY_MS


@dataclass(frozen=True, slots=True)
class _Shown:
    """An instant as it is shown in one zone and language."""

    at: Moment
    epoch_ms: int
    offset: int
    locale: Locale

    def era(self) -> tuple[str, str, int]:
        """Abbreviation, name and the year within the era.

        Eras begin at midnight UTC, as in the recorded program; the day between them has none.
        """
        midnight = (self.epoch_ms + self.offset * MINUTE_MS) // DAY_MS * DAY_MS - self.offset * MINUTE_MS
        if midnight >= _COMMON_ERA:
            return "AD", "Anno Domini", self.at.year
        if midnight <= _COMMON_ERA - DAY_MS:
            return "BC", "Before Christ", 1 - self.at.year
        return "", "", self.at.year

    def week(self) -> tuple[int, int]:
        """Week-year and week by the rules of the language."""
        return _week_of(self.at, self.locale.first_weekday, self.locale.january_in_first_week)

    def iso_week(self) -> tuple[int, int]:
        return _week_of(self.at, 1, 4)

    def zone(self, between: str) -> str:
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{'-' if self.offset < 0 else '+'}{hours:02}{between}{minutes:02}"


def format_now(clock: Clock, pattern: str, locale: Locale = ENGLISH) -> str:
    """The clock's own instant by a pattern."""
    return format_date(clock.epoch_ms, clock.offset_at(clock.epoch_ms), pattern, locale)


def format_date(epoch_ms: float, offset_minutes: int, pattern: str, locale: Locale = ENGLISH) -> str:
    """An instant in a zone by a moment.js pattern; an empty pattern is ISO 8601.

    Characters that are no token stay, line breaks are dropped, `[...]` and a backslash protect. `Invalid date` for
    an instant that JavaScript cannot hold.
    """
    if not math.isfinite(epoch_ms) or abs(epoch_ms) > MAX_MS:
        return INVALID
    instant = math.floor(epoch_ms)
    shown = _Shown(moment_at(instant + offset_minutes * MINUTE_MS), instant, offset_minutes, locale)
    written = _LONG.sub(lambda found: locale.patterns.get(found[0], found[0]), pattern or _DEFAULT)
    return "".join(_write(token, shown) for token in _TOKENS.findall(written))


def _write(token: str, shown: _Shown) -> str:
    if writer := _WRITERS.get(token):
        return writer(shown)
    if token in {"z", "zz"}:
        return ""  # a fixed offset has no name
    if token.startswith("[") and len(token) > 1:
        return token[1:-1]
    return token.replace("\\", "")


def _pad(number: int, width: int) -> str:
    return f"{'-' if number < 0 else ''}{abs(number):0{width}}"


def _padded(name: str, width: int) -> Callable[[_Shown], str]:
    return lambda shown: _pad(getattr(shown.at, name), width)


def _hour_of_twelve(shown: _Shown) -> int:
    return shown.at.hour % 12 or 12


def _ordinal(token: str, number: Callable[[_Shown], int]) -> Callable[[_Shown], str]:
    return lambda shown: shown.locale.ordinal(number(shown), token)


def _fraction(digits: int) -> Callable[[_Shown], str]:
    return lambda shown: f"{shown.at.millisecond:03}000000"[:digits]


def _small_year(number: int, width: int) -> str:
    """The last two digits with the sign of the year, as JavaScript's remainder has it."""
    return _pad(int(math.fmod(number, 100)), width)


_WRITERS: dict[str, Callable[[_Shown], str]] = {
    "M": _padded("month", 1),
    "MM": _padded("month", 2),
    "Mo": _ordinal("M", lambda shown: shown.at.month),
    "MMM": lambda shown: shown.locale.months_short[shown.at.month - 1],
    "MMMM": lambda shown: shown.locale.months[shown.at.month - 1],
    "Q": lambda shown: str((shown.at.month + 2) // 3),
    "Qo": _ordinal("Q", lambda shown: (shown.at.month + 2) // 3),
    "D": _padded("day", 1),
    "DD": _padded("day", 2),
    "Do": _ordinal("D", lambda shown: shown.at.day),
    "DDD": _padded("day_of_year", 1),
    "DDDD": _padded("day_of_year", 3),
    "DDDo": _ordinal("DDD", lambda shown: shown.at.day_of_year),
    "d": _padded("weekday", 1),
    "do": _ordinal("d", lambda shown: shown.at.weekday),
    "dd": lambda shown: shown.locale.weekdays_min[shown.at.weekday],
    "ddd": lambda shown: shown.locale.weekdays_short[shown.at.weekday],
    "dddd": lambda shown: shown.locale.weekdays[shown.at.weekday],
    "e": lambda shown: str((shown.at.weekday - shown.locale.first_weekday) % 7),
    "E": lambda shown: str(shown.at.weekday or 7),
    "w": lambda shown: str(shown.week()[1]),
    "ww": lambda shown: _pad(shown.week()[1], 2),
    "wo": _ordinal("w", lambda shown: shown.week()[1]),
    "W": lambda shown: str(shown.iso_week()[1]),
    "WW": lambda shown: _pad(shown.iso_week()[1], 2),
    "Wo": _ordinal("W", lambda shown: shown.iso_week()[1]),
    "gg": lambda shown: _small_year(shown.week()[0], 2),
    "gggg": lambda shown: _pad(shown.week()[0], 4),
    "ggggg": lambda shown: _pad(shown.week()[0], 5),
    "GG": lambda shown: _small_year(shown.iso_week()[0], 2),
    "GGGG": lambda shown: _pad(shown.iso_week()[0], 4),
    "GGGGG": lambda shown: _pad(shown.iso_week()[0], 5),
    "Y": lambda shown: _pad(shown.at.year, 4) if shown.at.year <= 9999 else f"+{shown.at.year}",
    "YY": lambda shown: _small_year(shown.at.year, 2),
    "YYYY": _padded("year", 4),
    "YYYYY": _padded("year", 5),
    "YYYYYY": lambda shown: ("+" if shown.at.year >= 0 else "") + _pad(shown.at.year, 6),
    "y": lambda shown: _pad(shown.era()[2], 1),
    "yy": lambda shown: _pad(shown.era()[2], 2),
    "yyy": lambda shown: _pad(shown.era()[2], 3),
    "yyyy": lambda shown: _pad(shown.era()[2], 4),
    "yo": _ordinal("y", lambda shown: shown.era()[2]),
    **dict.fromkeys(("N", "NN", "NNN", "NNNNN"), lambda shown: shown.era()[0]),
    "NNNN": lambda shown: shown.era()[1],
    "a": lambda shown: shown.locale.half_day(shown.at.hour, shown.at.minute, True),
    "A": lambda shown: shown.locale.half_day(shown.at.hour, shown.at.minute, False),
    "H": _padded("hour", 1),
    "HH": _padded("hour", 2),
    "h": lambda shown: str(_hour_of_twelve(shown)),
    "hh": lambda shown: _pad(_hour_of_twelve(shown), 2),
    "k": lambda shown: str(shown.at.hour or 24),
    "kk": lambda shown: _pad(shown.at.hour or 24, 2),
    "hmm": lambda shown: f"{_hour_of_twelve(shown)}{shown.at.minute:02}",
    "hmmss": lambda shown: f"{_hour_of_twelve(shown)}{shown.at.minute:02}{shown.at.second:02}",
    "Hmm": lambda shown: f"{shown.at.hour}{shown.at.minute:02}",
    "Hmmss": lambda shown: f"{shown.at.hour}{shown.at.minute:02}{shown.at.second:02}",
    "m": _padded("minute", 1),
    "mm": _padded("minute", 2),
    "s": _padded("second", 1),
    "ss": _padded("second", 2),
    **{"S" * digits: _fraction(digits) for digits in range(1, 10)},
    "Z": lambda shown: shown.zone(":"),
    "ZZ": lambda shown: shown.zone(""),
    "X": lambda shown: str(shown.epoch_ms // 1000),
    "x": lambda shown: str(shown.epoch_ms),
}


def _week_of(at: Moment, first_weekday: int, in_first: int) -> tuple[int, int]:
    """Week-year and week: weeks start on `first_weekday`, week 1 holds January `in_first`."""
    week = (at.day_of_year - _first_week(at.year, first_weekday, in_first) - 1) // 7 + 1
    if week < 1:
        return at.year - 1, week + _weeks(at.year - 1, first_weekday, in_first)
    if week > (most := _weeks(at.year, first_weekday, in_first)):
        return at.year + 1, week - most
    return at.year, week


def _first_week(year: int, first_weekday: int, in_first: int) -> int:
    """Days from January 1 to the first day of week 1; at most 0 when week 1 began in the old year."""
    weekday = (day_number(year, 1, in_first) + 4) % 7
    return in_first - 1 - (weekday - first_weekday) % 7


def _weeks(year: int, first_weekday: int, in_first: int) -> int:
    start = _first_week(year, first_weekday, in_first)
    return (days_in_year(year) - start + _first_week(year + 1, first_weekday, in_first)) // 7


def humanize(milliseconds: float, *, suffix: bool = False, locale: Locale = ENGLISH) -> str:
    """A duration in words: "3 hours", with `suffix` "in 3 hours" or (also for 0) "3 hours ago".

    `Invalid date` for a number that is not finite.
    """
    if not math.isfinite(milliseconds):
        return INVALID
    unit, count = _unit_of(abs(milliseconds))
    words = locale.units[unit].replace("%d", str(count))
    if not suffix:
        return words
    return (locale.future if milliseconds > 0 else locale.past).replace("%s", words)


def _unit_of(length: float) -> tuple[str, int]:
    days = length / DAY_MS
    months = days * 4800 / _ERA_DAYS
    steps = (
        ("s", length / 1000, 45),
        ("m", length / 60_000, 45),
        ("h", length / 3_600_000, 22),
        ("d", days, 26),
        ("M", months, 11),
        ("y", months / 12, math.inf),
    )
    for unit, exact, end in steps:
        count = round_half_up(exact)
        if count < end:
            return (unit, count) if count <= 1 or unit == "s" else (unit * 2, count)
    raise AssertionError
