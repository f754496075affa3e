"""Our own lorebook format, version 1: YAML for people, the same as JSON for programs."""

from lorewright.formats.native.edit import edit_native, format_native
from lorewright.formats.native.read import parse_native, read_native, read_native_text
from lorewright.formats.native.schema import make_schema
from lorewright.formats.native.write import as_native, native_value, write_native

__all__ = [
    "as_native",
    "edit_native",
    "format_native",
    "make_schema",
    "native_value",
    "parse_native",
    "read_native",
    "read_native_text",
    "write_native",
]
