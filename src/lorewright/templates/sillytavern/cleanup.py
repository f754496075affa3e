"""What happens to a text before and after its macros run (spec macros §B, "Clean-up passes")."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ELSE_MARKER", "TRIM_WORD", "clean", "rewrite_old_syntax"]

ELSE_MARKER: Final = "\0\x1fELSE\x1f\0"
"""What `{{else}}` becomes until the end; through `reverse` or a variable it can survive (`Defects.values_are_cleaned`)."""

TRIM_WORD: Final = "{{trim}}"

_OLD_TIME = re.compile(r"\{\{time_(UTC[+-]\d+)\}\}", re.ASCII | re.IGNORECASE)
_OLD_NAMES = re.compile(r"<(user|bot|char|group|charifnotgroup)>", re.ASCII | re.IGNORECASE)
_NEW_NAMES: Final = {
    "user": "{{user}}",
    "bot": "{{char}}",
    "char": "{{char}}",
    "group": "{{group}}",
    "charifnotgroup": "{{charIfNotGroup}}",
}
_TRIM = re.compile(r"\{\{trim\}\}", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([{}])")


def rewrite_old_syntax(text: str) -> str:
    """`{{time_UTC+2}}` and `<USER>` in today's form."""
    if "_" in text:
        text = _OLD_TIME.sub(r"{{time::\1}}", text)
    if "<" in text:
        text = _OLD_NAMES.sub(lambda found: _NEW_NAMES[found[1].lower()], text)
    return text


def clean(text: str) -> str:
    """Unescape braces, take `{{trim}}` out with the newlines around it, drop what `{{else}}` left."""
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "{{" in text and _TRIM.search(text):
        text = _trimmed(text)
    return text.replace(ELSE_MARKER, "")


def _trimmed(text: str) -> str:
    pieces: list[str] = []
    at = 0
    for found in _TRIM.finditer(text):
        if found.start() < at:
            continue
        pieces.append(_without_last_newlines(text[at : found.start()]))
        at = found.end()
        while text.startswith(("\n", "\r\n"), at):
            at += 1 if text[at] == "\n" else 2
    return "".join([*pieces, text[at:]])


def _without_last_newlines(text: str) -> str:
    end = len(text)
    while end and text[end - 1] == "\n":
        end -= 2 if text[max(0, end - 2) : end] == "\r\n" else 1
    return text[:end]
