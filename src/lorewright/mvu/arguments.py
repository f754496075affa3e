"""The text between the parentheses of a command: where it ends, its parts, and what each of them means (spec mvu-vars
§2.2, §4)."""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn

from lorewright.core.javascript import trim
from lorewright.mvu.behaviour import Behaviour
from lorewright.mvu.literals import NotALiteral, read_literal
from lorewright.mvu.paths import trim_quotes
from lorewright.mvu.refusal import Refused
from lorewright.mvu.sums import compute, may_be_sum
from lorewright.mvu.values import MISSING, UNDEFINED, Json, forbidden_in, measure, tidy
from lorewright.mvu.yaml_text import NotYaml, read_plain, read_yaml

__all__ = ["Argument", "ArgumentReader", "find_close", "read_argument", "read_json", "split_arguments"]

Argument = str | object
"""The source of an argument; `UNDEFINED`: an operation of a patch has none there."""

_LOOKED_AT: Final = re.compile(r"[()\"'`]")
_SPLIT_AT: Final = re.compile(r"[()\[\]{},\"'`]")
_QUOTES: Final = "\"'`"
_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_DEEPEST: Final = 64
_LONGEST_YAML: Final = 8_000
_MOST_SLOW: Final = 64_000
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
_NUMBER_WORDS: Final = frozenset({"Infinity", "NaN"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_DATE: Final = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?")
_ONE_QUOTED: Final = re.compile(r"'((?:[^'\n\r]|'')*)'")
_JSON_BEGINS: Final = re.compile(r"[-\[{\"\d]")


def find_close(text: str, start: int) -> int:
    """Where the parenthesis that was opened before `start` is closed, -1 where it never is.

    Parentheses in quotes do not count. A quote behind a backslash does not either, whatever stands before that.
    """
    depth, quote = 1, ""
    for found in _LOOKED_AT.finditer(text, start):
        sign, at = found[0], found.start()
        if sign in _QUOTES:
            if at == 0 or text[at - 1] != "\\":
                quote = sign if not quote else "" if quote == sign else quote
        elif not quote:
            depth += 1 if sign == "(" else -1
            if not depth:
                return at
    return -1


def split_arguments(text: str) -> list[str]:
    """The parts between commas that stand outside of quotes and brackets, trimmed; a blank last one is dropped."""
    parts: list[str] = []
    counts = dict.fromkeys("([{", 0)
    quote, begin = "", 0
    for found in _SPLIT_AT.finditer(text):
        sign, at = found[0], found.start()
        if sign in _QUOTES:
            if at == 0 or text[at - 1] != "\\":
                quote = sign if not quote else "" if quote == sign else quote
        elif quote:
            continue
        elif sign in counts:
            counts[sign] += 1
        elif sign in _CLOSING:
            counts[_CLOSING[sign]] -= 1
        elif not any(counts.values()):
            parts.append(trim(text[begin:at]))
            begin = at + 1
    last = trim(text[begin:])
    return [*parts, last] if last else parts


def read_argument(source: Argument, behaviour: Behaviour, *, sums: bool = True) -> Json:
    """What one argument means; see `ArgumentReader`."""
    return ArgumentReader(behaviour, sums=sums).read(source)


class ArgumentReader:
    """Reads the arguments of one reply: constants, JSON, literals, sums (unless `sums` is off), YAML, texts.

    Nothing is run. Sums and YAML are read for as long as `_MOST_SLOW` letters of a reply last; then what is neither JSON
    nor in quotes is a text.
    """

    def __init__(self, behaviour: Behaviour, *, sums: bool = True) -> None:
        self.behaviour = behaviour
        self.sums = sums
        self._left = _MOST_SLOW

    def read(self, source: Argument) -> Json:
        """What an argument means. Never fails, but for names that no value may hold.

        Raises:
            Refused: a key of the value is a name that reaches behind objects, or the value is nested too deep.
        """
        if not isinstance(source, str):
            return UNDEFINED
        value = self._value(source, trim(source))
        if isinstance(value, (dict, list)):
            if name := forbidden_in(value):
                raise Refused("unsafe_path", f"A value may not hold the name `{name}`.")
            if (depth := measure(value).depth) > _DEEPEST:
                raise Refused("too_large", f"A value is nested {depth} levels deep; the limit is {_DEEPEST}.")
        return value

    def _value(self, source: str, text: str) -> Json:
        if text in _WORDS:
            return _WORDS[text]
        if (value := read_json(text)) is not MISSING:
            return value
        if (text[:1], text[-1:]) in {("{", "}"), ("[", "]")}:
            try:
                return read_literal(text)
            except NotALiteral:
                pass
        if (quoted := _ONE_QUOTED.fullmatch(text)) and text.strip("'"):
            return quoted[1].replace("''", "'")
        if self.sums and not (self.behaviour.keeps_dates and _is_text(text)):
            if (number := self._sum(text)) is not None:
                return number
            if text.startswith("#"):
                return text
        if (value := read_plain(text)) is not MISSING:
            return value
        if len(text) > _LONGEST_YAML or not self._spend(len(text)):
            return trim_quotes(source)
        try:
            return read_yaml(text)
        except NotYaml:
            return trim_quotes(source)

    def _sum(self, text: str) -> float | str | None:
        return compute(text) if may_be_sum(text) and self._spend(len(text) // 4) else None

    def _spend(self, letters: int) -> bool:
        self._left -= letters
        return self._left >= 0


def _is_text(text: str) -> bool:
    """Whether a sum is more likely a date, a time, or a word that happens to name a constant."""
    return bool(_DATE.fullmatch(text) or (_WORD.fullmatch(text) and text not in _NUMBER_WORDS))


def read_json(text: str) -> Json:
    """The value of a text that is strict JSON, else `MISSING`."""
    if not _JSON_BEGINS.match(text) and text not in {"true", "false", "null"}:
        return MISSING
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_integer, parse_float=_float)
    except (ValueError, RecursionError):
        return MISSING


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _integer(digits: str) -> float:
    return tidy(float(digits)) if len(digits) > 300 else tidy(int(digits))


def _float(digits: str) -> float:
    return tidy(float(digits))
