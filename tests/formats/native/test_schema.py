"""The published JSON Schema is made from the table of fields, and says what the reader does."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from lorewright.core.model import Entry
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import parse_native, read_native
from lorewright.formats.native.schema import make_schema
from lorewright.formats.native.table import ENTRY_FIELDS

DOCS = Path(__file__).resolve().parents[3] / "docs"
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in {"integer", "number"})


def problems(value, schema, root, place="$"):
    """A validator for the few words that the schema uses."""
    assert set(schema) <= {
        *("$schema", "$defs", "$ref", "title", "description", "type", "required", "properties", "items", "const"),
        *("minimum", "maximum"),
    }
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(is_type(value, name) for name in wanted):
        return [f"{place} is not {wanted}"]
    found = [f"{place} is not {schema['const']}"] if "const" in schema and value != schema["const"] else []
    if is_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{place} is out of range")
    if isinstance(value, dict):
        found += [f"{place} lacks {name}" for name in schema.get("required", ()) if name not in value]
        for name, part in schema.get("properties", {}).items():
            found += problems(value[name], part, root, f"{place}.{name}") if name in value else []
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += problems(item, schema["items"], root, f"{place}[{index}]")
    return found


def test_the_published_schema_is_current():
    text = (DOCS / "reference" / "book.schema.json").read_text("utf-8")

    assert json.loads(text) == make_schema(), "run scripts/write_book_schema.py"
    assert text == json.dumps(make_schema(), indent=2, ensure_ascii=False) + "\n"


def test_every_field_of_the_model_is_in_the_table():
    names = {field.name for field in fields(Entry)} - {"layout"}

    assert names <= set(ENTRY_FIELDS)
    assert {name for name in ENTRY_FIELDS if name not in names} == {
        name for name in ENTRY_FIELDS if ENTRY_FIELDS[name].reserved
    } - {"extra"}


def examples():
    text = (DOCS / "reference" / "native-book.md").read_text("utf-8")
    return re.findall(r"(?ms)^```(?:yaml|json)\n(.*?)^```", text)


def test_there_are_examples():
    assert len(examples()) >= 2


@pytest.mark.parametrize("text", examples())
def test_the_examples_of_the_page_are_valid_and_read_without_a_report(text):
    value = parse_native(text, Notes())

    assert problems(value, make_schema(), make_schema()) == []
    assert read_native(value).reports == ()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"lorewright": 2, "entries": []}, "$.lorewright is not 1"),
        ({"lorewright": 1}, "$ lacks entries"),
        ({"lorewright": 1, "entries": [{}]}, "$.entries[0] lacks uid"),
        ({"lorewright": 1, "entries": [{"uid": 0, "keys": "a"}]}, "$.entries[0].keys is not ['array', 'null']"),
        ({"lorewright": 1, "entries": [{"uid": 0, "logic": 4}]}, "$.entries[0].logic is out of range"),
        ({"lorewright": 1, "entries": [{"uid": True}]}, "$.entries[0].uid is not ['integer', 'string']"),
    ],
)
def test_the_schema_sees(value, problem):
    assert problems(value, make_schema(), make_schema()) == [problem]
