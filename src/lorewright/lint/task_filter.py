"""What a filter of tasks does not do as it seems to be meant (seed 000; spec mvu-filter §2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.core.model import Report

__all__ = ["check_task_filter"]

_MODE: Final = "worldInfoFilterMode"
_KEYWORDS: Final = "worldInfoFilterCustomKeywords"
_COMMAS: Final = {
    "，": "a full-width comma",
    "、": "an enumeration comma",
    "；": "a full-width semicolon",
    ";": "a semicolon",
}


def check_task_filter(settings: Mapping[str, Any]) -> Iterator[Report]:
    """Findings about the settings of a filter as they count for one task, of all layers."""
    mode = settings.get(_MODE)
    keywords = settings.get(_KEYWORDS)
    name = mode.strip() if isinstance(mode, str) else ""
    if name not in {"", "default", "custom"}:
        message = f"`{name[:40]}` is no mode, so the default filter works. Write default or custom, in small letters."
        yield Report(code="task_filter_unknown_mode", message=message, field=_MODE)
    if not isinstance(keywords, str) or not keywords.strip():
        return
    if name != "custom":
        message = "There are keywords, and the filter is not custom, so nothing looks at them."
        yield Report(code="task_filter_idle_keywords", message=message, field=_KEYWORDS)
    for comma, words in _COMMAS.items():
        if comma in keywords:
            message = (
                f"{words[0].upper()}{words[1:]} does not part keywords: all around it is one. Write an ASCII comma."
            )
            yield Report(code="task_filter_joined_keywords", message=message, field=_KEYWORDS)
