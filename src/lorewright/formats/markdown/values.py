"""Values of Markdown fields: text -> value, or `BAD`; and value -> text, or None where the grammar has no way.

Whatever is written is read back as the same value; a text that would not is put in quotes, with the escapes of JSON.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = [
    "BAD",
    "FLAG",
    "LEVEL",
    "LIST",
    "NUMBER",
    "OPPOSITE",
    "TEXT",
    "Bad",
    "ValueKind",
    "choice",
    "is_encodable",
    "quote",
    "split_list",
]


class Bad(Enum):
    """The type of `BAD`: the text is no value of its kind."""

    BAD = "bad"


BAD: Final = Bad.BAD

_YES: Final = frozenset("true yes on 1 是 开 启用 真".split())
_NO: Final = frozenset("false no off 0 否 关 禁用 假 停用".split())
_NUMBER: Final = re.compile(r"[+-]?\d{1,300}(?P<fraction>\.\d{1,300})?(?P<exponent>e[+-]?\d{1,3})?%?", re.ASCII)

_END: Final = r"[ \t`]*(?=[,，、|\n]|\Z)"
_QUOTED: Final = re.compile(r'[ \t`]*("(?:[^"\\\n]|\\.)*+")' + _END)
_REGEX: Final = re.compile(r"[ \t`]*(/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[A-Za-z]*)" + _END)
_PLAIN: Final = re.compile(r"(?:\\[,，、|]|[^,，、|\n])*+")
_START: Final = re.compile(r"[ \t`]*([\"/]?)")
_SEPARATOR: Final = re.compile(r"[,，、|\n]")
_MANY_ITEMS: Final = 20_000
_USUAL_ITEM: Final = r"[\w.'!?&()#-]++(?: [\w.'!?&()#-]++)*+"
_USUAL_ITEMS: Final = re.compile(rf"{_USUAL_ITEM}(?:\n{_USUAL_ITEM})*+")
"""Items, each in a line, that mean nothing but themselves."""
_ESCAPED: Final = re.compile(r"\\([,，、|])")
_BACKTICKS: Final = re.compile(r"(`+)([^`]+)\1")
_ITEM: Final = re.compile(r"^[ \t]*[-*+][ \t]+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ValueKind:
    """How values of one sort are read and written. `write` is told whether the book speaks Chinese."""

    read: Callable[[str], object]
    write: Callable[[object, bool], str | None]


def _folded(text: str) -> str:
    """Without regard to case, width, and backticks around."""
    return unicodedata.normalize("NFKC", text).strip().strip("`").strip().casefold()


def _read_flag(text: str) -> object:
    folded = _folded(text)
    return True if folded in _YES else False if folded in _NO else BAD


def _read_opposite(text: str) -> object:
    value = _read_flag(text)
    return not value if isinstance(value, bool) else BAD


def _write_flag(value: object, chinese: bool) -> str | None:
    if not isinstance(value, bool):
        return None
    return ("是" if value else "否") if chinese else ("yes" if value else "no")


def _read_number(text: str) -> object:
    folded = _folded(text)
    found = _NUMBER.fullmatch(folded)
    if found is None:
        return BAD
    number = folded.rstrip("%")
    if found["fraction"] or found["exponent"]:
        return float(number)
    whole = int(number)
    return whole if whole.bit_length() <= 1023 else BAD


def _write_number(value: object, _chinese: bool) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    text = repr(value)
    return text if _NUMBER.fullmatch(text) else None


def _read_level(text: str) -> object:
    """A number, or yes or no in its place."""
    number = _read_number(text)
    return _read_flag(text) if number is BAD else number


def _write_level(value: object, chinese: bool) -> str | None:
    return _write_flag(value, chinese) if isinstance(value, bool) else _write_number(value, chinese)


def _read_text(text: str) -> str:
    value = text.strip()
    if value[:1] == '"' == value[-1:]:
        unquoted = _unquote(value)
        if unquoted is not None:
            return unquoted
    found = _BACKTICKS.fullmatch(value)
    return found[2].strip() if found else value


def _write_text(value: object, _chinese: bool) -> str | None:
    if not isinstance(value, str):
        return None
    if "\n" not in value and "\r" not in value and _read_text(value) == value and is_encodable(value):
        return value
    return quote(value)


def _read_list(text: str) -> tuple[str, ...]:
    first, separator, rest = text.partition("\n")
    return split_list(first + separator + _ITEM.sub("", rest))


def split_list(text: str) -> tuple[str, ...]:
    """The items of a list: split at `,` `，` `、` `|` and line ends, but not inside `"…"` and `/…/flags`.

    After a slash that opens no regex, the slashes up to the line's end open none either, and in a list beyond all use
    nothing is quoted; so the time stays linear.
    """
    items: list[str] = []
    at, no_regex_before = 0, 0
    while at < len(text):
        if len(items) >= _MANY_ITEMS:
            items += filter(None, map(str.strip, _SEPARATOR.split(text[at:])))
            break
        opening = _START.match(text, at)
        mark = opening[1] if opening else ""
        found = None
        if mark == '"':
            found = _QUOTED.match(text, at)
            if found:
                inner = _unquote(found[1])
                items.append(found[1][1:-1] if inner is None else inner)
        elif mark == "/" and at >= no_regex_before:
            found = _REGEX.match(text, at)
            if found:
                items.append(found[1])
            else:
                line_end = text.find("\n", at)
                no_regex_before = len(text) if line_end < 0 else line_end
        if found is None:
            found = _PLAIN.match(text, at)
            assert found
            item = _ESCAPED.sub(r"\1", found[0]).strip().strip("`").strip()
            if item:
                items.append(item)
        at = found.end() + 1
    return tuple(items)


def _write_list(value: object, chinese: bool) -> str | None:
    if not isinstance(value, (tuple, list)) or not all(isinstance(item, str) for item in value):
        return None
    separator = "、" if chinese else ", "
    if _USUAL_ITEMS.fullmatch("\n".join(value)):
        return separator.join(value)
    joined = separator.join(_write_item(item) for item in value)
    return joined if split_list(joined) == tuple(value) else separator.join(quote(item) for item in value)


def _write_item(item: str) -> str:
    is_plain = "\r" not in item and is_encodable(item) and split_list(item) == (item,)
    return item if is_plain and not item.endswith("\\") else quote(item)


def quote(text: str) -> str:
    """In quotes, with the escapes of JSON."""
    return json.dumps(text, ensure_ascii=not is_encodable(text))


def _unquote(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def is_encodable(text: str) -> bool:
    """Whether it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def choice(names: dict[str, int], numbers: range, english: dict[int, str], chinese: dict[int, str]) -> ValueKind:
    """A number that has names; any spelling of `names` is read, those of the book's language are written."""

    def read(text: str) -> object:
        folded = _folded(text).replace(" ", "").replace("_", "").replace("-", "")
        if folded in names:
            return names[folded]
        number = _read_number(folded)
        return number if type(number) is int and number in numbers else BAD

    def write(value: object, speaks_chinese: bool) -> str | None:
        if type(value) is not int or value not in numbers:
            return None
        return (chinese if speaks_chinese else english).get(value, english.get(value, str(value)))

    return ValueKind(read, write)


FLAG: Final = ValueKind(_read_flag, _write_flag)
OPPOSITE: Final = ValueKind(_read_opposite, _write_flag)
NUMBER: Final = ValueKind(_read_number, _write_number)
LEVEL: Final = ValueKind(_read_level, _write_level)
TEXT: Final = ValueKind(_read_text, _write_text)
LIST: Final = ValueKind(_read_list, _write_list)
