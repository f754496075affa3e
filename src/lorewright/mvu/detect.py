"""Whether a lorebook entry belongs to MVU: by a tag in its title, or by what its text looks like (spec mvu-filter §4.1,
§5).

The look at the text is a narrow guess, made for one purpose: tasks that summarise or remember do not want the rules of
a variable tree in their prompt. It walks a text a fixed number of times, whatever stands in it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, Literal

from lorewright.core.javascript import trim
from lorewright.mvu.artifacts import ROOT, SPACES, STATE, find_getvars, find_macros, find_status_blocks

__all__ = ["IgnoreReason", "collapse", "find_ignore_reason", "is_likely_mvu", "is_tagged"]

IgnoreReason = Literal["mvu_tagged", "mvu_content"]

_FLAGS: Final = re.IGNORECASE | re.ASCII
_BLANKS: Final = re.compile("[ \t]{2,}")
_LINES: Final = re.compile("\n{3,}")
_TAG: Final = re.compile(r"\[(?:mvu_update|mvu_plot|initvar)\]", _FLAGS)

_OUTPUT_FORMAT: Final = "变量输出格式:"
_OUTPUT_TAG: Final = re.compile("<UpdateVariable>", _FLAGS)
_UPDATE_RULES: Final = "变量更新规则:"
_RULE_FIELD: Final = re.compile("type:|check:|当前时间:|近期事务:", _FLAGS)
_EMPHASIS: Final = re.compile(
    "变量输出格式强调|格式强调[：:]?-?(?:变量更新规则|剧情演绎)"
    "|The following must be inserted to the end of (?:each )?reply,? and cannot be omitted",
    _FLAGS,
)
_FORMAT_FIELD: Final = re.compile(rf"format:{SPACES}\|", _FLAGS)

_FIELD: Final = re.compile(rf"""["']?{ROOT}["']?{SPACES}:""", _FLAGS)
_PATH: Final = re.compile(rf"""\b{ROOT}\.[A-Za-z0-9_$\u4e00-\u9fff\[\]"'-]""", _FLAGS)
_MESSAGE_DATA: Final = re.compile(rf"\bmessage_data\[[0-9]+\]\.data\.{ROOT}\b", _FLAGS)
_HELPER: Final = re.compile(r"\bSafeGetValue\(", _FLAGS)
_ROOT_ANYWHERE: Final = re.compile(ROOT, _FLAGS)
_WORD_AT: Final = re.compile(r"\w", re.ASCII)
_ENOUGH: Final = 2
_MARKS: Final = ("_data", "变量", "格式强调", "status_current_variable", "omitted")
"""Every text that looks like MVU has one of these in it, lower-cased; none of them has white space."""


def is_tagged(*titles: str) -> bool:
    """Whether one of the titles holds `[mvu_update]`, `[mvu_plot]` or `[initvar]`, in any case."""
    return any("[" in title and _TAG.search(title) for title in titles)


def is_likely_mvu(text: str) -> bool:
    """Whether the text looks like a part of MVU's machinery."""
    lowered = text.lower()
    if not any(mark in lowered for mark in _MARKS):
        return False
    text = collapse(text)
    return bool(find_status_blocks(text)) or _is_rules(text) or _reads_state(text)


def find_ignore_reason(name: str, comment: str, text: str) -> IgnoreReason | None:
    """Why a task does not read this entry; None: it does."""
    if is_tagged(name, comment):
        return "mvu_tagged"
    return "mvu_content" if is_likely_mvu(text) else None


def collapse(text: str) -> str:
    """Runs of blanks as one space, runs of empty lines as one, nothing at the ends."""
    if "  " in text or "\t" in text:
        text = _BLANKS.sub(" ", text)
    return trim(_LINES.sub("\n\n", text) if "\n\n\n" in text else text)


def _is_rules(text: str) -> bool:
    """Whether it tells a model how to write updates: a heading and, later, what belongs under it."""
    _, heading, below = text.partition(_OUTPUT_FORMAT)
    if heading and _OUTPUT_TAG.search(below):
        return True
    _, heading, below = text.partition(_UPDATE_RULES)
    if heading and _RULE_FIELD.search(below):
        return True
    emphasis = _EMPHASIS.search(text)
    return emphasis is not None and _FORMAT_FIELD.search(text, emphasis.end()) is not None


def _reads_state(text: str) -> bool:
    """Whether the tree is read in two ways, or in one and named twice."""
    signals = (
        bool(find_macros(text))
        + bool(find_getvars(text))
        + (_FIELD.search(text) is not None)
        + (_PATH.search(text) is not None)
        + (_MESSAGE_DATA.search(text) is not None or _calls_helper(text))
    )
    if signals >= _ENOUGH:
        return True
    return signals == 1 and sum(1 for _ in STATE.finditer(text)) >= _ENOUGH


def _calls_helper(text: str) -> bool:
    """`SafeGetValue(… stat_data …)` with a letter, digit or underscore directly after it.

    That is what a word boundary after the bracket comes to, so the usual call does not count.
    """
    brackets = [-1, *(found.start() for found in re.finditer(r"\)", text))]
    for before, bracket in pairwise(brackets):
        if not _WORD_AT.match(text, bracket + 1):
            continue
        called = _HELPER.search(text, before + 1, bracket)
        if called and _ROOT_ANYWHERE.search(text, called.end(), bracket):
            return True
    return False
