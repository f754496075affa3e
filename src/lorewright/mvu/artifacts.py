"""What MVU leaves in texts, found as spans: update blocks, status blocks, placeholders, macros, EJS that reads state.

Every finder walks a text once (spec mvu-filter §5). What JavaScript's `\\s`, `\\w` and `\\b` mean is spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lorewright.core.javascript import WHITE_SPACE

__all__ = [
    "ROOT",
    "SPACES",
    "STATE",
    "Span",
    "cut_spans",
    "find_ejs_tags",
    "find_getvars",
    "find_macros",
    "find_placeholders",
    "find_stateful_tags",
    "find_status_blocks",
    "find_update_blocks",
]

Span = tuple[int, int]
"""Where something stands: from the first character to the one after the last."""

_FLAGS: Final = re.IGNORECASE | re.ASCII
SPACES: Final = f"[{WHITE_SPACE}]*"
ROOT: Final = "(?:stat_data|display_data|delta_data)"
"""The three roots of the tree that texts may name."""
STATE: Final = re.compile(rf"\b{ROOT}\b", _FLAGS)

_UPDATE_TAG: Final = re.compile(r"<(/?)(update(?:variable)?|variableupdate)>", _FLAGS)
_PLACEHOLDER: Final = re.compile(r"\n?<StatusPlaceHolderImpl/>", _FLAGS)
_STATUS_OPEN: Final = re.compile(r"\n?<status_current_variables?>", _FLAGS)
_STATUS_CLOSE: Final = re.compile(r"</status_current_variables?>", _FLAGS)
_MACRO_HEAD: Final = re.compile(rf"\{{\{{{SPACES}get_message_variable::{ROOT}", _FLAGS)
_MACRO_END: Final = re.compile(rf"{SPACES}\}}\}}")
_GETVAR: Final = re.compile(rf"""getvar\({SPACES}["']{ROOT}["']{SPACES}\)""", _FLAGS)
_READS_STATE: Final = re.compile(rf"""SafeGetValue|{_GETVAR.pattern}|\b{ROOT}\b""", _FLAGS)


def cut_spans(text: str, spans: Iterable[Span]) -> str:
    """The text without the spans, which come in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return "".join([*pieces, text[at:]])


def find_update_blocks(text: str) -> list[Span]:
    """Blocks of update commands with the line break before them.

    A block reaches from a tag without attributes to its closing tag; where the same tag is opened again in between,
    only the inner block counts.
    """
    tags = [(found.start(), found.end(), found[1] == "/", found[2].lower()) for found in _UPDATE_TAG.finditer(text)]
    following: dict[str, tuple[int, bool]] = {}
    ends: list[int | None] = []
    for _, end, closes, name in reversed(tags):
        after = following.get(name)
        ends.append(after[0] if after and after[1] and not closes else None)
        following[name] = (end, closes)
    spans: list[Span] = []
    at = 0
    for (start, *_), end in zip(tags, reversed(ends), strict=True):
        if end is not None and start >= at:
            spans.append((start - (start > at and text[start - 1] == "\n"), end))
            at = end
    return spans


def find_placeholders(text: str) -> list[Span]:
    """The marks that MVU's status bar is put at."""
    return [found.span() for found in _PLACEHOLDER.finditer(text)]


def find_status_blocks(text: str) -> list[Span]:
    """Blocks that show the current variables; opening and closing tag may differ in their plural s."""
    spans: list[Span] = []
    at = 0
    while (opened := _STATUS_OPEN.search(text, at)) and (closed := _STATUS_CLOSE.search(text, opened.end())):
        at = closed.end()
        spans.append((opened.start(), at))
    return spans


def find_macros(text: str) -> list[Span]:
    """`{{get_message_variable::stat_data.path}}`, of the three roots, with or without a path."""
    return list(_macros(text))


def _macros(text: str) -> Iterator[Span]:
    brace = at = 0
    for head in _MACRO_HEAD.finditer(text):
        if head.start() < at:
            continue
        path = head.end()
        if text.startswith(".", path):
            if brace <= path:
                brace = text.find("}", path)
            if brace < 0:
                return
            ends = brace > path + 1 and text.startswith("}}", brace)
            end = brace + 2 if ends else None
        else:
            closed = _MACRO_END.match(text, path)
            end = closed.end() if closed else None
        if end is not None:
            at = end
            yield head.start(), end


def find_getvars(text: str) -> list[Span]:
    """`getvar("stat_data")`, with nothing but a root in it."""
    return [found.span() for found in _GETVAR.finditer(text)]


def find_stateful_tags(text: str) -> list[Span]:
    """From an opening EJS tag to the first closing one after a mention of the state.

    The mention may lie in a later tag; then everything in between goes, too, as in the recorded program (case
    `final-safe/ejs-stateful-plus-plain`).
    """
    spans: list[Span] = []
    start = text.find("<%")
    while start >= 0 and (reads := _READS_STATE.search(text, start + 2)):
        closed = text.find("%>", reads.end())
        if closed < 0:
            break
        spans.append((start, closed + 2))
        start = text.find("<%", closed + 2)
    return spans


def find_ejs_tags(text: str) -> list[Span]:
    """All EJS tags."""
    spans: list[Span] = []
    start = text.find("<%")
    while start >= 0 and (closed := text.find("%>", start + 2)) >= 0:
        spans.append((start, closed + 2))
        start = text.find("<%", closed + 2)
    return spans
