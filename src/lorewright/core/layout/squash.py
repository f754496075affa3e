"""Which messages in the making become one (spec prompt-assembly §10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lorewright.core.layout.defects import Defects
from lorewright.core.layout.draft import Draft

__all__ = ["squash"]

_ALONE: Final = frozenset({"newMainChat", "newChat", "groupNudge"})


def squash(drafts: Iterable[Draft], defects: Defects) -> list[list[Draft]]:
    """Neighbouring system messages without a name together, every other message by itself; empty ones are gone.

    Lines that open a part and the reminder of a group stay alone.
    """
    runs: list[list[Draft]] = []
    is_apart = True
    for draft in drafts:
        if not draft.content.text:
            is_apart = is_apart or (draft.role != "system" and defects.separates_by_empty)
        elif runs and not is_apart and _merges(draft) and _merges(runs[-1][0]):
            runs[-1].append(draft)
        else:
            runs.append([draft])
            is_apart = False
    return runs


def _merges(draft: Draft) -> bool:
    return draft.role == "system" and not draft.name and draft.id not in _ALONE
