"""JSON as people write it by hand -> strict JSON: comments, trailing commas, single quotes, bare names (JSON5).

Used only for a text that is no JSON. Nothing is guessed: what JSON5 does not allow either is refused.
"""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["as_strict_json"]

_TOKEN: Final = re.compile(
    r"""(?P<blank>[\s\ufeff]++|//[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/)
    |(?P<text>"(?:[^"\\\n\r]|\\.)*+"|'(?:[^'\\\n\r]|\\.)*+')
    |(?P<mark>[{}\[\]:,])
    |(?P<number>[+-]?(?:0[xX][0-9a-fA-F]++|(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?)(?![\w$]))
    |(?P<name>[+-]?[^\W\d][\w$]*+|\$[\w$]*+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|\r\n|.)|(\")", re.DOTALL)
_SAME: Final = frozenset('"\\/bfnrtu')
_WORDS: Final = frozenset({"true", "false", "null", "NaN", "Infinity", "-Infinity"})


def as_strict_json(text: str) -> str | None:
    """The same value as strict JSON, or None if the text is no JSON5 either. `NaN` and the like stay as they are."""
    made: list[str] = []
    last = ""
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        token = found[0]
        match found.lastgroup:
            case "blank":
                continue
            case "text":
                token = _quoted(token)
            case "number":
                token = _number(token)
            case "name":
                token = token if token in _WORDS and last != "{" and not _is_key(text, place) else json.dumps(token)
                if token.startswith('"') and not _is_key(text, place):
                    return None
            case _:
                if found[0] in "}]" and last == "," and len(made) > 1 and made[-2] not in "{[,:":
                    made.pop()
        made.append(token)
        last = token
    return " ".join(made)


def _is_key(text: str, place: int) -> bool:
    """Whether a colon comes next, behind blanks and comments."""
    while (found := _TOKEN.match(text, place)) is not None:
        if found.lastgroup != "blank":
            return found[0] == ":"
        place = found.end()
    return False


def _quoted(token: str) -> str:
    if token[0] == '"' and "\\" not in token:
        return token
    return f'"{_ESCAPE.sub(_escape, token[1:-1])}"'


def _escape(found: re.Match[str]) -> str:
    if found[2]:
        return '\\"'
    sign = found[1]
    if sign in _SAME:
        return found[0]
    if sign in {"\n", "\r", "\r\n", "\u2028", "\u2029"}:
        return ""
    if sign[0] == "x" and len(sign) > 1:
        return f"\\u00{sign[1:]}"
    return {"v": "\\u000b", "0": "\\u0000"}.get(sign, sign)


def _number(token: str) -> str:
    sign, digits = ("-" if token[0] == "-" else "", token.lstrip("+-"))
    if digits[:2] in {"0x", "0X"}:
        return sign + str(int(digits[:40], 16))
    digits = re.sub(r"^\.", "0.", digits)
    return sign + re.sub(r"\.(?=$|[eE])", ".0", digits)
