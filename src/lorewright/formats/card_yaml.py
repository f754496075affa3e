"""Cards of Pygmalion, Gradio and ooba (JSON or YAML) and cards as YAML -> the JSON of a card (spec formats §3.2, §3.12)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["as_card", "is_foreign_card", "typed"]

_OURS: Final = {
    "char_name": "name",
    "bot": "name",
    "char_persona": "description",
    "context": "description",
    "char_greeting": "first_mes",
    "greeting": "first_mes",
    "world_scenario": "scenario",
    "example_dialogue": "mes_example",
}
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_SWITCHES: Final = frozenset(
    "enabled constant selective use_regex case_sensitive match_whole_words useProbability exclude_recursion "
    "prevent_recursion delay_until_recursion group_override use_group_scoring vectorized ignore_budget "
    "recursive_scanning".split()
)
_NUMBERS: Final = frozenset(
    "id insertion_order priority depth role position probability selectiveLogic group_weight scan_depth sticky cooldown "
    "delay delay_until_recursion display_index token_budget creation_date modification_date".split()
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})(\.\d{1,17})?")


def is_foreign_card(value: object) -> bool:
    """Whether the fields of a card have other names than in V1."""
    return (
        isinstance(value, dict)
        and value.keys().isdisjoint({"spec", "data", "first_mes"})
        and not value.keys().isdisjoint(_OURS)
    )


def as_card(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a V1 card beside the file's own, which stay. A field that is there already is not changed."""
    made = dict(value)
    for theirs, ours in _OURS.items():
        if theirs in value and not made.get(ours):
            made[ours] = value[theirs]
    return made


def typed(value: Any, name: str = "") -> Any:
    """A value of texts with numbers and switches where the fields of a card hold them; everything else stays a text."""
    if isinstance(value, dict):
        return {own: typed(item, own) for own, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, str):
        if name in _SWITCHES and value in _BOOLEANS:
            return _BOOLEANS[value]
        if name in _NUMBERS and (found := _NUMBER.fullmatch(value)):
            return float(value) if found[1] else int(value)
    return value
