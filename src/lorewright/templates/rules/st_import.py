"""Preparing a text from SillyTavern for rules, once, when it is imported (spec §6.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

from lorewright.core.javascript import trim
from lorewright.templates.context import Json
from lorewright.templates.legacy import scan
from lorewright.templates.rules.context import DEFAULT_USER

__all__ = ["AT_RUN_TIME", "prepare_text"]

AT_RUN_TIME: Final = "stMacros"
"""The parameter of a rule whose text holds macros that are run when it is used."""

_COMMENT: Final = re.compile(r"\{\{\s*//")
_DROPPED: Final = re.compile(r"\{\{\s*(?:trim|era)\s*\}\}", re.IGNORECASE)
_NAME: Final = re.compile(r"\{\{\s*(user|char)\s*\}\}", re.IGNORECASE)
_VARIABLE: Final = re.compile(r"\{\{\s*(?:set|add|get|inc|dec)(?:global)?var\s*::", re.IGNORECASE)
_SET: Final = scan.two_to_brace(r"\{\{setvar::", 0)
_GET: Final = scan.to_brace(r"\{\{getvar::")


def prepare_text(
    text: str,
    card_name: str,
    params: Mapping[str, Json],
    *,
    user: str = DEFAULT_USER,
    assignments: Literal["kept", "lifted"] = "kept",
) -> tuple[str, Mapping[str, Json]]:
    """A text without comments, `{{trim}}` and `{{ERA}}`, with names filled in, and the parameters of its rule.

    Assignments are kept and run when the text is used, which `AT_RUN_TIME` says. `lifted` is what version 0.5.0 did:
    `setvar` and the defaults of `getvar` become parameters, which are plain variables then.
    """
    found = dict(params)
    text = _DROPPED.sub("", _without_comments(text))
    names = {"user": user, "char": card_name}
    text = _NAME.sub(lambda name: names[name[1].lower()], text)
    if assignments == "lifted":
        text = _lifted(text, found)
    elif _VARIABLE.search(text):
        found[AT_RUN_TIME] = True
    return trim(text), found


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    at = 0
    while found := _COMMENT.search(text, at):
        pieces.append(text[at : found.start()])
        end = text.find("}}", found.end())
        at = len(text) if end < 0 else end + 2
    return "".join([*pieces, text[at:]])


def _lifted(text: str, params: dict[str, Json]) -> str:
    def assign(key: str, value: str) -> str:
        params[trim(key)] = value
        return ""

    def read(written: str) -> str:
        key, _, default = written.partition("::")
        if default:
            params.setdefault(trim(key), default)
        return f"{{{{{trim(key)}}}}}"

    return _replaced(_replaced(text, _SET, assign), _GET, read)


def _replaced(text: str, find: scan.Finder, answer: Callable[..., str]) -> str:
    pieces: list[str] = []
    at = 0
    for place in find(text):
        pieces += (text[at : place.start], answer(*place.arguments))
        at = place.end
    return "".join([*pieces, text[at:]])
