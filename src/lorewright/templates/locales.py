"""The words of dates in English and simplified Chinese, as data.

SillyTavern's macros always speak English, whatever the interface does (spec macros §A.1); Chinese is an option of
our own. The patterns and words are those of moment.js 2.30 (cases/macros/moment-formats.json).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["ENGLISH", "LOCALES", "Locale"]


@dataclass(frozen=True, slots=True)
class Locale:
    """Names, long patterns, the rules of weeks, and what durations are called.

    `first_weekday` (0 is Sunday) starts a week; `january_in_first_week` is the day of January that always lies in
    week 1. `units` maps `s m h d M y` to the words for one and `ss mm hh dd MM yy` to those for many, with `%d`.
    """

    months: tuple[str, ...]
    months_short: tuple[str, ...]
    weekdays: tuple[str, ...]
    weekdays_short: tuple[str, ...]
    weekdays_min: tuple[str, ...]
    patterns: Mapping[str, str]
    first_weekday: int
    january_in_first_week: int
    half_day: Callable[[int, int, bool], str]
    ordinal: Callable[[int, str], str]
    units: Mapping[str, str]
    future: str
    past: str


def _english_half(hour: int, minute: int, lower: bool) -> str:
    del minute
    name = "AM" if hour < 12 else "PM"
    return name.lower() if lower else name


def _english_ordinal(number: int, token: str) -> str:
    del token
    last = number % 10
    ending = "th" if number % 100 // 10 == 1 or last not in {1, 2, 3} else ("st", "nd", "rd")[last - 1]
    return f"{number}{ending}"


_ENGLISH_MONTHS = tuple("January February March April May June July August September October November December".split())
_ENGLISH_DAYS = tuple("Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split())

ENGLISH = Locale(
    months=_ENGLISH_MONTHS,
    months_short=tuple(name[:3] for name in _ENGLISH_MONTHS),
    weekdays=_ENGLISH_DAYS,
    weekdays_short=tuple(name[:3] for name in _ENGLISH_DAYS),
    weekdays_min=tuple(name[:2] for name in _ENGLISH_DAYS),
    patterns={
        "LT": "h:mm A",
        "LTS": "h:mm:ss A",
        "L": "MM/DD/YYYY",
        "LL": "MMMM D, YYYY",
        "LLL": "MMMM D, YYYY h:mm A",
        "LLLL": "dddd, MMMM D, YYYY h:mm A",
        "l": "M/D/YYYY",
        "ll": "MMM D, YYYY",
        "lll": "MMM D, YYYY h:mm A",
        "llll": "ddd, MMM D, YYYY h:mm A",
    },
    first_weekday=0,
    january_in_first_week=1,
    half_day=_english_half,
    ordinal=_english_ordinal,
    units={
        "s": "a few seconds",
        "ss": "%d seconds",
        "m": "a minute",
        "mm": "%d minutes",
        "h": "an hour",
        "hh": "%d hours",
        "d": "a day",
        "dd": "%d days",
        "M": "a month",
        "MM": "%d months",
        "y": "a year",
        "yy": "%d years",
    },
    future="in %s",
    past="%s ago",
)

_CHINESE_HALVES = ((600, "凌晨"), (900, "早上"), (1130, "上午"), (1230, "中午"), (1800, "下午"), (2400, "晚上"))
_CHINESE_COUNTERS = {"d": "日", "D": "日", "DDD": "日", "M": "月", "w": "周", "W": "周"}


def _chinese_half(hour: int, minute: int, lower: bool) -> str:
    del lower
    return next(name for end, name in _CHINESE_HALVES if hour * 100 + minute < end)


def _chinese_ordinal(number: int, token: str) -> str:
    return f"{number}{_CHINESE_COUNTERS.get(token, '')}"


CHINESE = Locale(
    months=tuple(f"{name}月" for name in "一 二 三 四 五 六 七 八 九 十 十一 十二".split()),
    months_short=tuple(f"{number}月" for number in range(1, 13)),
    weekdays=tuple(f"星期{name}" for name in "日一二三四五六"),
    weekdays_short=tuple(f"周{name}" for name in "日一二三四五六"),
    weekdays_min=tuple("日一二三四五六"),
    patterns={
        "LT": "HH:mm",
        "LTS": "HH:mm:ss",
        "L": "YYYY/MM/DD",
        "LL": "YYYY年M月D日",
        "LLL": "YYYY年M月D日Ah点mm分",
        "LLLL": "YYYY年M月D日ddddAh点mm分",
        "l": "YYYY/M/D",
        "ll": "YYYY年M月D日",
        "lll": "YYYY年M月D日 HH:mm",
        "llll": "YYYY年M月D日dddd HH:mm",
    },
    first_weekday=1,
    january_in_first_week=4,
    half_day=_chinese_half,
    ordinal=_chinese_ordinal,
    units={
        "s": "几秒",
        "ss": "%d 秒",
        "m": "1 分钟",
        "mm": "%d 分钟",
        "h": "1 小时",
        "hh": "%d 小时",
        "d": "1 天",
        "dd": "%d 天",
        "M": "1 个月",
        "MM": "%d 个月",
        "y": "1 年",
        "yy": "%d 年",
    },
    future="%s后",
    past="%s前",
)

LOCALES: Mapping[str, Locale] = {"en": ENGLISH, "zh-cn": CHINESE}
