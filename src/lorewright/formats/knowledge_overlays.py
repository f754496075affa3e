"""The table `knowledge_overlays` beside `static_knowledge`: a user's changes to rows that come with a program.

An overlay names a row by `stable_id` (or by `base_id`) and replaces what it holds (`upsert`) or takes it away (`delete`).
The rows themselves stay as they were delivered, so an update of the program does not undo the changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.core.javascript import value_as_text
from lorewright.core.model import ABSENT
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.strict_json import parse_json
from lorewright.formats.wording import describe

__all__ = ["OVERLAY_COLUMNS", "Knowledge", "Row", "apply_overlays"]

OVERLAY_COLUMNS: Final = ("stable_id", "operation", "base_id", "operator_id", "category", "sub_id", "level", "content")
"""Beside `raw_data`; the first two are needed."""
_FIELDS: Final = ("operator_id", "category", "sub_id", "level", "content")


@dataclass(slots=True)
class Row:
    """A row of the base: the ids by which overlays may name it, and its entry (`ABSENT` once it is deleted)."""

    number: int
    ids: tuple[str, ...]
    value: object


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The entries that are left, and the account of the overlays.

    `merged` overlays changed or removed a row. `skipped` counts removed rows and overlays without an effect.
    """

    entries: tuple[object, ...]
    merged: int = 0
    skipped: int = 0


def apply_overlays(rows: list[Row], overlays: Iterable[Mapping[str, Any]], notes: Notes) -> Knowledge:
    """Put the overlays over the rows. Each of them is reported; new rows stand at the end."""
    index = _index(rows)
    merged = skipped = 0
    for overlay in overlays:
        target = next((index[name] for name in _ids(overlay) if name in index), None)
        name = value_as_text(overlay.get("stable_id"))[:80]
        match overlay.get("operation"):
            case "delete" if target is not None:
                target.value = ABSENT
                merged += 1
                message = f"The overlay {name!a} deletes row {target.number}; it is no entry of the book."
                notes.add("overlay_deleted", message, "info", entry=target.number)
            case "upsert":
                number = target.number if target else len(rows) + 1
                value = _upsert(overlay, number, target.value if target else ABSENT, notes)
                if target is None:
                    rows.append(Row(number, (), value))
                    index |= dict.fromkeys(_ids(overlay), rows[-1])
                    notes.add("overlay_added", f"The overlay {name!a} adds row {number}.", "info", entry=number)
                else:
                    target.value = value
                    merged += 1
                    message = f"The overlay {name!a} changes row {number}; the changed row is used."
                    notes.add("overlay_applied", message, "info", entry=number)
            case operation:
                skipped += 1
                why = "names no row to delete" if operation == "delete" else f"has {describe(operation)} as `operation`"
                notes.add("overlay_not_used", f"The overlay {name!a} {why}; it has no effect.", field="operation")
    left = tuple(row.value for row in rows if row.value is not ABSENT)
    return Knowledge(left, merged, skipped + len(rows) - len(left))


def _index(rows: list[Row]) -> dict[str, Row]:
    """The first row for each id; an id of the first kind goes before one of a later kind."""
    index: dict[str, Row] = {}
    for kind in range(max((len(row.ids) for row in rows), default=0)):
        for row in rows:
            if kind < len(row.ids) and row.ids[kind]:
                index.setdefault(row.ids[kind], row)
    return index


def _ids(overlay: Mapping[str, Any]) -> list[str]:
    named = (overlay.get("stable_id"), overlay.get("base_id"))
    return [value_as_text(one) for one in named if one is not None]


def _upsert(overlay: Mapping[str, Any], number: int, base: object, notes: Notes) -> object:
    """The entry of a row after an overlay: its columns over what was there, its `raw_data` over both."""
    made: dict[str, Any] = dict(base) if isinstance(base, dict) else {"id": number}
    columns = {name: overlay[name] for name in _FIELDS if overlay.get(name) is not None}
    return made | columns | _parse(overlay.get("raw_data"), number, notes)


def _parse(raw: object, number: int, notes: Notes) -> dict[str, Any]:
    """The object in `raw_data` of an overlay; nothing if there is none."""
    if not raw:
        return {}
    try:
        given = parse_json(value_as_text(raw), notes)
    except FormatError as error:
        what = f"no JSON ({error.message.rstrip('.')})"
    else:
        if isinstance(given, dict):
            return given
        what = f"{describe(given)}, not an object"
    message = f"`raw_data` of the overlay of row {number} is {what}; it is not used."
    notes.add("bad_value", message, entry=number, field="raw_data")
    return {}
