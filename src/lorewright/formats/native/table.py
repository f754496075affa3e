"""The fields of our own book format, version 1: one table for the reader, the writers and the JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from lorewright.core.model import CharacterFilter, Odd
from lorewright.core.policy import Settings
from lorewright.formats import fields as values
from lorewright.formats.native.defaults import DEFAULT_NAMES, read_defaults
from lorewright.formats.native.gates import read_folders, read_gate
from lorewright.formats.native.replaces import read_replaces

__all__ = [
    "BOOK_FIELDS",
    "BOOK_MARKS",
    "ENTRY_FIELDS",
    "FILTER_FIELDS",
    "SETTINGS_FIELDS",
    "VERSION",
    "NativeField",
    "read_filter",
    "write_filter",
]

VERSION: Final = 1
"""The version of the format that is written, and the newest that is read."""


@dataclass(frozen=True, slots=True)
class NativeField:
    """One field of the file: how it is read, its JSON Schema, and what it is for.

    `reserved` fields have no place in the model yet; they are kept in `extra`.
    """

    name: str
    read: Callable[[object], Any]
    schema: Mapping[str, object]
    meaning: str
    reserved: bool = False

    def takes(self, value: object) -> bool:
        """Whether a value is of the type of this field."""
        return not isinstance(self.read(value), Odd)


FILTER_FIELDS: Final = ("names", "tags", "exclude")


def read_filter(value: object) -> Any:
    """A filter from a mapping of `names`, `tags` and `exclude`; more names are kept in its `extra`."""
    if not isinstance(value, dict):
        return None if value is None else Odd(value)
    names, tags, exclude = value.get("names", []), value.get("tags", []), value.get("exclude", False)
    if not (_are_texts(names) and _are_texts(tags) and isinstance(exclude, bool)):
        return Odd(value)
    extra = {name: kept for name, kept in value.items() if name not in FILTER_FIELDS}
    return CharacterFilter(tuple(names), tuple(tags), exclude, extra)


def write_filter(found: CharacterFilter) -> dict[str, object]:
    return {"names": list(found.names), "tags": list(found.tags), "exclude": found.exclude, **found.extra}


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _read_mapping(value: object) -> Any:
    return value if isinstance(value, dict) or value is None else Odd(value)


def _read_anything(value: object) -> Any:
    return value


def _read_id(value: object) -> Any:
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else Odd(value)


def _read_layer(value: object) -> Any:
    return value if isinstance(value, str) else values.read_number(value)


_TEXT: Final = {"type": ["string", "null"]}
_FLAG: Final = {"type": ["boolean", "null"]}
_NUMBER: Final = {"type": ["number", "null"]}
_TEXTS: Final = {"type": ["array", "null"], "items": {"type": "string"}}
_ID: Final = {"type": ["integer", "string"]}
_GATE: Final = {"type": ["object", "array", "null"]}
_REPLACES: Final = {"type": ["array", "null"], "items": {"type": "object", "required": ["find"]}}
_FOLDERS: Final = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "gate": {"type": ["object", "array", "null"]}},
    },
}


_DEFAULTS: Final = {
    "type": ["object", "null"],
    "properties": {name: {"type": ["boolean", "null"]} for name in DEFAULT_NAMES},
}


def _whole(most: int) -> dict[str, object]:
    return {"type": ["integer", "null"], "minimum": 0, "maximum": most}


ENTRY_FIELDS: Final = {
    field.name: field
    for field in (
        NativeField("uid", _read_id, _ID, "Unique in its book; the id of the entry is `book.uid`."),
        NativeField("title", values.read_text, _TEXT, "A name for people."),
        NativeField("keys", values.read_keys, _TEXTS, "One of them must match; `/pattern/flags` is a regex."),
        NativeField("secondary", values.read_keys, _TEXTS, "Decide after a key has matched, by `logic`."),
        NativeField("logic", values.read_integer, _whole(3), "0 any, 1 not all, 2 none, 3 all of `secondary`."),
        NativeField("selective", values.read_flag, _FLAG, "Whether `secondary` is used."),
        NativeField("content", values.read_text, _TEXT, "The text that enters the prompt."),
        NativeField("enabled", values.read_flag, _FLAG, "Switched off, an entry is never in."),
        NativeField("constant", values.read_flag, _FLAG, "In without any key."),
        NativeField("authority", values.read_text, _TEXT, "How far it can be relied on: canon, session and so on."),
        NativeField("source", values.read_text, _TEXT, "Where it comes from: system, user_custom, user_import."),
        NativeField("subject", values.read_text, _TEXT, "What it is about; the highest authority on it stays."),
        NativeField("weight", values.read_number, _NUMBER, "0 to 100: who is tried first; 50 if not set."),
        NativeField("level", values.read_number, _NUMBER, "0 general, 1 of a profession, 2 personal."),
        NativeField("restricted_to", values.read_texts, _TEXTS, "Speakers it works for; none: all."),
        NativeField("scene", values.read_text, _TEXT, "Works only while this scene is on."),
        NativeField(
            "gate", read_gate, _GATE, "Conditions that must all hold; otherwise it is as if it were not there."
        ),
        NativeField("folder", values.read_text, _TEXT, "The folder it lies in; a gate of the folder counts too."),
        NativeField(
            "layer",
            _read_layer,
            {"type": ["string", "number", "null"]},
            "The layer of the system prompt it stands in: a name or a number.",
        ),
        NativeField(
            "channel",
            values.read_text,
            _TEXT,
            "system: it stands in the system prompt; message: at the newest message.",
        ),
        NativeField(
            "replaces", read_replaces, _REPLACES, "Find and replace in its text, the system prompt or the user's."
        ),
        NativeField("cache_unsafe", values.read_flag, _FLAG, "Stays in its channel even where that costs the cache."),
        NativeField("seed_salt", values.read_text, _TEXT, "Makes its draws differ from those of others."),
        NativeField("freeze", values.read_flag, _FLAG, "Its text stays as it was rendered where it was placed first."),
        NativeField("verbatim", values.read_flag, _FLAG, "Keys and content are plain text: no macros, no decorators."),
        NativeField("order", values.read_number, _NUMBER, "Higher stands nearer the chat and comes in first."),
        NativeField("position", values.read_integer, _whole(7), "Where its text stands."),
        NativeField("depth", values.read_number, _NUMBER, "Position 4: messages between the text and the end."),
        NativeField("role", values.read_integer, _whole(2), "Position 4: 0 system, 1 user, 2 assistant."),
        NativeField("outlet", values.read_text, _TEXT, "Position 7: the name of the outlet."),
        NativeField("probability", values.read_number, _NUMBER, "Percent."),
        NativeField("use_probability", values.read_flag, _FLAG, "Whether `probability` is used."),
        NativeField("scan_depth", values.read_number, _NUMBER, "Messages scanned for it; null: as the setting."),
        NativeField("case_sensitive", values.read_flag, _FLAG, "Null: as the setting."),
        NativeField("whole_words", values.read_flag, _FLAG, "Null: as the setting."),
        NativeField("exclude_recursion", values.read_flag, _FLAG, "Texts of other entries cannot activate it."),
        NativeField("prevent_recursion", values.read_flag, _FLAG, "Its text cannot activate others."),
        NativeField(
            "delay_until_recursion",
            values.read_level,
            {"type": ["number", "boolean", "null"]},
            "Only looked at in recursion, from this level on.",
        ),
        NativeField("group", values.read_text, _TEXT, "Names with commas; one entry of each group comes in."),
        NativeField("group_override", values.read_flag, _FLAG, "Wins its group without a draw."),
        NativeField("group_weight", values.read_number, _NUMBER, "Its share in the draw."),
        NativeField("group_scoring", values.read_flag, _FLAG, "Most matching keys win; null: as the setting."),
        NativeField("sticky", values.read_number, _NUMBER, "Stays in for so many messages."),
        NativeField("cooldown", values.read_number, _NUMBER, "Then stays out for so many messages."),
        NativeField("delay", values.read_number, _NUMBER, "Not before the chat has so many messages."),
        NativeField("ignore_budget", values.read_flag, _FLAG, "Comes in even if the budget is full."),
        NativeField("triggers", values.read_texts, _TEXTS, "Kinds of reply it works for."),
        NativeField(
            "filter",
            read_filter,
            {
                "type": ["object", "null"],
                "properties": {
                    "names": {"type": "array", "items": {"type": "string"}},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "exclude": {"type": "boolean"},
                },
            },
            "For which characters it works.",
        ),
        NativeField("match_persona_description", values.read_flag, _FLAG, "Also scan the persona description."),
        NativeField("match_character_description", values.read_flag, _FLAG, "Also scan the character's description."),
        NativeField("match_character_personality", values.read_flag, _FLAG, "Also scan the character's personality."),
        NativeField("match_character_depth_prompt", values.read_flag, _FLAG, "Also scan the character's note."),
        NativeField("match_scenario", values.read_flag, _FLAG, "Also scan the scenario."),
        NativeField("match_creator_notes", values.read_flag, _FLAG, "Also scan the creator's notes."),
        NativeField(
            "extra", _read_mapping, {"type": "object"}, "Fields of other formats, kept as they are.", reserved=True
        ),
    )
}
"""The fields of an entry in the order in which they are written."""

BOOK_FIELDS: Final = {
    field.name: field
    for field in (
        NativeField("lorewright", values.read_integer, {"const": VERSION}, "The version of this format."),
        NativeField("name", values.read_text, {"type": "string"}, "The name of the book."),
        NativeField("description", values.read_text, _TEXT, "What the book is about.", reserved=True),
        NativeField(
            "settings", _read_mapping, {"type": ["object", "null"]}, "Scan settings that suit it.", reserved=True
        ),
        NativeField("authority", values.read_text, _TEXT, "The authority of entries that state none."),
        NativeField("source", values.read_text, _TEXT, "The source of entries that name none."),
        NativeField("gate", read_gate, _GATE, "Stands before every entry, besides its own."),
        NativeField("folders", read_folders, _FOLDERS, "Folders of entries, by name, and their gates."),
        NativeField("defaults", read_defaults, _DEFAULTS, "`cache_safe`: whether selective entries keep the cache."),
        NativeField("extra", _read_mapping, {"type": "object"}, "Fields of other formats.", reserved=True),
        NativeField("entries", _read_anything, {"type": "array"}, "The entries, in the order of the book."),
    )
}
"""The fields of the book in the order in which they are written."""

SETTINGS_FIELDS: Final = tuple(field.name for field in fields(Settings))

BOOK_MARKS: Final = ("authority", "source", "gate", "folders", "defaults")
"""Those of them that the model has fields for, under the same names."""
