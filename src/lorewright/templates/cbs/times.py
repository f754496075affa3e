"""Macros that tell the time: now, of a message, between messages (spec risu §2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from lorewright.core.javascript import number_text
from lorewright.templates.calendar import DAY_MS, MAX_MS, Moment, local_ms, moment_at
from lorewright.templates.cbs.chat import message_at
from lorewright.templates.cbs.context import Row
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import Thrown, remainder, round_half_up
from lorewright.templates.clock import MINUTE_MS, Clock
from lorewright.templates.context import Json

__all__ = ["TIMES"]

_MONTHS: Final = "January February March April May June July August September October November December".split()
_DAYS: Final = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()
_LONGEST_PATTERN: Final = 300
_UNKNOWN: Final = "[Cannot get time]"
_OLD: Final = "[Cannot get time, message was sent in older version]"
_COUNTING: Final = "00:00:00"


class _Now(NamedTuple):
    """An instant, and what calendar and clock show then."""

    at: Moment
    epoch_ms: float
    clock: Clock


def _day_of_year(now: _Now) -> str:
    """Whole days since the last midnight of the old year; an hour of summer time is missing after midnight."""
    return str(math.floor((now.epoch_ms - now.clock.from_local(local_ms(now.at.year, 1, 0))) / DAY_MS))


_LETTERS: Final[dict[str, Callable[[_Now], str]]] = {
    "YYYY": lambda now: str(now.at.year),
    "YY": lambda now: str(now.at.year)[2:],
    "MMMM": lambda now: _MONTHS[now.at.month - 1],
    "MMM": lambda now: _MONTHS[now.at.month - 1][:3],
    "MM": lambda now: f"{now.at.month:02}",
    "DDDD": _day_of_year,
    "DD": lambda now: f"{now.at.day:02}",
    "dddd": lambda now: _DAYS[now.at.weekday],
    "ddd": lambda now: _DAYS[now.at.weekday][:3],
    "HH": lambda now: f"{now.at.hour:02}",
    "hh": lambda now: f"{now.at.hour % 12 or 12:02}",
    "mm": lambda now: f"{now.at.minute:02}",
    "ss": lambda now: f"{now.at.second:02}",
    "X": lambda now: number_text(math.floor(now.epoch_ms / 1000)),
    "x": lambda now: number_text(now.epoch_ms),
    "A": lambda now: "AM" if now.at.hour < 12 else "PM",
}
_PATTERN = re.compile("|".join(_LETTERS))


def _moment(clock: Clock, epoch_ms: float) -> Moment:
    return moment_at(int(epoch_ms) + clock.offset_at(epoch_ms) * MINUTE_MS)


def _formatted(given: Given) -> str:
    clock, switches = given.run.context.clock, given.run.context.switches
    pattern, stamp = given.arguments[0], given.number(1)
    if not pattern or len(pattern) > _LONGEST_PATTERN:
        return ""
    if math.isnan(stamp) or not stamp:
        stamp = clock.epoch_ms
    elif switches.date_stamp_divided:
        stamp /= 1000
    if not abs(stamp) <= MAX_MS:
        raise Thrown
    stamp = float(math.trunc(stamp))
    now = _Now(_moment(clock, stamp), stamp, clock)
    if not switches.date_replaces_letters:
        return _PATTERN.sub(lambda found: _LETTERS[found[0]](now), pattern)
    for letters, write in _LETTERS.items():
        pattern = pattern.replace(letters, write(now))
    return pattern


def date(given: Given) -> str:
    given.run.record.read("clock", "clock")
    if given.arguments:
        return _formatted(given)
    at = _moment(given.run.context.clock, given.run.context.clock.epoch_ms)
    return f"{at.year}-{at.month}-{at.day}"


def time(given: Given) -> str:
    given.run.record.read("clock", "clock")
    if given.arguments:
        return _formatted(given)
    at = _moment(given.run.context.clock, given.run.context.clock.epoch_ms)
    return f"{at.hour}:{at.minute}:{at.second}"


def iso_time(given: Given) -> str:
    given.run.record.read("clock", "clock")
    at = moment_at(given.run.context.clock.epoch_ms)
    return f"{at.hour}:{at.minute}:{at.second}"


def iso_date(given: Given) -> str:
    given.run.record.read("clock", "clock")
    at = moment_at(given.run.context.clock.epoch_ms)
    return f"{at.year}-{at.month}-{at.day}"


def unix_time(given: Given) -> str:
    given.run.record.read("clock", "clock")
    return number_text(round_half_up(given.run.context.clock.epoch_ms / 1000))


def _sent(message: Row) -> float | None:
    """When a message was sent; None if it does not say."""
    value: Json = message.get("time")
    return float(value) if isinstance(value, (int, float)) and value and abs(value) <= MAX_MS else None


def _of_message(given: Given) -> float | str:
    """When the message of this call was sent, or the text that says why that is not known."""
    call = given.run.context.call
    given.run.record.read("call:message")
    if call.counts:
        return _COUNTING
    if call.message == -1:
        return _UNKNOWN
    given.run.record.read("clock", "clock")
    sent = _sent(message_at(given, call.message))
    return _OLD if sent is None else sent


def message_time(given: Given) -> str:
    sent = _of_message(given)
    if isinstance(sent, str):
        return sent
    at = _moment(given.run.context.clock, sent)
    return f"{at.hour % 12 or 12}:{at.minute:02}:{at.second:02} {'AM' if at.hour < 12 else 'PM'}"


def message_date(given: Given) -> str:
    sent = _of_message(given)
    if isinstance(sent, str):
        return sent
    at = _moment(given.run.context.clock, sent)
    return f"{at.month}/{at.day}/{at.year}"


def _duration(milliseconds: float) -> str:
    """Hours, minutes and seconds; every part of a negative duration has its sign (case fn-203)."""
    seconds = math.floor(milliseconds / 1000)
    minutes = math.floor(seconds / 60)
    hours = math.floor(minutes / 60)
    rest = [str(int(remainder(part, 60))) for part in (minutes, seconds)]
    return ":".join([str(hours), *(part.rjust(2, "0") for part in rest)])


def message_idle_duration(given: Given) -> str:
    call = given.run.context.call
    if call.counts:
        return _COUNTING
    given.run.record.read("call:message")
    if call.message == -1:
        return _UNKNOWN
    message_at(given, call.message)
    users = [row for row in given.run.messages()[: call.message + 1] if row.get("role") == "user"]
    if not users:
        return "[No user message found]"
    if len(users) < 2:
        return "[No previous user message found]"
    last, before = _sent(users[-1]), _sent(users[-2])
    if last is None:
        return _OLD
    if before is None:
        return "[Cannot get time, previous message was sent in older version]"
    return _duration(last - before)


def idle_duration(given: Given) -> str:
    if given.run.context.call.counts:
        return _COUNTING
    messages = given.run.messages()
    if not messages:
        return _COUNTING
    sent = _sent(messages[-1])
    given.run.record.read("clock", "clock")
    return _OLD if sent is None else _duration(given.run.context.clock.epoch_ms - sent)


TIMES: Final = (
    Macro("messagetime", "", "clock", message_time),
    Macro("messagedate", "", "clock", message_date),
    Macro("unixtime", "", "clock", unix_time),
    Macro("time", "pattern?::stamp?", "clock", time),
    Macro("isotime", "", "clock", iso_time),
    Macro("isodate", "", "clock", iso_date),
    Macro("messageidleduration", "", "state", message_idle_duration),
    Macro("idleduration", "", "clock", idle_duration),
    Macro("date", "pattern?::stamp?", "clock", date, ("datetimeformat",)),
)
