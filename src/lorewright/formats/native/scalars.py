"""Plain YAML words to values (YAML 1.2 core schema), and texts to YAML that gives exactly these texts again."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Final

__all__ = ["SPOKEN", "as_block", "as_flow", "is_blockable", "resolve"]

_INTEGER: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OTHER_INTEGER: Final = re.compile(r"0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INFINITY: Final = re.compile(r"(?P<sign>[-+]?)\.(inf|Inf|INF)", re.ASCII)
_NUMERIC: Final = frozenset("0123456789+-.")
"""What a number begins with."""
_WORDS: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_UNSAFE: Final = re.compile("[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What is written as an escape: control characters, exotic line ends, byte order marks and lone surrogates."""
_PLAIN: Final = re.compile(r"(?![\d_])[\w/](?:[^\n\t:#,\[\]{}]*[^\s:#,\[\]{}])?")
SPOKEN: Final = frozenset("null true false yes no on off y n".split())
"""Words that this or an older YAML takes for something else than a text; they are put in quotes."""
_BLANK_LINE: Final = re.compile(r"(?m)^[ \t]+$")


def resolve(word: str) -> object:
    """What a word without quotes means. Numbers of too many digits, and not-a-number, stay texts."""
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in _NUMERIC:
        return word
    if len(word) <= sys.get_int_max_str_digits():
        if _INTEGER.fullmatch(word):
            return int(word)
        if found := _OTHER_INTEGER.fullmatch(word):
            return int(found["octal"], 8) if found["octal"] else int(found["hex"], 16)
        if _FLOAT.fullmatch(word):
            return float(word)
    if found := _INFINITY.fullmatch(word):
        return -math.inf if found["sign"] == "-" else math.inf
    return word


def as_flow(value: object) -> str:
    """A scalar in one line."""
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and value.lower() not in SPOKEN and not _UNSAFE.search(value):
            return value
        return _quote(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    return str(value)


def is_blockable(text: str) -> bool:
    """Whether a text of several lines can stand in the file line by line."""
    body = text.removesuffix("\n")
    return (
        "\n" in text
        and bool(body)
        and body[0] not in "\n\t"
        and body[-1] != "\n"
        and not _UNSAFE.search(text)
        and not _BLANK_LINE.search(text)
    )


def as_block(text: str, pad: str) -> list[str]:
    """The lines of such a text, the first with its sign; `pad` is the indent of the lines."""
    sign = "|" + ("2" if text[0] == " " else "") + ("" if text.endswith("\n") else "-")
    return [sign, *(pad + line if line else "" for line in text.removesuffix("\n").split("\n"))]


def _quote(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _float(number: float) -> str:
    if math.isinf(number):
        return ".inf" if number > 0 else "-.inf"
    if math.isnan(number):
        return ".nan"
    mantissa, sign, exponent = repr(number).partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + sign + exponent
