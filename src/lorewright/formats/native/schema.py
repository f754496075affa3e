"""The JSON Schema of our own book format, made from the table of its fields."""

from __future__ import annotations

from lorewright.formats.native.table import BOOK_FIELDS, ENTRY_FIELDS, SETTINGS_FIELDS

__all__ = ["make_schema"]


def make_schema() -> dict[str, object]:
    """The schema. More fields than it names are allowed: a reader keeps them."""
    entry = {name: {**field.schema, "description": field.meaning} for name, field in ENTRY_FIELDS.items()}
    book = {name: {**field.schema, "description": field.meaning} for name, field in BOOK_FIELDS.items()}
    book["settings"]["properties"] = {name: {} for name in SETTINGS_FIELDS}
    book["entries"]["items"] = {"$ref": "#/$defs/entry"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lorewright book, version 1",
        "description": "A lorebook in Lorewright's own format; the file may be YAML or JSON.",
        "type": "object",
        "required": ["lorewright", "entries"],
        "properties": book,
        "$defs": {"entry": {"type": "object", "required": ["uid"], "properties": entry}},
    }
