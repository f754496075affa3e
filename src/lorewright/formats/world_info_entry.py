"""One entry of a SillyTavern world info book <-> `Entry` (spec formats §1, world-info §1.1).

The entry is an exact image of its object. Where a value cannot be held by its field (a key list with numbers in it),
the field has what it means and `extra` has the original under its own name; the original is written back as long as
it still means what the field says, so an edited field wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from lorewright.core.javascript import truthy
from lorewright.core.model import ABSENT, EMPTY, Entry, Odd
from lorewright.formats import fields, limits
from lorewright.formats.entry_filter import FILTER_NAMES, read_filter, write_filter
from lorewright.formats.fields import FieldReader, FieldWriter, is_exact
from lorewright.formats.imported import Notes
from lorewright.formats.marks import put_marks, read_entry_marks
from lorewright.formats.wording import describe

__all__ = ["COLUMNS", "Column", "EntryReader", "write_entry"]


@dataclass(frozen=True, slots=True)
class Column:
    """One field in the file, the field of the model that it goes to, and the way there and back."""

    name: str
    field: str
    read: FieldReader
    write: FieldWriter = fields.write_plain


def _columns(read: FieldReader, write: FieldWriter, **names: str) -> tuple[Column, ...]:
    return tuple(Column(name, field, read, write) for field, name in names.items())


COLUMNS: Final = {
    column.name: column
    for column in (
        *_columns(fields.read_keys, fields.write_texts, keys="key", secondary="keysecondary"),
        *_columns(fields.read_text, fields.write_plain, title="comment", content="content"),
        *_columns(fields.read_flag, fields.write_plain, constant="constant", selective="selective"),
        *_columns(fields.read_integer, fields.write_plain, logic="selectiveLogic"),
        *_columns(fields.read_number, fields.write_plain, order="order"),
        *_columns(fields.read_integer, fields.write_plain, position="position"),
        *_columns(fields.read_opposite, fields.write_opposite, enabled="disable"),
        *_columns(fields.read_number, fields.write_plain, depth="depth"),
        *_columns(fields.read_integer, fields.write_plain, role="role"),
        *_columns(fields.read_text, fields.write_plain, outlet="outletName", group="group"),
        *_columns(
            fields.read_number,
            fields.write_plain,
            probability="probability",
            group_weight="groupWeight",
            scan_depth="scanDepth",
            sticky="sticky",
            cooldown="cooldown",
            delay="delay",
        ),
        *_columns(
            fields.read_flag,
            fields.write_plain,
            use_probability="useProbability",
            ignore_budget="ignoreBudget",
            exclude_recursion="excludeRecursion",
            prevent_recursion="preventRecursion",
            group_override="groupOverride",
            group_scoring="useGroupScoring",
            case_sensitive="caseSensitive",
            whole_words="matchWholeWords",
            match_persona_description="matchPersonaDescription",
            match_character_description="matchCharacterDescription",
            match_character_personality="matchCharacterPersonality",
            match_character_depth_prompt="matchCharacterDepthPrompt",
            match_scenario="matchScenario",
            match_creator_notes="matchCreatorNotes",
        ),
        *_columns(fields.read_level, fields.write_plain, delay_until_recursion="delayUntilRecursion"),
        *_columns(fields.read_texts, fields.write_texts, triggers="triggers"),
    )
}
"""Every field of an entry but `uid` and the filter, by its name in the file, in SillyTavern's order of explaining them."""

_OTHER_SPELLINGS: Final = (
    ("key", "keys"),
    ("keysecondary", "secondary_keys"),
    ("order", "insertion_order"),
    ("disable", "enabled"),
)
"""Names that some files hold besides, with the spelling of character books (spec formats §2)."""


