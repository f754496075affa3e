"""The forgiving date reader of V8: what `new Date(text)` makes of texts that are not ISO 8601.

Numbers, names of months, times, zones and signs in nearly any order; words before the first number are skipped, and
so is text in parentheses. Written from the published description of the rules (V8's dateparser).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lorewright.templates.calendar import local_ms
from lorewright.templates.clock import MINUTE_MS, Clock

__all__ = ["parse_loosely"]

_TOKEN = re.compile(
    r"(?P<number>[0-9]+)|(?P<word>[A-Za-z\u0080-\U0010ffff_^`\[\]\\{|}~]+)|(?P<space>\s+)|(?P<sign>[\s\S])"
)
_MONTHS = {name: place for place, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_ZONES = {
    **dict.fromkeys(("ut", "utc", "gmt", "z"), 0),
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
}
_TIME_LIMITS = (0, 59, 59, 999)
_SIGNIFICANT_DIGITS = 9


class _NotADate(Exception):
    pass


@dataclass(slots=True)
class _Reading:
    day: list[int] = field(default_factory=list)
    month: int | None = None
    time: list[int] = field(default_factory=list)
    half: int | None = None
    zone_sign: int = 0
    zone_hour: int | None = None
    zone_minute: int | None = None
    seen_number: bool = False

    def expects_time(self, number: int) -> bool:
        return 1 <= len(self.time) <= 3 and number <= _TIME_LIMITS[len(self.time)]

    def add_time(self, number: int) -> None:
        if len(self.time) == 4:
            raise _NotADate
        self.time.append(number)

    def end_time(self, number: int) -> None:
        self.add_time(number)
        self.time += [0] * (4 - len(self.time))

    def add_day(self, number: int) -> None:
        if len(self.day) == 3:
            raise _NotADate
        self.day.append(number)


@dataclass(slots=True)
class _Tokens:
    items: list[tuple[str, str]]
    at: int = 0

    def peek(self) -> tuple[str, str]:
        return self.items[self.at] if self.at < len(self.items) else ("end", "")

    def next(self) -> tuple[str, str]:
        found = self.peek()
        self.at += 1
        return found

    def skip(self, sign: str) -> bool:
        if self.peek() == ("sign", sign):
            self.at += 1
            return True
        return False


def parse_loosely(text: str, clock: Clock) -> float | None:
    """Milliseconds since 1970, local to the clock's zone where the text names none; None if it is no date."""
    tokens = _Tokens(_tokens(text))
    reading = _Reading()
    try:
        while tokens.peek()[0] != "end":
            kind, word = tokens.next()
            if kind == "number":
                _read_number(word, tokens, reading)
            elif kind == "word":
                _read_word(word.lower(), tokens, reading)
            elif kind == "sign":
                _read_sign(word, tokens, reading)
        return _instant(reading, clock)
    except _NotADate:
        return None


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        if match[0] == "(":
            depth += 1
        elif depth:
            depth -= match[0] == ")"
        else:
            found.append((match.lastgroup or "sign", match[0]))
    return found


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:_SIGNIFICANT_DIGITS] or 0)


def _read_number(digits: str, tokens: _Tokens, reading: _Reading) -> None:
    reading.seen_number = True
    number = _number(digits)
    if tokens.skip(":"):
        if tokens.skip(":"):
            raise _NotADate
        reading.add_time(number)
    elif tokens.peek() == ("sign", ".") and reading.expects_time(number):
        tokens.next()
        reading.add_time(number)
        kind, fraction = tokens.next()
        if kind != "number":
            raise _NotADate
        reading.end_time(int(f"{fraction:0<3}"[:3]))
    elif reading.zone_hour is not None and reading.zone_minute is None and number <= 59:
        reading.zone_minute = number
    elif reading.expects_time(number):
        reading.end_time(number)
        kind, after = tokens.peek()
        if kind not in {"end", "space"} and after.lower() not in {"z", "+", "-"}:
            raise _NotADate
    else:
        reading.add_day(number)
        tokens.skip("-")


def _read_word(word: str, tokens: _Tokens, reading: _Reading) -> None:
    if word in {"am", "pm"} and reading.time:
        reading.half = 12 if word == "pm" else 0
    elif word[:3] in _MONTHS:
        reading.month = _MONTHS[word[:3]]
        tokens.skip("-")
    elif word in _ZONES and reading.seen_number:
        hours = _ZONES[word]
        reading.zone_sign, reading.zone_hour, reading.zone_minute = (-1 if hours < 0 else 1), abs(hours), 0
    elif reading.seen_number or tokens.peek()[0] == "number":
        raise _NotADate


def _read_sign(sign: str, tokens: _Tokens, reading: _Reading) -> None:
    is_utc = reading.zone_hour == 0 and reading.zone_minute == 0
    if sign in {"+", "-"} and (is_utc or reading.time):
        reading.zone_sign = -1 if sign == "-" else 1
        digits = tokens.next()[1] if tokens.peek()[0] == "number" else ""
        number = _number(digits)
        reading.seen_number = True
        if tokens.peek() == ("sign", ":"):
            reading.zone_hour, reading.zone_minute = number, None
        elif len(digits) in {1, 2}:
            reading.zone_hour, reading.zone_minute = number, 0
        elif len(digits) in {3, 4}:
            reading.zone_hour, reading.zone_minute = divmod(number, 100)
        else:
            raise _NotADate
    elif sign in {"+", "-", ")"} and reading.seen_number:
        raise _NotADate


def _instant(reading: _Reading, clock: Clock) -> float:
    year, month, day = _date(reading)
    hour, minute, second, ms = [*reading.time, 0, 0, 0, 0][:4]
    if reading.half is not None:
        if not 0 <= hour <= 12:
            raise _NotADate
        hour = hour % 12 + reading.half
    in_day = hour <= 23 and minute <= 59 and second <= 59 and ms <= 999
    if not in_day and (hour, minute, second, ms) != (24, 0, 0, 0):
        raise _NotADate
    local = local_ms(year, month, day, hour, minute, second, ms)
    if not reading.zone_sign:
        return clock.from_local(local)
    offset = reading.zone_sign * ((reading.zone_hour or 0) * 60 + (reading.zone_minute or 0))
    return local - offset * MINUTE_MS


def _date(reading: _Reading) -> tuple[int, int, int]:
    if not reading.day:
        raise _NotADate
    first, second, third = [*reading.day, 1, 1][:3]
    is_day = 1 <= first <= 31
    if reading.month is None:
        year, month, day = (third, first, second) if is_day else (first, second, third)
    else:
        month = reading.month
        year, day = (second, first) if is_day or len(reading.day) == 1 else (first, second)
    year += 2000 if year < 50 else 1900 if year < 100 else 0
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise _NotADate
    return year, month, day
