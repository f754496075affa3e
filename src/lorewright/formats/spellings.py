"""The names that formats give to a field of an entry, to find in a file what a report is about (spec formats §1, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lorewright.formats.character_book import EXTENSIONS
from lorewright.formats.world_info_entry import COLUMNS

__all__ = ["SPELLINGS"]

_FOREIGN: Final[Mapping[str, tuple[str, ...]]] = {
    "keys": ("keys", "key", "keywords", "keysRaw", "keywordsRaw"),
    "secondary": ("secondary_keys", "secondaryKeys", "secondkey", "keyanti", "keysecondary", "keysecondaryRaw"),
    "title": ("name", "comment", "title", "displayName"),
    "content": ("content", "text", "entry", "value"),
    "enabled": ("enabled", "disable", "widisabled"),
    "constant": ("alwaysActive", "forceActivation"),
    "order": ("insertion_order", "insertionOrder", "insertorder", "weight", "contextConfig.budgetPriority"),
    "logic": ("selectiveLogic",),
    "probability": ("probability", "activationPercent"),
    "group": ("wigroup", "inclusionGroupRaw"),
    "case_sensitive": ("case_sensitive", "extentions.risu_case_sensitive"),
    "filter": ("characterFilter", "extensions.character_filter"),
    "triggers": ("extensions.triggers",),
}


def _spellings() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    made: dict[str, list[str]] = {field: [*names] for field, names in _FOREIGN.items()}
    for column in COLUMNS.values():
        made.setdefault(column.field, []).append(column.name)
    for native, other, _ in EXTENSIONS:
        made.setdefault(COLUMNS[native].field, []).extend((f"extensions.{other}", other)) if native in COLUMNS else None
    return {field: tuple(tuple(name.split(".")) for name in dict.fromkeys(names)) for field, names in made.items()}


SPELLINGS: Final = _spellings()
"""By field of the model: paths in the object of an entry."""