_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to do with entries that have these field names in this order. All entries of a layout share it."""

    layout: tuple[str, ...]
    plain: tuple[tuple[str, str, frozenset[type], FieldReader], ...]
    lists: tuple[Column, ...]
    unknown: tuple[str, ...]
    has_filter: bool
    conflicts: tuple[tuple[str, str], ...]


class EntryReader:
    """Reads the entries of one book; shares what equal entries have in common."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def read(self, raw: Mapping[str, Any], uid: int | str, beside: Mapping[str, object] = EMPTY) -> Entry:
        """The entry in a JSON object. `uid` is its id in the model, which the caller has made unique in the book.

        `beside` is what else to keep in `extra`: fields of a foreign entry of which `raw` was made.
        """
        layout = tuple(raw)
        plan = self._plans.get(layout) or self._plan(layout)
        values: dict[str, Any] = {}
        extra: dict[str, object] = {name: raw[name] for name in plan.unknown}
        for name, field, ready, read in plan.plain:
            value = raw[name]
            if type(value) in ready:
                values[field] = value
                continue
            value = values[field] = read(value)
            if type(value) is Odd:
                self._note_odd(uid, field, name, value.value)
        for column in plan.lists:
            self._read_list(raw, column, uid, values, extra)
        if plan.has_filter:
            self._read_filter(raw, uid, values, extra)
        own = raw.get("uid", uid)
        if own != uid or type(own) is not type(uid):
            extra["uid"] = own
        for native, other in plan.conflicts:
            self._note_conflict(raw, uid, native, other)
        content = values.get("content")
        if type(content) is str and len(content) > limits.CONTENT_CHARACTERS:
            self._note_large(uid, "content", f"{len(content):,} characters of content", limits.CONTENT_CHARACTERS)
        extra.update(beside)
        if "extensions" in extra:
            self._read_marks(extra, uid, values)
        return Entry(uid=uid, extra=extra or EMPTY, layout=plan.layout, **values)

    def _read_marks(self, extra: Mapping[str, object], uid: int | str, values: dict[str, Any]) -> None:
        """Fields of ours that stand under our name."""
        for name, value in read_entry_marks(extra).items():
            values[name] = value
            if isinstance(value, Odd):
                self._note_odd(uid, name, name, value.value)

    def _plan(self, layout: tuple[str, ...]) -> _Plan:
        known = [COLUMNS[name] for name in layout if name in COLUMNS]
        plan = _Plan(
            layout,
            tuple(
                (column.name, column.field, fields.READY.get(column.read, frozenset()), column.read)
                for column in known
                if column.write is not fields.write_texts
            ),
            tuple(column for column in known if column.write is fields.write_texts),
            tuple(name for name in layout if name not in COLUMNS and name not in FILTER_NAMES and name != "uid"),
            any(name in FILTER_NAMES for name in layout),
            tuple(pair for pair in _OTHER_SPELLINGS if set(pair) <= set(layout)),
        )
        self._plans[layout] = plan
        return plan

    def _read_list(
        self, raw: Mapping[str, Any], column: Column, uid: int | str, values: dict[str, Any], extra: dict[str, object]
    ) -> None:
        original = raw[column.name]
        value = values[column.field] = column.read(original)
        if type(value) is not tuple:
            if type(value) is Odd:
                self._note_odd(uid, column.field, column.name, original)
            return
        if len(value) > limits.ENTRY_KEYS:
            self._note_large(uid, column.field, f"{len(value):,} items in `{column.name}`", limits.ENTRY_KEYS)
        if list(value) != original:
            extra[column.name] = original
            strange = [item for item in original if type(item) is not str]
            empty = sum(type(item) is not str and text == "" for item, text in zip(original, value, strict=True))
            self.notes.add(
                "key_not_text" if column.read is fields.read_keys else "bad_value",
                f"`{column.name}` holds {describe(strange[0])}"
                + (f" and {len(strange) - 1} more items that are no texts" if len(strange) > 1 else "")
                + ("; numbers are read as texts" if empty < len(strange) else "")
                + (f"; {empty} of them never match" if empty else "")
                + ".",
                entry=uid,
                field=column.field,
            )

    def _read_filter(
        self, raw: Mapping[str, Any], uid: int | str, values: dict[str, Any], extra: dict[str, object]
    ) -> None:
        value = values["filter"] = read_filter(raw)
        if type(value) is Odd:
            self._note_odd(uid, "filter", "characterFilter", value.value)
        originals = {name: raw[name] for name in raw if name in FILTER_NAMES}
        if not is_exact(write_filter(value, originals), originals):
            extra.update(originals)

    def _note_odd(self, uid: int | str, field: str, name: str, value: object) -> None:
        message = f"`{name}` holds {describe(value)}, which is not of its type; it is kept as it is."
        level: Literal["warning", "error"] = "error" if field == "content" and truthy(value) else "warning"
        self.notes.add(_odd_code(field, value), message, level, entry=uid, field=field)

    def _note_conflict(self, raw: Mapping[str, Any], uid: int | str, native: str, other: str) -> None:
        left, right = raw[native], raw[other]
        if native == "disable":
            right = not right if isinstance(right, bool) else right
        if left != right:
            self.notes.add(
                "field_conflict",
                f"`{native}` and `{other}` contradict each other; `{native}` is used.",
                entry=uid,
                field=COLUMNS[native].field,
            )

    def _note_large(self, uid: int | str, field: str, what: str, usual: int) -> None:
        self.notes.add("entry_large", f"The entry has {what}; more than {usual:,} is unusual.", entry=uid, field=field)


def _odd_code(field: str, value: object) -> str:
    """The report code for a value of a wrong type."""
    if field == "content":
        return "content_not_text"
    if not isinstance(value, str):
        return "bad_value"
    if field in {"keys", "secondary", "triggers"}:
        return "keys_were_string"
    if value.strip().lower() in {"true", "false"}:
        return "bool_as_string"
    return "number_as_string" if _NUMBER.fullmatch(value.strip()) else "bad_value"


def write_entry(entry: Entry, *, from_file: bool) -> dict[str, object]:
    """The JSON object of an entry. `from_file` says that `layout` is the whole order of names in its file.

    An entry read from a file gives back its object; changed fields have their new values, fields that were set since
    stand at the end. An entry made by a program is written with its uid and all fields that are not absent.
    """
    filters = write_filter(entry.filter, entry.layout)
    originals = {name: entry.extra[name] for name in FILTER_NAMES if name in entry.extra}
    if originals and read_filter(originals) == entry.filter:
        filters = originals
    unknown = {name: value for name, value in entry.extra.items() if not _is_known(name)}
    available = {"uid": entry.extra.get("uid", entry.uid), **_known_values(entry), **filters, **unknown}
    if from_file and "uid" not in entry.layout:
        del available["uid"]
    return put_marks({name: available.pop(name) for name in entry.layout if name in available} | available, entry)


def _known_values(entry: Entry) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, column in COLUMNS.items():
        field = getattr(entry, column.field)
        if field is not ABSENT:
            original = entry.extra.get(name, ABSENT)
            kept = original is not ABSENT and column.read(original) == field
            values[name] = original if kept else column.write(field)
    return values


def _is_known(name: str) -> bool:
    return name in COLUMNS or name in FILTER_NAMES or name == "uid"
